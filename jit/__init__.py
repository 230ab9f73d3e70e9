"""From a validated eBPF function to x86-64 machine code, in four passes that are small enough to be proved.

Promises to `runtime/`: bytes that came out of `jit.compile` touch only the guest's own slot (context page, regions,
live stack frames), never move rsp or rbp, poll on every cycle, and leave only through the exit stub or to another
function of the same program. All machine code in the process comes from here, trampolines included.
"""
