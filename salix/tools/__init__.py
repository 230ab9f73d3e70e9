"""The tools of agents: each defined once, with the model of its arguments, from which all ways to call it come.

await call(service, caller, "loop.list", {})      # by name, as HTTP and MCP do
await list_loops(service, caller, NoArguments())  # the same, typed
"""

from salix.tools.registry import TOOLS, Tool, call

__all__ = ["TOOLS", "Tool", "call"]
