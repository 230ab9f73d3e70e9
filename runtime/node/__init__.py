"""Objects that live for long: load, start, events, host calls, stop. What `runtime.server` speaks JSON-RPC over.

Promises to embedders: everything is bounded (mailboxes, handles, values, logs, time slices); nothing that an object
does delays or harms another, beyond its slice; what an object held is given back when it ends. `Node` is the
interface; `Embedder` is what it asks for.
"""

from runtime.node.capabilities import Capability
from runtime.node.collector import tune_collector
from runtime.node.embedder import Embedder, HostCall
from runtime.node.errors import Kind, NodeError
from runtime.node.node import Node
from runtime.node.parking import NEVER, Parking
from runtime.node.status import Delivery, Exit, Failure, Memory, MemoryKind, Outcome, Page, State, Status, Wait

__all__ = [
    "NEVER",
    "Capability",
    "Delivery",
    "Embedder",
    "Exit",
    "Failure",
    "HostCall",
    "Kind",
    "Memory",
    "MemoryKind",
    "Node",
    "NodeError",
    "Outcome",
    "Page",
    "Parking",
    "State",
    "Status",
    "Wait",
    "tune_collector",
]
