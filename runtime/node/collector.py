"""The garbage collector in a process that holds many objects. Not called by the node: the process is its embedder's."""

from __future__ import annotations

import gc


def tune_collector() -> None:
    """Let the garbage collector look at everything only when millions of containers have come.

    Nothing in a node makes cycles as it goes, so what the collector finds is nothing, and each full look takes
    milliseconds for thousands of objects: with Python's thresholds, a tenth of the time in which 10,000 are loaded.
    What there is when this is called is never looked at again.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 10, 20)
