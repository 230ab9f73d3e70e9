"""Questions as the System One wire format has them, and what answers to them must look like.

    choice   criteria {option: what it means}, 2 to 255      -> choice, confidence, probabilities by option
    noul     criteria {"true": ..., "false": ...}, optional   -> noul: the probability of yes
    score    criteria [level, ...], 2 to 10, in order         -> score: a position along them, 0 to the last one's;
                                                                 legend, probabilities by position, as text: {"0": ...}

Meanings, levels and instructions are text or other JSON; a meaning or level may be null, which leaves it to its name.
Probabilities are rounded by who gives them, so they add up to one only nearly. An answer that is not so is no answer.
Guests have no fractions, so every answer also gets its numbers in basis points: confidence_bps, noul_bps, score_bps.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runtime.sdk.values import Value, encode
from salix.service.decisions.asking import DecisionFailed, QuestionRefused

MOST_QUESTIONS = 16
_ROUNDED = 0.005  # by how much each probability may be off


class Question(NamedTuple):
    """One question. `options`: a choice's options or a score's positions, in order, with what they mean."""

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
            options = tuple((option, _text(meaning)) for option, meaning in criteria.items())
        case "score":
            if not isinstance(criteria, list) or not 2 <= len(criteria) <= 10:
                raise refuse("a score has criteria for 2 to 10 levels, in order")
            options = tuple((str(position), _text(level)) for position, level in enumerate(criteria))
        case "noul":
            if criteria is not None and not (isinstance(criteria, dict) and set(criteria) <= {"true", "false"}):
                raise refuse("a noul has criteria for true and false, or none")
            options = ()
        case _:
            raise refuse("type must be choice, noul or score")
    return Question(given["type"], instructions, options)


def _text(meaning: Value) -> str:
    if meaning is None:
        return ""
    return meaning if isinstance(meaning, str) else encode(meaning).decode()


def answers_for(questions: Mapping[str, Question], given: Value) -> dict[str, Value]:
    """The answers, one to each question, with their numbers in basis points. Raises DecisionFailed."""
    if not isinstance(given, dict) or set(given) != set(questions):
        raise DecisionFailed("the answers are not those to the questions")
    return {name: _answer(name, question, given[name]) for name, question in questions.items()}


def _answer(name: str, question: Question, given: Value) -> Value:
    if not isinstance(given, dict) or given.get("type") != question.type:
        raise DecisionFailed(f"the answer to {name!r} is no {question.type}")
    options = [option for option, _ in question.options]
    answer: dict[str, Value] = {"type": question.type}
    match question.type:
        case "choice":
            if given.get("choice") not in options:
                raise DecisionFailed(f"the answer to {name!r} is none of its options")
            answer["choice"] = given["choice"]
            answer |= _number(name, given, "confidence", 1)
            answer["probabilities"] = _probabilities(name, given, options)
        case "noul":
            answer |= _number(name, given, "noul", 1)
        case _:
            answer |= _number(name, given, "score", len(options) - 1)
            if "confidence" in given:
                answer |= _number(name, given, "confidence", 1)
            legend = given.get("legend")
            if not isinstance(legend, dict) or not set(legend) <= set(options):
                raise DecisionFailed(f"the answer to {name!r} has no legend of its levels")
            answer |= {"legend": legend, "probabilities": _probabilities(name, given, options)}
    return answer


def _number(name: str, given: Mapping[str, Value], member: str, high: float) -> dict[str, Value]:
    """A number from 0 to `high`, and the same in basis points."""
    value = _fraction(name, given.get(member), high)
    return {member: value, f"{member}_bps": round(value * 10_000)}


def _fraction(name: str, value: Value, high: float) -> float:
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 <= value <= high:
        raise DecisionFailed(f"the answer to {name!r} has a number that is none from 0 to {high}")
    return float(value)


def _probabilities(name: str, given: Mapping[str, Value], options: Sequence[str]) -> Value:
    """One of each option, in the order of the question."""
    found = given.get("probabilities")
    if not isinstance(found, dict) or set(found) != set(options):
        raise DecisionFailed(f"the answer to {name!r} does not have the probabilities of its options")
    shares = {option: _fraction(name, found[option], 1) for option in options}
    if abs(sum(shares.values()) - 1) > _ROUNDED * (len(shares) + 1):
        raise DecisionFailed(f"the probabilities in the answer to {name!r} do not add up to one")
    return shares
