"""What an eBPF program is, and which ones may run.

Promises to `jit/`, `simulator/` and `runtime/`: an object that `validator.validate` returned contains only
instructions of RFC 9669 with every reserved field zero, never writes r10, and each of its functions is closed:
control leaves it by a local call to a function start, by a helper call, or by `exit`. Everything in here is a
pure function of its arguments and imports nothing of ours.
"""
