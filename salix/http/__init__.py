"""The service over HTTP: events in, tools for agents, messages out. A codec: it decides nothing itself.

`app` has the routes, `serving` a process of them, `client` speaks to one.
"""
