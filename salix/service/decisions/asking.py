"""What whoever answers questions promises, and how it fails."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from runtime.sdk.values import Value


class QuestionRefused(Exception):
    """These are no questions; the message says which is not, and why."""


class DecisionFailed(Exception):
    """There is no answer: nobody was reached, or what came back is none. Not that the answer is unsure.

    input_tokens, cost_pico_usd: what it took all the same, as far as whoever did not answer said so.
    """

    def __init__(self, message: str, input_tokens: int = 0, cost_pico_usd: int = 0) -> None:
        self.input_tokens, self.cost_pico_usd = input_tokens, cost_pico_usd
        super().__init__(message)


class Decision(NamedTuple):
    """The answers by the names of the questions; who gave them; what they cost, in 10^-12 USD."""

    answers: dict[str, Value]
    engine: str
    input_tokens: int
    cost_pico_usd: int


class Decider(Protocol):
    """Answers questions about a state."""

    async def decide(self, state: Value, questions: Value) -> Decision:
        """Raises QuestionRefused, DecisionFailed."""

    async def close(self) -> None:
        """Give up connections."""
