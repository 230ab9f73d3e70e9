"""What eBPF and x86-64 instructions mean, each written once over an abstract domain of words.

Promises to `proofs/`: every meaning here uses the operations of `words.Words` and nothing else on a word, so that
the same code runs on solver terms and a theorem about it is a theorem about what runs. Promises to `runtime/` and
`differential/`: on `integers.INTEGERS` these meanings are engines: `ebpf` a reference interpreter that preempts,
calls helpers and faults at the same instants as native code, `x86` a machine that runs what `jit` emits.

Not promised: speed beyond a few microseconds an instruction, and atomicity towards other threads.
"""
