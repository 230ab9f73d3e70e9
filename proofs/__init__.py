"""Proofs of the code that runs: the shipped functions of the verified core, executed on symbolic values.

Promises to whoever reads a report: "proved" means that every path of the function was explored and that the solver
found each claim valid on it. What could not be decided is "unknown" and fails the run, as does a path budget that was
used up. Trusts: CPython, this package's executor and domains, the solvers (docs/trusted-base.md).
"""
