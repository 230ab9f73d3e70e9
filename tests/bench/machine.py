"""What the numbers were measured on."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version

from differential.versions import processor


def facts() -> dict[str, str]:
    """Processor, cores, kernel, and the versions of what takes part."""
    return {
        "cpu": processor(),
        "cores": str(os.cpu_count()),
        "kernel": platform.release(),
        "python": platform.python_version(),
        "gcc": _first_line("gcc", "--version"),
        "wasmtime": _package("wasmtime"),
        "ziglang": _package("ziglang"),
    }


def _first_line(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError):
        return "not installed"


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
