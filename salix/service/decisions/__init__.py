"""Decisions: typed questions about a state, answered by a model over HTTP, or by our own rules without one."""
