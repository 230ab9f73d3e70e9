"""Evidence that no input breaks the load path or the engines: objects and code of every bad kind, judged one by one.

    elf_writer     writes objects, well-formed and not
    kinds          classes of bad input from others' bug reports: one generator and one right outcome each
    bytecode       instructions whose fields are almost right
    damage         copies of real objects with fields changed
    inputs         draws all of these by seed and index
    second_reader  pyelftools, which must read the same
    judge          loads, runs and measures one input
    workers        in processes that may die; the input that they die of is named
    shrink         a smaller input with the same problem

Nothing trusts this package. pyelftools is optional.
"""
