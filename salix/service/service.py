"""The service: puts the parts together, and keeps time for them.

    store   what survives          host       serves host calls          intake   takes events
    node    runs guests            lifecycle  loads and ends Loops       files    of the agents

After a crash `open` is all there is to do: whatever was committed is found, active Loops are loaded from their
checkpoints, and their pending events are delivered again.
"""

from __future__ import annotations

import asyncio
import sys
import traceback
from collections.abc import Awaitable, Callable
from types import TracebackType

from runtime.node import Node
from salix.service.attachments import Attachments
from salix.service.clock import Clock, SystemClock
from salix.service.decisions.asking import Decider
from salix.service.decisions.model import ModelDecider
from salix.service.decisions.rules import RuleDecider
from salix.service.files import AgentFiles
from salix.service.host import Host
from salix.service.intake import Intake
from salix.service.lifecycle import Lifecycle
from salix.service.outside import trust
from salix.service.retention import prune
from salix.service.settings import Settings
from salix.service.webclient import WebClient
from salix.store import Store

_FLUSH_SECONDS = 1.0
_PRUNE_SECONDS = 3600


class Service:
    """See the module. `open` makes one, in the event loop that it lives in."""

    def __init__(self, settings: Settings, store: Store, clock: Clock) -> None:
        self.settings, self.store, self.clock = settings, store, clock
        self.files = AgentFiles(settings.files, settings.limits)
        self.attachments = Attachments()
        trusted, asked = trust(settings.ca_file), settings.decisions
        decider: Decider = RuleDecider() if asked.url is None else ModelDecider(asked, trusted)
        self._decider, self._web = decider, WebClient(settings.web, trusted)
        self.host = Host(store, clock, settings, self.attachments, decider, self._web)
        self.node = self.host.node = Node(self.host, engine=settings.engine)
        self.lifecycle = Lifecycle(store, clock, settings, self.files, self.node, self.attachments, self.host)
        self.intake = Intake(store, clock, settings.limits, self.lifecycle)
        self.builds = asyncio.Semaphore(2)  # a compiler that runs has 8 MiB
        self._background: list[asyncio.Task[None]] = []

    @classmethod
    async def open(cls, settings: Settings, clock: Clock | None = None, *, background: bool = True) -> Service:
        """Open the store and load what is active. Raises StoreUnavailable, NewerSchema.

        background: whether the sweep runs by itself; tests call `tick` instead.
        """
        settings.files.mkdir(parents=True, exist_ok=True)
        service = cls(settings, await Store.open(settings.database), clock or SystemClock())
        await service.tick()
        if background:
            service._background = [
                asyncio.create_task(service._repeat(service.host.flush, _FLUSH_SECONDS)),
                asyncio.create_task(service._repeat(service.prune, _PRUNE_SECONDS)),
                asyncio.create_task(service._repeat(service.tick, settings.limits.sweep_every_ms / 1000)),
            ]
        return service

    async def __aenter__(self) -> Service:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def tick(self) -> None:
        """Save logs; replay, fail and load what is due."""
        await self.host.flush()
        await self.lifecycle.sweep()

    async def prune(self) -> None:
        """Forget what is older than the settings keep, and no promise needs."""
        if self.settings.keep_days:
            await prune(self.store, self.files, self.settings.keep_days, self.clock.now_ms(), "salix")

    async def close(self) -> None:
        """End all objects. Their Loops stay active, and go on with the next service on this store."""
        for task in self._background:
            task.cancel()
        await self.node.close()
        await self.host.close()
        await self.host.guarded(self.lifecycle.leave())
        await self._decider.close()
        await self._web.close()
        await self.store.close()

    async def _repeat(self, work: Callable[[], Awaitable[None]], seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            try:
                await work()
            except Exception:  # a database that is away for a moment: the next round finds it again
                traceback.print_exc(file=sys.stderr)
