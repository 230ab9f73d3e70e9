"""The closed allowlist: all that a Loop may ask of its host, by name. Every other name is SF_DENIED, by the node.

A Loop's authority comes from its row: the names in it, of these, and the identity that is written there. Nothing that a
Loop passes, and nothing in an event, adds to it.
"""

from __future__ import annotations

from collections.abc import Mapping

from salix.service.capabilities import conversation, decide, loop, notify, web
from salix.service.capabilities.calling import Capability

CAPABILITIES: Mapping[str, Capability] = {
    "agent.notify": notify.notify,
    "loop.ack": loop.acknowledge,
    "loop.log": loop.log,
    "loop.state.get": loop.get_state,
    "loop.state.put": loop.put_state,
    "decide": decide.decide,
    "web.http_request": web.http_request,
    "conversation.read": conversation.read,
}
"""What each name does."""
