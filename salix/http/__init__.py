"""The service over HTTP: events in, tools for agents, messages out. A codec: it decides nothing itself."""

from salix.http.app import application

__all__ = ["application"]
