"""The decider where no model is configured: counts words that a state shares with each option. Free, deterministic.

It understands nothing. An option is as likely as the words of its criterion that the state has too are many; words of
three letters and less do not count. Where nothing speaks for any option, the one that stands for "cannot say" is
chosen, if there is one (defer, none, unknown, unsure), with no confidence. `engine` in every answer says who answered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from runtime.sdk.values import Value, encode
from salix.service.decisions.asking import Decision
from salix.service.decisions.questions import Question, answers_for, questions_of

ENGINE = "local rules, no model"
_WORD = re.compile(r"[^\W\d_]{4,}")
_CANNOT_SAY = ("defer", "none", "unknown", "unsure")


class RuleDecider:
    """See the module."""

    async def decide(self, state: Value, questions: Value) -> Decision:
        asked = questions_of(questions)
        words = _words(state)
        return Decision(answers_for(asked, {name: _answer(q, words) for name, q in asked.items()}), ENGINE, 0, 0)

    async def close(self) -> None:
        """There is nothing to give up."""


def _words(value: Value) -> set[str]:
    text = value if isinstance(value, str) else encode(value).decode()
    return {word.lower() for word in _WORD.findall(text)}


def _answer(question: Question, words: set[str]) -> Value:
    if question.type == "noul":
        wanted = _words(question.instructions)
        return {"type": "noul", "noul": _part(len(wanted & words), max(1, len(wanted)))}
    weights = [len(_words(f"{name} {meaning}") & words) for name, meaning in question.options]
    names = [name for name, _ in question.options]
    total = sum(weights)
    shares = [_part(weight, total) if total else _part(1, len(weights)) for weight in weights]
    best = weights.index(max(weights)) if total else _cannot_say(names)
    rest = max((share for index, share in enumerate(shares) if index != best), default=0.0)
    found: dict[str, Value] = {
        "type": question.type,
        "confidence": max(0.0, round(shares[best] - rest, 4)) if total else 0.0,
        "probabilities": dict(zip(names, shares, strict=True)),
    }
    if question.type == "score":
        position = min(sum(index * share for index, share in enumerate(shares)), len(shares) - 1)
        return {**found, "score": round(position, 4), "legend": dict(question.options)}
    return {**found, "choice": names[best]}


def _cannot_say(names: Sequence[str]) -> int:
    return next((names.index(name) for name in _CANNOT_SAY if name in names), 0)


def _part(part: int, whole: int) -> float:
    return round(part / whole, 4)
