"""Benchmarks: `python -m tests.bench [speed|passes|overhead|memory|all]`.

    speed     the code that the JIT makes, against gcc -O2 (and wasmtime, where it is installed)
    passes    microseconds per eBPF instruction of every pass
    overhead  what it costs to go into guest code and out again, to call a helper, to start a guest
    memory    what an idle guest holds: resident bytes, mappings

Numbers are for a reader, not for a test: machines differ and are shared, so every figure that can be a ratio is one,
taken within the run. Times are thread CPU time. The smoke test looks at results only, not at times.
"""
