"""Evidence that the model is the processor, and that no input breaks what runs on it.

    snippet     an instruction sequence, and the state before it
    effects     what an instruction reads and writes, as far as a writer of sequences has to know
    values      numbers that find mistakes; operands of each form
    writer      draws snippets: everything they do is defined, and they end
    placement   where code and memory lie, the same in every engine and every run
    chunk       snippets as bytes at their addresses, by the assembler that guests get
    engines/    run the snippets of a chunk
    outcome     what an engine left, and how two of them differ
    shrink      a smaller snippet on which the engines still differ
    campaign    all of it
    workers     tasks in processes, whose death is a result
    versions    what ran
    operands    every form with every register, and the edges of numbers
    reading     instructions as parts of Intel's syntax
    encodings   every form against Capstone and Keystone
    programs/   eBPF programs: the reference semantics, simulated native code, native code
    hostile/    objects and code that mean harm
    soak/       thousands of guests in one process
    classes     where which class of others' bug reports is looked for

Nothing trusts this package. It is above everything else but Salix, and needs the extra `differential`.
"""
