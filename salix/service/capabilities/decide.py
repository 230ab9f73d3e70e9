"""decide: a typed question to a small model. It only answers; what the answer is good for is the Loop's to say."""

from __future__ import annotations

from runtime.sdk.values import Value
from salix.service.capabilities.calling import Call, Denied, Failed
from salix.service.decisions.asking import DecisionFailed, QuestionRefused
from salix.store import loops


async def decide(call: Call) -> Value:
    """{state, questions} -> {answers, engine, usage}. questions: {name: {type, instructions, criteria}}, at most 16.

    choice: criteria {option: meaning}, 2 to 255; the answer has choice, confidence, confidence_bps, probabilities.
    noul: yes or no, criteria {"true": ..., "false": ...} or none; the answer has noul, how likely yes is, noul_bps.
    score: criteria [level, ...], 2 to 10 in order; the answer has score, a position along them from 0 to the last
    one's, score_bps, and legend and probabilities by position, {"0": ...}.
    Guests have no fractions: ..._bps are basis points.

    That the model is not sure is an answer; that it cannot be reached, or says what is none, is SF_HOST_ERROR. Tokens
    are charged to the Loop.
    """
    given = call.members(("state", "questions"))
    await call.current()
    try:
        decision = await call.decider.decide(given["state"], given["questions"])
    except QuestionRefused as refused:
        raise Denied(str(refused)) from refused
    except DecisionFailed as failed:
        async with call.store.write() as tx:
            if failed.input_tokens:
                await loops.account(tx, call.attachment.loop_id, failed.input_tokens, failed.cost_pico_usd)
            await call.record(tx, "decide", "failed", str(failed))
        raise Failed(str(failed)) from failed
    async with call.store.write() as tx:  # also for a Loop that was paused meanwhile: the tokens are spent
        await loops.account(tx, call.attachment.loop_id, decision.input_tokens, decision.cost_pico_usd)
        await call.record(tx, "decide", "answered", f"{decision.input_tokens} tokens, {decision.engine}")
    return {
        "answers": decision.answers,
        "engine": decision.engine,
        "usage": {"input_tokens": decision.input_tokens},
    }
