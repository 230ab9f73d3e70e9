"""Loops to start from. Each is complete."""
