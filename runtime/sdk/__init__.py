"""What a guest sees of the object runtime: the header, the guide, JSON values, handles, and the sf_ calls.

    codes      status codes, kinds and limits, as `spinfoam.h` has them
    values     JSON values and their limits; what encoded size, nodes and depth a value has, kept up to date as it grows
    handles    the table of one object: handle -> value
    calls      what each helper does with a guest's memory and handles; waiting and the outside world are `Services`
    texts      the header, the guide and the examples, as people get them; `command` prints them

Nothing here waits, keeps time or talks to anybody: whoever owns the object (`runtime.node`) is its `Services`.
"""
