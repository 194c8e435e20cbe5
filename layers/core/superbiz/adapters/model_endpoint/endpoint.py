"""`ModelEndpoint`: one question, one answer, with bounded and jittered retries inside the time that is given."""

import asyncio
import logging
import random
import ssl
import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cached_property
from typing import NamedTuple, NoReturn

from pydantic import ValidationError

from superbiz.adapters.model_endpoint import answers, faults
from superbiz.adapters.model_endpoint.abilities import Abilities, adapted, learned, request
from superbiz.adapters.model_endpoint.answers import Answer
from superbiz.adapters.model_endpoint.faults import Fault
from superbiz.domain.values import JsonObject
from superbiz.errors import Unavailable
from superbiz.ports import ModelAsk, ModelReply, Permit, Settle

LOG = logging.getLogger(__name__)
TRIES = 4
FIRST_DELAY, LONGEST_DELAY = 0.5, 8.0
LEAST_SECONDS = 0.2


class Prices(NamedTuple):
    """US dollars a million tokens."""

    input: float = 0.0
    output: float = 0.0

    def cost(self, input_tokens: int, output_tokens: int) -> float:
        return (input_tokens * self.input + output_tokens * self.output) / 1_000_000


FREE = Prices()


class ModelEndpoint:
    """Implements `ModelClient`. One object a process: it remembers what the endpoint can do.

    `timeout` bounds one request, `ask.seconds` all of them. `key_provider` is asked when a request is made, so that a new key is taken up.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        key_provider: Callable[[], str],
        timeout: float = 60.0,
        prices: Prices = FREE,
        *,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._base_url, self._model, self._key = base_url, model, key_provider
        self._timeout, self._prices = timeout, prices
        self._sleep, self._jitter = sleep, jitter
        self._abilities = Abilities()

    def complete(self, ask: ModelAsk, permit: Permit) -> ModelReply:
        """Raises Unavailable, Rejected or Broken, and whatever `permit` raises."""
        until = time.monotonic() + ask.seconds
        abilities = self._known(ask)
        tries = 0
        while True:
            body = request(self._model, ask, abilities)
            settle = permit(answers.request_tokens(body) + ask.max_tokens)
            result = self._send(body, min(self._timeout, until - time.monotonic()))
            if isinstance(result, Answer):
                return self._accept(result, ask, abilities, settle)
            LOG.warning("model endpoint: %s; it said %r", result.error.message, result.said)
            if not result.lost:
                settle(0)
            if result.refusal and (other := adapted(abilities, result.refusal)):
                abilities = other
                continue
            tries += 1
            self._wait(result, tries, until)

    def _known(self, ask: ModelAsk) -> Abilities:
        if self._abilities.proven or not ask.known:
            return self._abilities
        try:
            return Abilities.model_validate(ask.known)
        except ValidationError:
            return self._abilities

    def _accept(self, answer: Answer, ask: ModelAsk, abilities: Abilities, settle: Settle) -> ModelReply:
        settle(answer.input_tokens + answer.output_tokens)
        self._abilities = learned(abilities, answer.text, answer.finish, ask.schema)
        cost = self._prices.cost(answer.input_tokens, answer.output_tokens)
        return ModelReply(
            answer.text,
            answer.finish,
            answer.input_tokens,
            answer.output_tokens,
            answer.estimated,
            cost,
            answer.model,
            self._abilities.to_json(),
        )

    def _send(self, body: JsonObject, seconds: float) -> Answer | Fault:
        if seconds < LEAST_SECONDS:
            return Fault(Unavailable("no time is left to ask the model", code="MODEL_TIMEOUT"))
        try:
            raw = asyncio.run(self._post(body, seconds))
        except Exception as e:
            fault = faults.of_vendor(e, datetime.now(UTC))
            if fault is None:
                raise
            return fault
        return answers.read(raw, body, datetime.now(UTC))

    async def _post(self, body: JsonObject, seconds: float) -> bytes:
        """The time-out holds for the whole answer: an endpoint that drips white space to keep the line open can not stretch it."""
        import openai

        transport = openai.DefaultAsyncHttpxClient(verify=self._tls, timeout=seconds)
        key = self._key().strip() or "none"
        client = openai.AsyncOpenAI(api_key=key, base_url=self._base_url, max_retries=0, timeout=seconds, http_client=transport)
        client.organization = client.project = None  # the environment's OPENAI_ORG_ID is no setting of ours
        async with client, asyncio.timeout(seconds):
            response = await client.chat.completions.with_raw_response.create(**body)
            return response.content

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """As the client would make it for each request; it takes 40 ms, so it is made once."""
        import httpx2

        return httpx2.create_ssl_context()

    def _wait(self, fault: Fault, tries: int, until: float) -> None:
        """Sleep until the next try, or raise what happened where there is none."""
        if not fault.retry or tries >= TRIES:
            raise fault.error
        left = until - time.monotonic()
        delay = fault.after if fault.after is not None else self._back_off(tries)
        if delay + LEAST_SECONDS > left:
            self._out_of_time(fault, delay, left)
        self._sleep(delay)

    def _back_off(self, tries: int) -> float:
        """Exponential, half of it by chance, so that many runs do not come back at once."""
        full = min(LONGEST_DELAY, FIRST_DELAY * 2.0 ** (tries - 1))
        return full * (0.5 + 0.5 * self._jitter())

    def _out_of_time(self, fault: Fault, delay: float, left: float) -> NoReturn:
        message = f"{fault.error.message}; the next try in {delay:.1f} s would be too late, {max(left, 0.0):.1f} s are left"
        raise type(fault.error)(message, code=fault.error.code, mend=fault.error.mend)
