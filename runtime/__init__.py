"""Runs guests: memory, code, programs, helpers, and the object server."""
