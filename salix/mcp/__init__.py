"""The tools over the Model Context Protocol, with its own SDK: on the HTTP server at /mcp, and on stdio."""

from salix.mcp.server import http_endpoint, tool_server

__all__ = ["http_endpoint", "tool_server"]
