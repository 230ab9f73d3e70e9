"""Questions as the System One wire format has them, and what answers to them must look like.

    choice   criteria {option: what it means}, 2 to 255      -> choice, confidence, probabilities by option
    noul     criteria {"true": ..., "false": ...}, optional   -> noul: the probability of yes
    score    criteria [level, ...], 2 to 10, in order         -> score: a position along them, legend, probabilities

Guests have no fractions, so every answer also gets its numbers in basis points: confidence_bps, noul_bps, score_bps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runtime.sdk.values import Value
from salix.service.decisions.asking import DecisionFailed, QuestionRefused

MOST_QUESTIONS = 16


class Question(NamedTuple):
    """One question. `options`: a choice's options or a score's levels, in order, with their meanings."""

    type: str
    instructions: Value
    options: tuple[tuple[str, str], ...]


def questions_of(given: Value) -> dict[str, Question]:
    """Raises QuestionRefused."""
    if not isinstance(given, dict) or not 1 <= len(given) <= MOST_QUESTIONS:
        raise QuestionRefused(f"questions must be an object of 1 to {MOST_QUESTIONS}")
    return {name: _question(name, question) for name, question in given.items()}


def _question(name: str, given: Value) -> Question:
    def refuse(why: str) -> QuestionRefused:
        return QuestionRefused(f"question {name[:64]!r}: {why}")

    if not isinstance(given, dict) or not set(given) <= {"type", "instructions", "criteria"}:
        raise refuse("must be an object of type, instructions and criteria")
    instructions, criteria = given.get("instructions"), given.get("criteria")
    if not isinstance(instructions, str | dict | list) or not instructions:
        raise refuse("instructions are missing")
    match given.get("type"):
        case "choice":
            if not isinstance(criteria, dict) or not 2 <= len(criteria) <= 255:
                raise refuse("a choice has criteria for 2 to 255 options")
            options = tuple((option, str(meaning or "")) for option, meaning in criteria.items())
        case "score":
            if not isinstance(criteria, list) or not 2 <= len(criteria) <= 10:
                raise refuse("a score has criteria for 2 to 10 levels, in order")
            options = tuple((str(level), str(level)) for level in criteria)
        case "noul":
            if criteria is not None and not (isinstance(criteria, dict) and set(criteria) <= {"true", "false"}):
                raise refuse("a noul has criteria for true and false, or none")
            options = ()
        case _:
            raise refuse("type must be choice, noul or score")
    return Question(given["type"], instructions, options)


def answers_for(questions: Mapping[str, Question], given: Value) -> dict[str, Value]:
    """The answers, one to each question, with their numbers in basis points. Raises DecisionFailed."""
    if not isinstance(given, dict) or set(given) != set(questions):
        raise DecisionFailed("the answers are not those to the questions")
    return {name: _answer(name, question, given[name]) for name, question in questions.items()}


def _answer(name: str, question: Question, given: Value) -> Value:
    if not isinstance(given, dict) or given.get("type") != question.type:
        raise DecisionFailed(f"the answer to {name!r} is no {question.type}")
    match question.type:
        case "choice":
            names = [option for option, _ in question.options]
            if given.get("choice") not in names:
                raise DecisionFailed(f"the answer to {name!r} is none of its options")
            confidence = _number(name, given.get("confidence"), 0, 1)
            answer = {"type": "choice", "choice": given["choice"], "confidence": confidence}
            answer |= {"confidence_bps": round(confidence * 10_000)}
            answer |= {"probabilities": _probabilities(name, given.get("probabilities"), names)}
        case "noul":
            noul = _number(name, given.get("noul"), 0, 1)
            answer = {"type": "noul", "noul": noul, "noul_bps": round(noul * 10_000)}
        case _:
            score = _number(name, given.get("score"), 0, len(question.options))
            answer = {"type": "score", "score": score, "score_bps": round(score * 10_000)}
            answer |= {key: given[key] for key in ("legend", "confidence", "probabilities") if key in given}
    return answer


def _number(name: str, value: Value, low: float, high: float) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
        raise DecisionFailed(f"the answer to {name!r} has a number that is none from {low} to {high}")
    return float(value)


def _probabilities(name: str, given: Value, names: Sequence[str]) -> Value:
    if not isinstance(given, dict) or not set(given) <= set(names):
        raise DecisionFailed(f"the answer to {name!r} has probabilities of something else")
    return {option: _number(name, value, 0, 1) for option, value in given.items()}
