"""The commands of `python -m salix`. Each module adds its own to the parser, and imports what it needs when it runs."""
