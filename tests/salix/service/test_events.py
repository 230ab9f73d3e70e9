"""Events, from acceptance to acknowledgement: the sequences W of what went wrong elsewhere."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from salix.service import Limits, Refusal, Refused
from salix.service.files import AgentFiles
from salix.service.intake import Intake
from salix.service.programs import read_program
from salix.service.signatures import Signed, sign
from salix.store import Store, identities
from salix.store.loops import Loop
from tests.salix.services import ACKNOWLEDGER, AGENT, KEY, World, world


def test_an_event_wakes_the_agent_once_and_is_acknowledged(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            for n in range(3):
                assert not await w.send(loop_id, f"quiet{n}", {"kind": "quiet"})
            assert not await w.send(loop_id, "e1", {"kind": "wake", "text": "sign here"})
            assert await w.send(loop_id, "e1", {"kind": "wake"}), "W07: a valid duplicate is a success"
            await w.quiet(loop_id)
            (message,) = await w.messages()
            assert message.message_id == f"loop:{loop_id}:e1"
            assert message.author == f"schedule|loop:{loop_id}|agent"
            assert message.content == '{"kind":"wake","text":"sign here"}'
            found = await w.get(loop_id)
            assert (found["pending_events"], found["wakes_left"], found["input_tokens"]) == (0, 5, 0)
            w.clock.advance(minutes=60 * 24 * 40)
            assert await w.send(loop_id, "e1", {"kind": "wake"}), "W07: nor is it ever another event"

    asyncio.run(run())


def test_of_concurrent_deliveries_to_two_servers_one_is_stored(database: str, tmp_path: Path) -> None:
    """W03: the loser of a race is a duplicate and a success."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            store = await Store.open(database)
            other = Intake(store, w.clock, w.settings.limits, None)
            for round_ in range(4):
                intakes = [w.service.intake, other] * 25
                accepted = await asyncio.gather(
                    *(i.accept("group", loop_id, f"e{round_}", "t", {"kind": "wake"}) for i in intakes)
                )
                assert sum(not each.duplicate for each in accepted) == 1
                await w.service.tick()
                await w.quiet(loop_id)
            wakes = [m for m in await w.messages() if m.author.startswith("schedule|")]
            assert [m.message_id for m in wakes] == [f"loop:{loop_id}:e{n}" for n in range(4)]
            await store.close()

    asyncio.run(run())


def test_an_earlier_incarnation_saw_it_and_the_next_gets_it_again(database: str, tmp_path: Path) -> None:
    """W05: duplicate means accepted, not handled; what is pending comes again after a restart."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            await w.send(loop_id, "e1", {"kind": "keep"})
            await w.quiet(loop_id)
            assert await w.send(loop_id, "e1", {"kind": "keep"})
            assert (await w.get(loop_id))["pending_events"] == 1
            for expected in (2, 3):
                await w.restart()
                await w.quiet(loop_id)
                attachment = w.service.attachments.of_loop(loop_id)
                assert attachment is not None
                assert attachment.incarnation == expected
                assert len(attachment.given) == 1

    asyncio.run(run())


TAKER = """
#include "spinfoam.h"
/* Logs the id of each event; acknowledges the event that it has when one comes that says so. */
SF_MAIN sf_i64 take(void)
{
    char id[32];
    for (;;) {
        sf_i64 mark = sf_mark();
        sf_handle event = sf_event_next(SF_FOREVER);
        if (event == SF_TIMEOUT) continue;
        if (event < 0) return 0;
        if (sf_json_read_text(event, "event_id", id, sizeof id) <= 0) return -1;
        sf_log(id);
        sf_handle receipt = sf_json_object();
        if (sf_json_read_text(sf_json_get(event, "payload"), "ack", id, sizeof id) > 0) {
            sf_json_set_string(receipt, "event_id", id);
            sf_host_call("loop.ack", receipt, 10000);
        }
        sf_release(mark);
    }
}
"""


def test_what_a_guest_took_and_did_not_acknowledge_comes_again_once_a_minute(database: str, tmp_path: Path) -> None:
    """The mailbox took e1 for a duplicate for as long as its object lived: a retry came with the next load only."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(TAKER)
            await w.send(loop_id, "e1", {})
            await w.quiet(loop_id)
            expected = ["e1"]
            for minute in range(5):
                w.clock.advance(seconds=59)
                await w.service.tick()
                await w.quiet(loop_id)
                assert await w.lines(loop_id) == expected, "not before its minute is over"
                w.clock.advance(seconds=1)
                for _ in range(3):
                    await w.service.tick()
                    await w.quiet(loop_id)
                expected.append("e1")
                assert await w.lines(loop_id) == expected, minute
            assert (await w.get(loop_id))["incarnation"] == 1, "one load all the time"
            await w.send(loop_id, "e2", {"ack": "e1"})
            await w.quiet(loop_id)
            w.clock.advance(minutes=1)
            await w.service.tick()
            await w.quiet(loop_id)
            assert await w.lines(loop_id) == [*expected, "e2", "e2"], "what is acknowledged does not come again"

    asyncio.run(run())


def test_a_copy_that_waits_is_not_doubled_and_goes_when_its_event_is_settled(database: str, tmp_path: Path) -> None:
    """A guest that works on e1 for minutes finds one copy of it at most, and none once it has acknowledged it."""
    busy = TAKER.replace("sf_log(id);", 'sf_log(id); sf_host_call("conversation.read", sf_json_object(), 600000);')

    async def run() -> None:
        async with world(database, tmp_path) as w:
            answer, hold = w.service.node.answer, True

            def held(call_id: str, result: object) -> bool:
                if isinstance(result, dict) and "messages" in result and hold:
                    calls.append(call_id)
                    return True
                return answer(call_id, result)

            calls: list[str] = []
            w.service.node.answer = held  # type: ignore[method-assign]
            loop_id = await w.loop(busy)
            attachment = w.service.attachments.of_loop(loop_id)
            assert attachment is not None
            await w.send(loop_id, "e1", {"ack": "e1"})
            await w.send(loop_id, "e2", {})
            await w.until(lambda: _true(bool(calls)))

            def queued() -> int:
                return w.service.node.get(attachment.object_id).mailbox_entries

            for _ in range(4):
                w.clock.advance(minutes=1)
                await w.service.tick()
                assert queued() == 2, "e2, which it has not seen, and e1 again"
            await w.tool("loop.events", loop_id=loop_id, action="discard", event_id="e2")
            assert queued() == 1, "what is discarded is not delivered any more"
            hold = False
            answer(calls[0], {"messages": [], "next": 0})
            await w.quiet(loop_id)
            assert await w.lines(loop_id) == ["e1"]
            assert (await w.get(loop_id))["pending_events"] == 0

    asyncio.run(run())


async def _true(value: bool) -> bool:
    return value


def test_a_loop_that_we_fail_to_load_does_not_keep_the_others_from_running(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nor the server from starting: the sweep goes on with the next Loop, and comes back."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            ids = sorted([await w.loop(ACKNOWLEDGER) for _ in range(3)])

            def fails(files: AgentFiles, loop: Loop) -> bytes:
                if loop.id == ids[0]:
                    raise ZeroDivisionError
                return read_program(files, loop)

            monkeypatch.setattr("salix.service.lifecycle.read_program", fails)
            await w.restart()
            assert [w.service.attachments.of_loop(loop_id) is not None for loop_id in ids] == [False, True, True]
            assert "ZeroDivisionError" in capsys.readouterr().err
            monkeypatch.undo()
            await w.service.tick()
            assert w.service.attachments.of_loop(ids[0]) is not None

    asyncio.run(run())


@pytest.mark.parametrize("name", ["a" * 128, "e\u00e9", "e\u0301", "A", "\U0001f600"])
def test_keys_are_the_loop_and_the_id_as_bytes(database: str, tmp_path: Path, name: str) -> None:
    """W11"""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            one, two = await w.loop(ACKNOWLEDGER), await w.loop(ACKNOWLEDGER)
            assert not await w.send(one, name, {"kind": "keep"})
            assert not await w.send(two, name, {"kind": "keep"}), "another Loop"
            assert await w.send(one, name, {"kind": "keep"}, topic="other"), "a topic is no part of the key"
            if name != name.swapcase():
                assert not await w.send(one, name.swapcase(), {"kind": "keep"}), "another case"

    asyncio.run(run())


@pytest.mark.parametrize(
    ("event_id", "topic", "payload", "kind"),
    [
        ("a" * 129, "t", 1, Refusal.INVALID),
        ("\u00e9" * 65, "t", 1, Refusal.INVALID),
        ("", "t", 1, Refusal.INVALID),
        ("\ud800", "t", 1, Refusal.INVALID),
        (7, "t", 1, Refusal.INVALID),
        ("e", "t" * 129, 1, Refusal.INVALID),
        ("e", "t", "x" * 16384, Refusal.TOO_LARGE),
        ("e", "t", [[]] * 5000, Refusal.TOO_LARGE),
    ],
)
def test_what_no_mailbox_would_take_is_refused(
    database: str, tmp_path: Path, event_id: str, topic: str, payload: object, kind: Refusal
) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            with pytest.raises(Refused) as refused:
                await w.send(loop_id, event_id, payload, topic)
            assert refused.value.kind is kind
            assert (await w.get(loop_id))["pending_events"] == 0

    asyncio.run(run())


def test_thirty_two_wait_then_the_inbox_is_full_and_duplicates_still_succeed(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            await w.tool("loop.pause", loop_id=loop_id)
            text = "x" * (16384 - len('{"event_id":"e00","topic":"test","payload":{"kind":"quiet","text":""}}'))
            for n in range(32):
                await w.send(loop_id, f"e{n:02}", {"kind": "quiet", "text": text})
            with pytest.raises(Refused) as refused:
                await w.send(loop_id, "e32", 1)
            assert refused.value.kind is Refusal.INBOX_FULL
            assert await w.send(loop_id, "e07", 1)
            await w.tool("loop.resume", loop_id=loop_id)  # half a MiB, through a mailbox of 32 KiB

            async def empty() -> bool:
                return bool((await w.get(loop_id))["pending_events"] == 0)

            await w.until(empty)
            assert not await w.send(loop_id, "e32", {"kind": "quiet"})

    asyncio.run(run())


def test_more_than_the_rate_is_refused_for_a_minute(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path, limits=Limits(events_per_minute=5)) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            for n in range(5):
                await w.send(loop_id, f"e{n}", {"kind": "quiet"})
            with pytest.raises(Refused) as refused:
                await w.send(loop_id, "e5", {"kind": "quiet"})
            assert refused.value.kind is Refusal.RATE_LIMITED
            w.clock.advance(seconds=60)
            assert not await w.send(loop_id, "e5", {"kind": "quiet"})

    asyncio.run(run())


def test_after_fifteen_minutes_the_loop_fails_visibly_and_keeps_its_events(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id, other = await w.loop(ACKNOWLEDGER), await w.loop(ACKNOWLEDGER)
            await w.send(loop_id, "e1", {"kind": "keep"})
            await w.quiet(loop_id)
            w.clock.advance(minutes=14, seconds=59)
            await w.service.tick()
            assert (await w.get(loop_id))["state"] == "active"
            w.clock.advance(seconds=1)
            await w.service.tick()
            await w.service.tick()
            found = await w.get(loop_id)
            assert (found["state"], found["reason"], found["pending_events"]) == ("failed", "unacknowledged", 1)
            assert (await w.get(other))["state"] == "active"
            (message,) = await w.messages()
            assert message.author == "salix"
            assert loop_id in message.content
            await w.tool("loop.events", loop_id=loop_id, action="discard", event_id="e1")
            await w.tool("loop.resume", loop_id=loop_id)
            await w.service.tick()
            assert (await w.get(loop_id))["state"] == "active"

    asyncio.run(run())


def test_three_faults_an_hour_then_it_fails_and_the_poison_stays_visible(database: str, tmp_path: Path) -> None:
    """W15"""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id, other = await w.loop(ACKNOWLEDGER), await w.loop(ACKNOWLEDGER)
            await w.send(loop_id, "poison", {"kind": "fault"})

            async def failed() -> bool:
                return bool((await w.get(loop_id))["state"] == "failed")

            await w.until(failed)
            found = await w.get(loop_id)
            assert (found["reason"], found["incarnation"], found["pending_events"]) == ("faults", 4, 1)
            listed = await w.tool("loop.events", loop_id=loop_id)
            assert [event["event_id"] for event in listed["events"]] == ["poison"]
            assert len(await w.messages()) == 1, "told once"
            await w.send(other, "e1", {"kind": "wake"})
            await w.quiet(other)
            assert len(await w.messages()) == 2, "others are not affected"

    asyncio.run(run())


def test_faults_that_are_an_hour_apart_are_survived(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            for n in range(6):
                await w.send(loop_id, f"poison{n}", {"kind": "last"})

                async def loaded_anew(before: int = n + 1) -> bool:
                    return bool((await w.get(loop_id))["incarnation"] > before)

                await w.until(loaded_anew)
                w.clock.advance(minutes=25)
            found = await w.get(loop_id)
            assert (found["state"], found["incarnation"], found["pending_events"]) == ("active", 7, 0)
            assert await w.messages() == []

    asyncio.run(run())


async def webhook(w: World, loop_id: str) -> tuple[str, bytes]:
    """The secret and the signing key of a new webhook."""
    import base64

    found = await w.tool("loop.webhook", loop_id=loop_id, action="enable")
    return found["url"].rsplit("/", 1)[1], base64.b64decode(found["signing_key"].removeprefix("whsec_"))


def signed(w: World, key: bytes, event_id: str, body: bytes, age_seconds: int = 0) -> Signed:
    timestamp = str(w.clock.now_ms() // 1000 - age_seconds)
    return Signed((event_id,), (timestamp,), (sign(key, event_id, timestamp, body),))


def test_a_body_that_is_replayed_under_another_id_is_a_duplicate(database: str, tmp_path: Path) -> None:
    """W01: an id that nobody vouches for counts for nothing."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            secret, key = await webhook(w, loop_id)
            body = b'{"kind": "wake"}'
            intake = w.service.intake
            assert not (await intake.webhook(secret, body, signed(w, key, "d1", body))).duplicate
            with pytest.raises(Refused) as refused:
                await intake.webhook(secret, body, signed(w, key, "d1", body)._replace(ids=("d2",)))
            assert refused.value.kind is Refusal.UNAUTHENTICATED
            assert (await intake.webhook(secret, body, Signed())).duplicate
            await w.quiet(loop_id)
            assert len(await w.messages()) == 1
            assert not (await intake.webhook(secret, body, signed(w, key, "d2", body))).duplicate, "vouched for"
            w.clock.advance(minutes=24 * 60 + 1)
            assert not (await intake.webhook(secret, body, Signed())).duplicate, "a day later it is another event"

    asyncio.run(run())


def test_a_signed_delivery_needs_one_timestamp_of_these_minutes(database: str, tmp_path: Path) -> None:
    """W09, and W07: what was accepted once is accepted however old its timestamp is by now."""

    async def run() -> None:
        async with world(database, tmp_path) as w:
            secret, key = await webhook(w, loop_id := await w.loop(ACKNOWLEDGER))
            body, intake = b'{"kind": "quiet"}', w.service.intake
            good = signed(w, key, "d1", body)
            for bad in (
                good._replace(timestamps=()),
                good._replace(timestamps=(*good.timestamps, *good.timestamps)),
                good._replace(timestamps=("soon",)),
                good._replace(signatures=()),
                signed(w, b"another key", "d1", body),
                signed(w, key, "d1", body, age_seconds=3600),
                signed(w, key, "d1", body, age_seconds=-3600),
                signed(w, key, "d1", body + b" "),
            ):
                with pytest.raises(Refused) as refused:
                    await intake.webhook(secret, body, bad)
                assert refused.value.kind is Refusal.UNAUTHENTICATED
            assert not (await intake.webhook(secret, body, good)).duplicate
            w.clock.advance(minutes=60)
            assert (await intake.webhook(secret, body, good)).duplicate
            await w.quiet(loop_id)
            await w.tool("loop.webhook", loop_id=loop_id, action="rotate")
            with pytest.raises(Refused) as refused:
                await intake.webhook(secret, body, good)
            assert refused.value.kind is Refusal.NOT_FOUND

    asyncio.run(run())


def test_a_key_opens_its_group_only(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with world(database, tmp_path) as w:
            loop_id = await w.loop(ACKNOWLEDGER)
            async with w.service.store.read() as tx:
                assert await identities.group_of_key(tx, KEY) == AGENT.group_id
                assert await identities.group_of_key(tx, KEY + "x") is None
            with pytest.raises(Refused) as refused:
                await w.service.intake.accept("other", loop_id, "e", "t", 1)
            assert refused.value.kind is Refusal.NOT_FOUND

    asyncio.run(run())
