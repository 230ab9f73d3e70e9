"""decide: the wire format to a model on loopback, and the rules where there is none."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from runtime.sdk.values import Value
from salix.service.decisions.asking import QuestionRefused
from salix.service.decisions.model import cost_pico_usd
from salix.service.decisions.rules import RuleDecider
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
ANSWERS = {
    "attention": {"type": "choice", "choice": "defer", "confidence": 0.4321, "probabilities": {"defer": 0.7}},
    "invoices": {"type": "noul", "noul": 0.95},
    "urgent": {"type": "score", "score": 1.25, "legend": SCORE["criteria"], "probabilities": [0.1, 0.55, 0.35]},
}
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
                assert result["answers"]["urgent"]["score_bps"] == 12_500
                assert (result["engine"], result["usage"]) == ("jev-1.13.0", {"input_tokens": 318})
                await w.call(loop_id, "e2", "decide", asked)
                found = await w.get(loop_id)
                assert (found["decisions"], found["input_tokens"]) == (2, 636)
                assert Decimal(found["cost_usd"]) == Decimal("0.042") * 636 / 10**6

    asyncio.run(run())


@pytest.mark.parametrize(
    "answer",
    [
        Answer(500, b"{}"),
        Answer(200, b"not JSON"),
        Answer(200, b"[]"),
        Answer(200, b'{"answers": {}, "usage": {"input_tokens": 1}}'),
        Answer(200, json.dumps({"answers": ANSWERS}).encode()),
        Answer(200, json.dumps({"answers": ANSWERS, "usage": {"input_tokens": -1}}).encode()),
        Answer(200, json.dumps({"answers": {**ANSWERS, "invoices": {"type": "noul", "noul": 1.5}},
                                "usage": {"input_tokens": 1}}).encode()),
        Answer(200, json.dumps({"answers": {**ANSWERS, "attention": {**ANSWERS["attention"], "choice": "other"}},
                                "usage": {"input_tokens": 1}}).encode()),
        Answer(200, b'{"pad": "' + b"x" * 70_000 + b'"}'),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_an_error_and_costs_nothing(tmp_path: Path, answer: Answer) -> None:
    async def run() -> None:
        async with Loopback() as server:
            settings = DecisionSettings(server.url + "/")
            async with world(f"sqlite:///{tmp_path}/x.db", tmp_path, decisions=settings) as w:
                loop_id = await w.loop(CALLER)
                server.answers = {"/": answer}
                assert await w.call(loop_id, "e1", "decide", {"state": "x", "questions": QUESTIONS}) == "-5"
                assert (await w.get(loop_id))["input_tokens"] == 0

    asyncio.run(run())


def test_a_model_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    async def run() -> None:
        settings = DecisionSettings("http://127.0.0.1:1/")
        async with world(f"sqlite:///{tmp_path}/x.db", tmp_path, decisions=settings) as w:
            asked = {"state": "x", "questions": QUESTIONS}
            assert await w.call(await w.loop(CALLER), "e1", "decide", asked) == "-5"

    asyncio.run(run())


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
