"""The statements. Importing this package registers them all."""

from proofs.theorems import bytes  # noqa: F401
