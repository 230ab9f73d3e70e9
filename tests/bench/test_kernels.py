"""The benchmark programs return what their models say, on the JIT; their times are no test's business."""

from __future__ import annotations

import pytest

from tests.bench import __main__ as command_line
from tests.bench.programs import QUICK_REPEATS, SHARED, Kernel, own, shared
from tests.bench.speed import guest_runner


def result_on_jit(kernel: Kernel, repeats: int) -> int:
    image = kernel.image(repeats)
    return guest_runner(kernel, len(image))(image)()


@pytest.mark.parametrize("repeats", [1, QUICK_REPEATS])
@pytest.mark.parametrize("kernel", own(), ids=lambda kernel: kernel.name)
def test_own_kernels_return_what_python_computes(kernel: Kernel, repeats: int) -> None:
    assert result_on_jit(kernel, repeats) == kernel.expected(repeats)


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"{SHARED} is not there: its fifteen kernels are not run")
@pytest.mark.parametrize("repeats", [1, QUICK_REPEATS])
def test_shared_kernels_return_what_expected_json_says(repeats: int) -> None:
    found = {kernel.name: result_on_jit(kernel, repeats) for kernel in shared()}
    assert found == {kernel.name: kernel.expected(repeats) for kernel in shared()}


def test_the_command_line_can_be_imported() -> None:
    assert callable(command_line.main)
