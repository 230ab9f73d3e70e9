"""The decider that asks a model: the System One wire format over HTTP.

POST url, Authorization: Bearer KEY
{model, state, questions}  ->  {answers, usage: {input_tokens}}
"""

from __future__ import annotations

import ssl
from decimal import Decimal

import httpx

from runtime.sdk.values import Value
from salix.service import outside
from salix.service.decisions.asking import Decision, DecisionFailed
from salix.service.decisions.questions import answers_for, questions_of
from salix.service.settings import DecisionSettings

_MAX_ANSWER_BYTES = 64 * 1024
_PICO_PER_TOKEN = 10**6  # a price in USD per million tokens, times this, is 10^-12 USD per token


def cost_pico_usd(input_tokens: int, price: Decimal) -> int:
    """What so many tokens cost, in 10^-12 USD; price: of a million, in USD."""
    return int(input_tokens * price * _PICO_PER_TOKEN)


class ModelDecider:
    """See the module."""

    def __init__(self, settings: DecisionSettings, trusted: ssl.SSLContext) -> None:
        assert settings.url is not None
        self._url, self._settings = settings.url, settings
        self._client = outside.client(trusted, settings.timeout_ms)
        self._client.headers["Accept-Encoding"] = "identity"
        if settings.key:  # a server of one's own may want none, and a header that ends in a blank is none
            self._client.headers["Authorization"] = f"Bearer {settings.key}"

    async def decide(self, state: Value, questions: Value) -> Decision:
        asked = questions_of(questions)
        request = {"model": self._settings.model, "state": state, "questions": questions}
        try:
            async with self._client.stream("POST", self._url, json=request) as reply:
                body = bytearray()
                async for part in reply.aiter_raw():
                    body += part
                    if len(body) > _MAX_ANSWER_BYTES:
                        raise DecisionFailed("the answer is too large")
                if reply.status_code != httpx.codes.OK:
                    raise DecisionFailed(f"the model's server answered {reply.status_code}")
                answer = httpx.Response(200, content=bytes(body)).json()
        except (httpx.HTTPError, ValueError) as error:
            raise DecisionFailed(f"the model was not reached: {outside.why(error)}") from error
        if not isinstance(answer, dict):
            raise DecisionFailed("the answer is no object")
        usage = answer.get("usage")
        tokens = usage.get("input_tokens") if isinstance(usage, dict) else None
        if type(tokens) is not int or not 0 <= tokens < 1 << 40:
            raise DecisionFailed("the answer does not say how many tokens it took")
        engine = str(answer.get("model", self._settings.model))[:128]
        answers = answers_for(asked, answer.get("answers"))
        return Decision(answers, engine, tokens, cost_pico_usd(tokens, self._settings.price))

    async def close(self) -> None:
        await self._client.aclose()
