"""Evidence that a process may run guests for as long as it likes: all that can happen to them, at random, for minutes.

    programs  what the guests do: compute, recurse, wait for helpers, fault, spin, look for what others left
    lives     a guest, what has happened to it, and what the interpreter says must have become of it
    resources what a process has at most, and what it must have given back
    run       lives and deaths of thousands of guests, with a canary beside them

Nothing trusts this package.
"""
