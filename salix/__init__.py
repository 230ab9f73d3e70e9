"""Salix: Loops, C programs that agents write, on the runtime: the compiler, a durable service, tools for agents.

    from salix.compiler import build
    built = build({"loop.c": text}, "loop.c")

A build needs nothing but this package: the compiler is itself a guest of the runtime. `python -m salix build FILE.c`
does it on the command line.
"""
