"""The statements. Importing this package registers them all."""

from proofs.theorems import bytes, compose, gate, host, isa, layout, linker, model, preempt, validator  # noqa: F401
