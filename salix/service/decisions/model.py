"""The decider that asks a model: the System One wire format over HTTP.

    POST url, Authorization: Bearer KEY
    {model, state, questions}  ->  {model, answers, usage: {input_tokens}}

It is asked again, twice at most and in the time that there is, where it certainly did nothing: nobody was there, or it
said that it is too busy. What failed otherwise, or was not answered in time, may have been answered and charged for,
and is the Loop's to repeat. What is no answer in this format is a failure like these, though its tokens are spent.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from decimal import Decimal

import httpx

from runtime.sdk.values import Value
from salix.service import outside
from salix.service.decisions.asking import Decision, DecisionFailed
from salix.service.decisions.questions import answers_for, questions_of
from salix.service.jsontext import strict_json
from salix.service.settings import DecisionSettings

_MAX_ANSWER_BYTES = 64 * 1024
_PICO_PER_TOKEN = 10**6  # a price in USD per million tokens, times this, is 10^-12 USD per token
_TOO_BUSY = (408, 429, 503, 529)
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
_PAUSES_SECONDS = (0.5, 1.0)  # before each attempt but the first, unless the server says for how long
_LONGEST_PAUSE_SECONDS = 5.0


def cost_pico_usd(input_tokens: int, price: Decimal) -> int:
    """What so many tokens cost, in 10^-12 USD; price: of a million, in USD."""
    return int(input_tokens * price * _PICO_PER_TOKEN)


class _NotNow(Exception):
    """It did nothing. pause_seconds: for how long it wants to be left alone, if it says so."""

    def __init__(self, message: str, pause_seconds: float | None = None) -> None:
        self.pause_seconds = pause_seconds
        super().__init__(message)


class ModelDecider:
    """See the module. sleep: for tests."""

    def __init__(
        self,
        settings: DecisionSettings,
        trusted: ssl.SSLContext,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        assert settings.url is not None
        self._url, self._settings, self._sleep = settings.url, settings, sleep
        self._client = outside.client(trusted, settings.timeout_ms)
        self._client.headers["Accept-Encoding"] = "identity"
        if settings.key:  # a server of one's own may want none, and a header that ends in a blank is none
            self._client.headers["Authorization"] = f"Bearer {settings.key}"

    async def decide(self, state: Value, questions: Value) -> Decision:
        asked = questions_of(questions)
        request = {"model": self._settings.model, "state": state, "questions": questions}
        try:
            async with asyncio.timeout(self._settings.timeout_ms / 1000):
                body = await self._persist(request)
        except TimeoutError as error:
            raise DecisionFailed(f"the model did not answer in {self._settings.timeout_ms} ms") from error
        try:
            answer = strict_json(body)
        except ValueError as error:
            raise DecisionFailed(f"the answer is no JSON: {error}") from error
        if not isinstance(answer, dict):
            raise DecisionFailed("the answer is no object")
        usage = answer.get("usage")
        tokens = usage.get("input_tokens") if isinstance(usage, dict) else None
        if type(tokens) is not int or not 0 <= tokens < 1 << 40:
            raise DecisionFailed("the answer does not say how many tokens it took")
        cost = cost_pico_usd(tokens, self._settings.price)
        try:
            answers = answers_for(asked, answer.get("answers"))
        except DecisionFailed as failed:
            raise DecisionFailed(str(failed), tokens, cost) from failed
        return Decision(answers, str(answer.get("model", self._settings.model))[:128], tokens, cost)

    async def close(self) -> None:
        await self._client.aclose()

    async def _persist(self, request: Value) -> bytes:
        """The body of an answer, by one of three attempts."""
        for pause in (*_PAUSES_SECONDS, None):
            try:
                return await self._ask(request)
            except _NotNow as busy:
                wanted = pause if busy.pause_seconds is None else busy.pause_seconds
                if pause is None or wanted is None or wanted > _LONGEST_PAUSE_SECONDS:
                    raise DecisionFailed(str(busy)) from busy
                await self._sleep(wanted)
        raise AssertionError("the last attempt has no pause behind it")

    async def _ask(self, request: Value) -> bytes:
        """Raises _NotNow, DecisionFailed."""
        try:
            async with self._client.stream("POST", self._url, json=request) as reply:
                body = bytearray()
                async for part in reply.aiter_raw():
                    body += part
                    if len(body) > _MAX_ANSWER_BYTES:
                        raise DecisionFailed("the answer is too large")
        except _NOT_SENT as error:
            raise _NotNow(f"the model was not reached: {outside.why(error)}") from error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise DecisionFailed(f"the model was not reached: {outside.why(error)}") from error
        if reply.status_code in _TOO_BUSY:
            raise _NotNow(f"the model's server answered {reply.status_code}", _pause_seconds(reply.headers))
        if reply.status_code != httpx.codes.OK:
            said = bytes(body[:200]).decode(errors="replace")
            raise DecisionFailed(f"the model's server answered {reply.status_code}: {said}")
        return bytes(body)


def _pause_seconds(headers: httpx.Headers) -> float | None:
    """What Retry-After-Ms or Retry-After says; None if neither has a number."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "")
        if value.isascii() and value.isdigit() and len(value) < 10:
            return int(value) * unit
    return None
