"""decide: the wire format to a model on loopback, and the rules where there is none."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from runtime.sdk.values import Value
from salix.service.decisions.asking import DecisionFailed, QuestionRefused
from salix.service.decisions.model import ModelDecider, cost_pico_usd
from salix.service.decisions.rules import RuleDecider
from salix.service.outside import trust
from salix.service.settings import DecisionSettings
from tests.salix.loopback import Answer, Loopback
from tests.salix.services import CALLER, world

CHOICE = {
    "type": "choice",
    "instructions": "Does the owner have to act today?",
    "criteria": {"notify": "contract deadline signature", "quiet": "newsletter offer", "defer": "cannot say"},
}
NOUL = {"type": "noul", "instructions": "Does this mention invoices?"}
SCORE = {"type": "score", "instructions": "How urgent is it?", "criteria": ["whenever", "tomorrow", "immediately"]}
ANSWERS: dict[str, dict[str, Any]] = {
    "attention": {
        "type": "choice", "choice": "defer", "confidence": 0.4321,
        "probabilities": {"defer": 0.7, "notify": 0.2, "quiet": 0.1},
    },
    "invoices": {"type": "noul", "noul": 0.95},
    "urgent": {
        "type": "score", "score": 1.25, "confidence": 0.2,
        "legend": {"0": "whenever", "1": "tomorrow", "2": "immediately"},
        "probabilities": {"0": 0.1, "1": 0.55, "2": 0.35},
    },
}  # fmt: skip
QUESTIONS = {"attention": CHOICE, "invoices": NOUL, "urgent": SCORE}


def test_a_model_is_asked_in_its_wire_format_and_tokens_are_charged(database: str, tmp_path: Path) -> None:
    async def run() -> None:
        async with Loopback() as server:
            settings = DecisionSettings(server.url + "/v1/systemone", "secret", "jev-1.13.0")
            async with world(database, tmp_path, decisions=settings) as w:
                loop_id = await w.loop(CALLER)
                reply = {"model": "jev-1.13.0", "answers": ANSWERS, "usage": {"input_tokens": 318, "output_tokens": 9}}
                server.answers = {"/v1/systemone": Answer(200, json.dumps(reply).encode())}
                asked = {"state": {"mail": "hello"}, "questions": QUESTIONS}
                result = json.loads(await w.call(loop_id, "e1", "decide", asked))
                (request,) = server.requests
                assert (request.method, request.headers["authorization"]) == ("POST", "Bearer secret")
                assert json.loads(request.body) == {"model": "jev-1.13.0", **asked}
                assert result["answers"]["attention"]["choice"] == "defer", "uncertainty is an answer"
                assert result["answers"]["attention"]["confidence_bps"] == 4321
                assert result["answers"]["invoices"] == {"type": "noul", "noul": 0.95, "noul_bps": 9500}
                assert result["answers"]["urgent"] == {**ANSWERS["urgent"], "score_bps": 12_500, "confidence_bps": 2000}
                assert (result["engine"], result["usage"]) == ("jev-1.13.0", {"input_tokens": 318})
                await w.call(loop_id, "e2", "decide", asked)
                found = await w.get(loop_id)
                assert (found["decisions"], found["input_tokens"]) == (2, 636)
                assert Decimal(found["cost_usd"]) == Decimal("0.042") * 636 / 10**6

    asyncio.run(run())


def answered(**changed: Value) -> Answer:
    """An answer that is right but for what is changed: whole answers, or members of one."""
    answers = {
        name: value if not isinstance(value, dict) or name not in ANSWERS else {**ANSWERS[name], **value}
        for name, value in {**ANSWERS, **changed}.items()
        if value is not ...
    }
    return Answer(200, json.dumps({"model": "m", "answers": answers, "usage": {"input_tokens": 100}}).encode())


def test_what_the_cases_below_change_is_right_otherwise(tmp_path: Path) -> None:
    assert asked_once(tmp_path, answered()) == (True, 100)


def asked_once(folder: Path, answer: Answer) -> tuple[bool, int]:
    """Whether a Loop that asks gets an answer, and the tokens that it is charged."""

    async def run() -> tuple[bool, int]:
        async with Loopback() as server:
            settings = DecisionSettings(server.url + "/", "secret")
            async with world(f"sqlite:///{folder}/x.db", folder, decisions=settings) as w:
                loop_id = await w.loop(CALLER)
                server.answers = {"/": answer}
                line = await w.call(loop_id, "e1", "decide", {"state": "x", "questions": QUESTIONS})
                assert len(server.requests) == 1, "it was asked, and once"
                assert line == "-5" or "noul_bps" in line
                if line == "-5":
                    assert [each for each in await w.lines(loop_id) if each.startswith("decide failed: ")]
                return line != "-5", int((await w.get(loop_id))["input_tokens"])

    return asyncio.run(run())


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500, b"{}"),
        Answer(401, b'{"error": "no such key"}'),
        Answer(307, b"", {"Location": "/elsewhere"}),
        Answer(200, b"not JSON"),
        Answer(200, b"[]"),
        Answer(200, b"[" * 20_000),
        Answer(200, json.dumps({"answers": ANSWERS}).encode()),
        Answer(200, json.dumps({"answers": ANSWERS, "usage": {"input_tokens": -1}}).encode()),
        Answer(200, json.dumps({"answers": ANSWERS, "usage": {"input_tokens": True}}).encode()),
        Answer(200, json.dumps({"answers": ANSWERS, "usage": {"input_tokens": 1.5}}).encode()),
        Answer(200, b'{"pad": "' + b"x" * 70_000 + b'"}'),
    ],
)
def test_what_is_no_answer_is_an_error_and_costs_nothing(tmp_path: Path, answer: Answer) -> None:
    assert asked_once(tmp_path, answer) == (False, 0)


SHARES = ANSWERS["attention"]["probabilities"]


@pytest.mark.parametrize(
    "changed",
    [
        {"invoices": ...},
        {"more": {"type": "noul", "noul": 0.5}},
        {"invoices": 0.95},
        {"invoices": {"type": "choice"}},
        {"invoices": {"noul": 1.5}},
        {"invoices": {"noul": -0.01}},
        {"invoices": {"noul": "0.5"}},
        {"invoices": {"noul": True}},
        {"invoices": {"noul": None}},
        {"attention": {"choice": "other"}},
        {"attention": {"choice": None}},
        {"attention": {"confidence": None}},
        {"attention": {"confidence": 1.01}},
        {"attention": {"probabilities": None}},
        {"attention": {"probabilities": {"defer": 0.7, "notify": 0.3}}},
        {"attention": {"probabilities": {**SHARES, "other": 0}}},
        {"attention": {"probabilities": {**SHARES, "defer": 0.5}}},
        {"attention": {"probabilities": {**SHARES, "defer": 1.7, "notify": -0.8}}},
        {"urgent": {"score": 2.01}},
        {"urgent": {"score": -0.01}},
        {"urgent": {"confidence": 2}},
        {"urgent": {"legend": ["whenever", "tomorrow", "immediately"]}},
        {"urgent": {"legend": {"3": "never"}}},
        {"urgent": {"legend": None}},
        {"urgent": {"probabilities": [0.1, 0.55, 0.35]}},
        {"urgent": {"probabilities": {"whenever": 0.1, "tomorrow": 0.55, "immediately": 0.35}}},
        {"urgent": {"probabilities": {"0": 0.1, "1": 0.55}}},
    ],
)
def test_what_is_not_as_the_format_has_it_is_an_error_whose_tokens_are_spent(
    tmp_path: Path, changed: dict[str, Value]
) -> None:
    assert asked_once(tmp_path, answered(**changed)) == (False, 100)


@pytest.mark.parametrize(
    "changed",
    [
        {"invoices": {"noul": 0}},
        {"invoices": {"noul": 1}},
        {"invoices": {"more": "of something later"}},
        {"attention": {"probabilities": {"defer": 0.705, "notify": 0.205, "quiet": 0.105}}},
        {"urgent": {"score": 2}},
        {"urgent": {"score": 0}},
        {"urgent": {"legend": {"2": "immediately"}}},
    ],
)
def test_its_neighbours_are_answers(tmp_path: Path, changed: dict[str, Value]) -> None:
    assert asked_once(tmp_path, answered(**changed)) == (True, 100)


def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    async def run() -> None:
        settings = DecisionSettings("http://127.0.0.1:1/", "secret")
        async with world(f"sqlite:///{tmp_path}/x.db", tmp_path, decisions=settings) as w:
            asked = {"state": "x", "questions": QUESTIONS}
            loop_id = await w.loop(CALLER)
            assert await w.call(loop_id, "e1", "decide", asked) == "-5"
            assert "decide failed: the model was not reached: " in (await w.lines(loop_id))[-2]

    asyncio.run(run())


BUSY = {"Retry-After": "3"}


@pytest.mark.parametrize(
    ("replies", "pauses", "reached"),
    [
        ([Answer(429, b"")], [0.5], True),
        ([Answer(503, b""), Answer(529, b"")], [0.5, 1.0], True),
        ([Answer(408, b""), Answer(429, b"", BUSY)], [0.5, 3.0], True),
        ([Answer(429, b"", {"Retry-After-Ms": "120", **BUSY})], [0.12], True),
        ([Answer(429, b"", {"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"})], [0.5], True),
        ([Answer(429, b"")] * 3, [0.5, 1.0], False),
        ([Answer(429, b"", {"Retry-After": "6"})], [], False),
        ([Answer(500, b"")], [], False),
        ([Answer(502, b"")], [], False),
        ([Answer(504, b"")], [], False),
        ([Answer(400, b"")], [], False),
        ([answered(invoices=...)], [], False),
    ],
)
def test_it_is_asked_again_where_it_did_nothing_and_only_there(
    replies: list[Answer], pauses: list[float], reached: bool
) -> None:
    async def run() -> None:
        slept: list[float] = []

        async def sleep(seconds: float) -> None:
            slept.append(seconds)
            answer_next()

        def answer_next() -> None:
            server.answers = {"/": left.pop(0) if left else answered()}

        left = list(replies)
        async with Loopback() as server:
            decider = ModelDecider(DecisionSettings(server.url + "/", "secret"), trust(None), sleep)
            answer_next()
            if reached:
                assert (await decider.decide("x", QUESTIONS)).input_tokens == 100
            else:
                with pytest.raises(DecisionFailed):
                    await decider.decide("x", QUESTIONS)
            assert (slept, len(server.requests)) == (pauses, len(pauses) + 1)
            await decider.close()

    asyncio.run(run())


def test_a_model_that_says_nothing_is_asked_once_and_not_waited_for(tmp_path: Path) -> None:
    """It may be working on it: what it does then is charged, so a second question would be charged, too."""

    async def run() -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            asked.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\n")
            while await reader.read(1000):
                pass
            writer.close()

        asked: list[bytes] = []
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        decider = ModelDecider(DecisionSettings(url, "secret", timeout_ms=300), trust(None))
        with pytest.raises(DecisionFailed, match=r"did not answer in 300 ms|ReadTimeout"):
            await decider.decide("x", QUESTIONS)
        assert len(asked) == 1
        await decider.close()
        server.close()

    asyncio.run(run())


@pytest.mark.parametrize("key", ["", "secret"])
def test_a_key_is_sent_if_there_is_one(key: str) -> None:
    async def run() -> None:
        async with Loopback() as server:
            server.answers = {"/": answered()}
            decider = ModelDecider(DecisionSettings(server.url + "/", key), trust(None))
            await decider.decide("x", QUESTIONS)
            assert server.requests[0].headers.get("authorization") == (f"Bearer {key}" if key else None)
            await decider.close()

    asyncio.run(run())


def test_criteria_may_be_any_json_and_null() -> None:
    """As the format has it; the rules count the words of what is not text."""
    criteria = {"billing": {"includes": ["invoices", "refunds"]}, "other": None}
    questions: dict[str, Value] = {
        "team": {"type": "choice", "instructions": ["Which", "team?"], "criteria": criteria},
        "level": {"type": "score", "instructions": {"question": "?"}, "criteria": [None, {"is": "broken"}]},
        "flag": {"type": "noul", "instructions": "Refunds?", "criteria": {"true": ["yes"], "false": None}},
    }
    answer = decided({"text": "broken refunds"}, **questions)
    assert (answer["team"]["choice"], answer["level"]["score"]) == ("billing", 1.0)
    assert answer["level"]["legend"] == {"0": "", "1": '{"is":"broken"}'}
    assert answer["level"]["probabilities"] == {"0": 0.0, "1": 1.0}


def test_tokens_cost_what_the_price_list_says() -> None:
    assert cost_pico_usd(10**6, Decimal("0.042")) == 42 * 10**9
    assert cost_pico_usd(1, Decimal("0.042")) == 42_000


def decided(state: object, **questions: Value) -> dict[str, Any]:
    decision = asyncio.run(RuleDecider().decide(state, questions))
    assert (decision.engine, decision.input_tokens, decision.cost_pico_usd) == ("local rules, no model", 0, 0)
    return decision.answers


def test_rules_count_words_and_say_when_they_cannot_say() -> None:
    state = {"subject": "The contract needs your signature", "deadline": "today"}
    answer = decided(state, q=CHOICE)["q"]
    assert (answer["choice"], answer["confidence_bps"]) == ("notify", 10_000)
    answer = decided("nothing of that", q=CHOICE)["q"]
    assert (answer["choice"], answer["confidence_bps"]) == ("defer", 0)
    assert decided("please come immediately", q=SCORE)["q"]["score_bps"] == 20_000
    assert decided("open invoices", q=NOUL)["q"]["noul_bps"] > decided("a poem", q=NOUL)["q"]["noul_bps"]
    assert decided(state, q=CHOICE) == decided(state, q=CHOICE)


@pytest.mark.parametrize(
    "questions",
    [
        {},
        [],
        None,
        {"q": {}},
        {"q": {**CHOICE, "type": "tool"}},
        {"q": {**CHOICE, "criteria": {"one": "x"}}},
        {"q": {**CHOICE, "criteria": None}},
        {"q": {**SCORE, "criteria": ["one"]}},
        {"q": {**NOUL, "criteria": {"maybe": "x"}}},
        {"q": {**NOUL, "instructions": ""}},
        {"q": {**NOUL, "tools": []}},
        {f"q{n}": NOUL for n in range(17)},
    ],
)
def test_what_are_no_questions_is_refused(questions: object) -> None:
    with pytest.raises(QuestionRefused):
        asyncio.run(RuleDecider().decide("x", questions))
