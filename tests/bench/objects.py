"""Ten thousand objects on a served node, driven from this process over pipes: how fast, how large, how idle.

The workload of the peer's benchmark: each object has an ELF of its own, distinct in its data, waits for an event,
passes it to the embedder in a host call, and waits again. At most 24 requests are outstanding. The client shares the
machine with the server, so it does little: frames are made beforehand or by concatenation, and replies are told apart
by their first bytes. Times are wall time; the processor time of both processes beside it shows what a busy machine
hides.
"""

from __future__ import annotations

import base64
import contextlib
import os
import select
import statistics
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from tests.bench.node import MARKER, WAITER, built
from tests.bench.programs import REPOSITORY

COUNT = 10_000
WINDOW = 24
CONTROL_REQUESTS = 1000
IDLE_SECONDS = 5.0
_READ_BYTES = 256 * 1024
_TICKS = os.sysconf("SC_CLK_TCK")
_PREFIX = b'{"jsonrpc":"2.0","id":"'  # of a reply or a host call of this server


@dataclass(frozen=True, slots=True)
class Process:
    """A process at one moment, from /proc."""

    rss: int
    pss: int
    mappings: int
    threads: int
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Measured:
    """All about one run of `count` objects. Bytes and mappings are per object, above those of the empty server."""

    count: int
    load_seconds: float
    load_server_cpu: float
    load_client_cpu: float
    waiting_seconds: float
    event_seconds: float
    event_server_cpu: float
    event_client_cpu: float
    rss: float
    pss: float
    rss_after_events: float
    rss_after_unload: float
    mappings: float
    control_p50_ms: float
    control_p99_ms: float
    threads_loading: int
    threads_idle: int
    idle_share: float
    unload_seconds: float


def process(pid: int) -> Process:
    """What the kernel says of `pid`."""
    folder = Path(f"/proc/{pid}")
    rollup = dict(line.split()[:2] for line in folder.joinpath("smaps_rollup").read_text().splitlines()[1:])
    status = dict(line.split(":", 1) for line in folder.joinpath("status").read_text().splitlines())
    mappings = folder.joinpath("maps").read_bytes().count(b"\n")
    pss, rss = (int(rollup[name]) * 1024 for name in ("Pss:", "Rss:"))
    return Process(rss, pss, mappings, int(status["Threads"]), cpu_seconds(pid))


def cpu_seconds(pid: int) -> float:
    """The processor time that `pid` has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


class Client:
    """A session with a server that it starts. `replied(id, line)` is called for each reply; host calls are answered."""

    def __init__(self, options: Sequence[str] = ()) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "runtime", "serve", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=REPOSITORY,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        os.set_blocking(self._out, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._rest, self._unsent = b"", b""
        self.to_send: list[bytes] = []
        self.calls = 0
        self.failures: list[bytes] = []
        self.replied: Callable[[bytes, bytes], None] = lambda _id, _line: None
        self.request("initialize", "sf.initialize", '{"protocol_version":1}')

    def turn(self) -> None:
        """Write what there is to write, wait for input, and take it in."""
        if self.to_send:
            self._unsent += b"".join(self.to_send)
            self.to_send.clear()
        if self._unsent:
            with contextlib.suppress(BlockingIOError):
                self._unsent = self._unsent[os.write(self._in, self._unsent) :]
        self._poll.modify(self._out, select.POLLIN)
        if self._unsent:
            self._poll.register(self._in, select.POLLOUT)
        ready = self._poll.poll(60_000)
        if self._unsent:
            self._poll.unregister(self._in)
        assert ready, "the server says nothing"
        if any(fd == self._out for fd, _ in ready):
            self._read()

    def _read(self) -> None:
        data = os.read(self._out, _READ_BYTES)
        assert data, "the server has gone"
        *lines, self._rest = (self._rest + data).split(b"\n")
        begin = len(_PREFIX)
        for line in lines:
            if not line.startswith(_PREFIX):
                if b'"state":"failed"' in line:
                    self.failures.append(line)
                continue
            name = line[begin : line.index(b'"', begin)]
            if name.startswith(b"sf:"):
                self.calls += 1
                self.to_send.append(b'{"jsonrpc":"2.0","id":"%s","result":{"accepted":true}}\n' % name)
            else:
                assert b'"error":{' not in line, line
                self.replied(name, line)

    def send(self, name: str | int, method: str, params: str) -> None:
        """Queue a request."""
        self.to_send.append(f'{{"jsonrpc":"2.0","id":"{name}","method":"{method}","params":{params}}}\n'.encode())

    def request(self, name: str, method: str, params: str) -> bytes:
        """Make one request and wait for its reply."""
        got: list[bytes] = []
        before, self.replied = self.replied, lambda _id, line: got.append(line)
        self.send(name, method, params)
        while not got:
            self.turn()
        self.replied = before
        return got[0]

    def all(self, count: int, frame: Callable[[int], bytes]) -> None:
        """Send `frame(n)`, whose id is n, for each n below `count`, WINDOW at a time, and wait for all replies."""
        sent = done = 0

        def replied(_id: bytes, _line: bytes) -> None:
            nonlocal done, sent
            done += 1
            if sent < count:
                self.to_send.append(frame(sent))
                sent += 1

        self.replied = replied
        sent = min(WINDOW, count)
        self.to_send += map(frame, range(sent))
        while done < count:
            self.turn()

    def close(self) -> None:
        """Shut the server down; its exit status must be 0."""
        self.request("bye", "sf.shutdown", "{}")
        os.set_blocking(self._out, True)
        while os.read(self._out, _READ_BYTES):
            pass
        assert self.process.wait() == 0
        self._in, self._out = -1, -1
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()


class LoadFrames:
    """The load request of object n: all alike but for eight bytes of data, and so for twelve of base64 or so."""

    def __init__(self, elf: bytes) -> None:
        assert elf.count(MARKER) == 1
        at = elf.index(MARKER)
        low, high = at - at % 3, at + 8 + -(at + 8) % 3
        head = b'{"jsonrpc":"2.0","id":"%d","method":"sf.object.load","params":{"elf":"' + base64.b64encode(elf[:low])
        tail = base64.b64encode(elf[high:]) + b'","capabilities":[{"name":"benchmark.ack"}]}}\n'
        self._pattern = head + b"%s" + tail
        self._before, self._after = elf[low:at], elf[at + 8 : high]

    def __call__(self, n: int) -> bytes:
        patched = self._before + struct.pack("<Q", n + 1) + self._after
        return self._pattern % (n, base64.b64encode(patched))


def load_and_start(client: Client, count: int) -> list[bytes]:
    """The ids of `count` objects, all started."""
    frame = LoadFrames(built(WAITER))
    objects: list[bytes] = []
    sent = started = 0
    marker = b'"object_id":"'

    def replied(name: bytes, line: bytes) -> None:
        nonlocal sent, started
        if name == b"s":
            raise AssertionError(line)
        if name.startswith(b"s"):
            started += 1
            if sent < count:
                client.to_send.append(frame(sent))
                sent += 1
            return
        begin = line.index(marker) + len(marker)
        object_id = line[begin : line.index(b'"', begin)]
        objects.append(object_id)
        client.to_send.append(
            b'{"jsonrpc":"2.0","id":"s%s","method":"sf.object.start","params":{"object_id":"%s"}}\n' % (name, object_id)
        )

    client.replied = replied
    sent = min(WINDOW, count)
    client.to_send += map(frame, range(sent))
    while started < count:
        client.turn()
    return objects


def wait_for_all(client: Client, count: int) -> None:
    """Until all objects wait for events."""
    while True:
        waiting, after = 0, ""
        while True:
            page = client.request("page", "sf.object.list", f'{{"limit":256{after}}}')
            waiting += page.count(b'"wait":"event"')
            following = page.rpartition(b'"next":')[2].rstrip(b"}")
            if following == b"null":
                break
            after = f',"after":{following.decode()}'
        if waiting == count:
            return


def measure(count: int, options: Sequence[str] = (), idle_seconds: float = IDLE_SECONDS) -> Measured:
    """One run, with a server of its own, which is left alone for `idle_seconds` at its end."""
    client = Client(options)
    pid, own = client.process.pid, os.getpid()
    empty = process(pid)

    began, server, mine = time.perf_counter(), cpu_seconds(pid), cpu_seconds(own)
    objects = load_and_start(client, count)
    load_seconds = time.perf_counter() - began
    load_cpu = cpu_seconds(pid) - server, cpu_seconds(own) - mine
    threads_loading = process(pid).threads
    wait_for_all(client, count)
    waiting_seconds = time.perf_counter() - began
    active = process(pid)

    latencies = []
    for n in range(CONTROL_REQUESTS):
        began = time.perf_counter()
        client.request(str(n), "sf.stats", "{}")
        latencies.append((time.perf_counter() - began) * 1000)
    latencies.sort()

    def event(n: int) -> bytes:
        return (
            b'{"jsonrpc":"2.0","id":"%d","method":"sf.event.deliver","params":{"object_id":"%s","event_id":"%d",'
            b'"topic":"benchmark","payload":{"sequence":%d}}}\n' % (n, objects[n], n, n)
        )

    began, server, mine = time.perf_counter(), cpu_seconds(pid), cpu_seconds(own)
    client.all(count, event)
    while client.calls < count:
        client.turn()
    event_seconds = time.perf_counter() - began
    event_cpu = cpu_seconds(pid) - server, cpu_seconds(own) - mine
    wait_for_all(client, count)  # which sends the last answers
    after_events = process(pid)

    server = cpu_seconds(pid)
    time.sleep(idle_seconds)
    idle_share = (cpu_seconds(pid) - server) / idle_seconds
    threads_idle = process(pid).threads

    began = time.perf_counter()
    client.all(
        count,
        lambda n: (
            b'{"jsonrpc":"2.0","id":"%d","method":"sf.object.unload","params":{"object_id":"%s"}}\n' % (n, objects[n])
        ),
    )
    unload_seconds = time.perf_counter() - began
    after_unload = process(pid)
    assert not client.failures, client.failures[0]
    client.close()
    return Measured(
        count=count,
        load_seconds=load_seconds,
        load_server_cpu=load_cpu[0],
        load_client_cpu=load_cpu[1],
        waiting_seconds=waiting_seconds,
        event_seconds=event_seconds,
        event_server_cpu=event_cpu[0],
        event_client_cpu=event_cpu[1],
        rss=(active.rss - empty.rss) / count,
        pss=(active.pss - empty.pss) / count,
        rss_after_events=(after_events.rss - empty.rss) / count,
        rss_after_unload=(after_unload.rss - empty.rss) / count,
        mappings=(active.mappings - empty.mappings) / count,
        control_p50_ms=statistics.median(latencies),
        control_p99_ms=latencies[len(latencies) * 99 // 100],
        threads_loading=threads_loading,
        threads_idle=threads_idle,
        idle_share=idle_share,
        unload_seconds=unload_seconds,
    )


@dataclass(frozen=True, slots=True)
class Row:
    """A figure beside the peer's, of 10,000 objects on eight cores, and what ours must be."""

    what: str
    peer: str
    goal: str
    shown: Callable[[Measured], str]


ROWS = (
    Row("load and start all", "3.07 s", "< 3.07 s", lambda m: f"{m.load_seconds:.2f} s"),
    Row(
        "  processor time, server and client", "", "", lambda m: f"{m.load_server_cpu:.2f} + {m.load_client_cpu:.2f} s"
    ),
    Row("an event to each, its host call answered", "1.56 s", "< 1.56 s", lambda m: f"{m.event_seconds:.2f} s"),
    Row(
        "  processor time, server and client",
        "",
        "",
        lambda m: f"{m.event_server_cpu:.2f} + {m.event_client_cpu:.2f} s",
    ),
    Row("resident memory per waiting guest", "64 KB", "< 24 KB", lambda m: f"{m.rss / 1000:.1f} KB"),
    Row("  its proportional share (PSS)", "63 KB", "", lambda m: f"{m.pss / 1000:.1f} KB"),
    Row("  after its event", "63 KB", "", lambda m: f"{m.rss_after_events / 1000:.1f} KB"),
    Row("  after all were unloaded", "51 KB", "", lambda m: f"{m.rss_after_unload / 1000:.1f} KB"),
    Row("mappings per guest", "24", "<= 4", lambda m: f"{m.mappings:.2f}"),
    Row("control request, median", "", "", lambda m: f"{m.control_p50_ms:.3f} ms"),
    Row("control request, p99", "0.25 ms", "< 0.25 ms", lambda m: f"{m.control_p99_ms:.3f} ms"),
    Row("threads, loading and idle", "4, 2", "<= 4, 2", lambda m: f"{m.threads_loading}, {m.threads_idle}"),
    Row("share of a core while all wait", "", "< 1 %", lambda m: f"{m.idle_share:.1%}"),
    Row("unload all", "", "", lambda m: f"{m.unload_seconds:.2f} s"),
)


def run(console: Console, counts: Sequence[int]) -> list[Measured]:
    """Measure each count of objects, with a server for each, and print."""
    table = Table(title="objects on a served node, driven over pipes", title_justify="left")
    table.add_column("what")
    table.add_column("peer, 10,000", justify="right")
    table.add_column("must be", justify="right")
    found = []
    for count in counts:
        table.add_column(f"{count:,}", justify="right")
        found.append(measure(count))
    for row in ROWS:
        table.add_row(row.what, row.peer, row.goal, *map(row.shown, found))
    console.print(table)
    return found
