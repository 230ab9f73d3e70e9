"""Evidence that a guest cannot tell the engines apart: the same random eBPF programs on each of them.

    program     instructions with marks, and the memory that they find
    writer      draws programs: valid, mostly free of faults, ended by their fuel at the latest
    helpers     the helpers that they call
    outcome     what an engine left, and how two of them differ
    rights      what an access meets, and whether it must fault, by another reading of the design
    reference   the reference semantics alone, and which instructions control reached
    simulated   a host whose processor is the machine model
    engines     programs on the runtime: simulated, native, interrupted and moved between engines
    shrink      a smaller program on which engines still differ
    campaign    all of it, counted per form of `validator.isa.ROWS`

Nothing trusts this package.
"""
