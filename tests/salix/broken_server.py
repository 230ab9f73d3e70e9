"""`python -m salix` with a defect: what the crash campaign has to notice."""

from __future__ import annotations

import asyncio
import sys

from runtime.sdk.values import Value
from salix.__main__ import main
from salix.service.intake import Accepted, Intake

_accept = Intake.accept


async def _accept_before_the_commit(
    self: Intake, group_id: str, loop_id: str, event_id: Value, topic: Value, payload: Value
) -> Accepted:
    async def later() -> None:
        await asyncio.sleep(0.5)
        await _accept(self, group_id, loop_id, event_id, topic, payload)

    _later.add(asyncio.create_task(later()))
    return Accepted(event_id, False)


_later: set[asyncio.Task[None]] = set()


def plant(defect: str) -> None:
    match defect:
        case "accept-before-commit":
            Intake.accept = _accept_before_the_commit  # type: ignore[method-assign]
        case _:
            raise ValueError(defect)


if __name__ == "__main__":
    plant(sys.argv[1])
    sys.exit(main(sys.argv[2:]))
