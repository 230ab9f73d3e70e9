"""The benchmark of the server does what it says; its times are no test's business."""

from __future__ import annotations

import base64
import json
import struct

from tests.bench.node import MARKER
from tests.bench.objects import LoadFrames, measure


def test_all_objects_are_loaded_woken_and_unloaded() -> None:
    found = measure(60, idle_seconds=0.1)
    assert found.count == 60
    assert found.mappings <= 5
    assert (found.threads_loading, found.threads_idle) == (1, 1)
    assert min(found.rss, found.load_seconds, found.event_seconds, found.control_p50_ms) > 0
    assert found.control_p50_ms <= found.control_p99_ms


def test_frames_that_are_put_together_carry_the_whole_object() -> None:
    for length in range(3):  # where the datum begins decides how base64 splits it
        elf = bytes(range(1, 20 + length)) + MARKER + b"the rest"
        frames = LoadFrames(elf)
        for n in (0, 1, 10**6):
            request = json.loads(frames(n))
            assert request["id"] == str(n)
            assert base64.b64decode(request["params"]["elf"]) == elf.replace(MARKER, struct.pack("<Q", n + 1))
