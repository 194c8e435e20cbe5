"""The model endpoint against a real HTTP server with the quirks of OpenAI-compatible endpoints."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from superbiz.adapters.model_endpoint import ModelEndpoint, Prices, faults
from superbiz.adapters.model_endpoint.answers import Answer, estimate_tokens, read
from superbiz.adapters.model_endpoint.faults import Fault, retry_after
from superbiz.errors import Broken, BudgetSpent, Rejected, SuperBizError, Unavailable
from superbiz.ports import ModelAsk, ModelMessage, ModelReply
from support.model_server import (
    ModelServer,
    chat,
    cut,
    cut_quietly,
    dripping,
    error,
    raw,
    refuses_json_schema,
    refuses_response_format,
    slow,
)

SCHEMA = {
    "type": "object",
    "properties": {"colour": {"type": "string"}},
    "required": ["colour"],
    "additionalProperties": False,
}
GOOD = chat({"colour": "blue"}, usage=(1000, 500))
KEY = "fake-key-for-tests-only"
CORE = Path(__file__).parents[3] / "layers" / "core"


class Meter:
    """Counts what is permitted and what is settled."""

    def __init__(self, allowed: int = 1_000) -> None:
        self.taken: list[int] = []
        self.settled: list[int] = []
        self._allowed = allowed

    def __call__(self, tokens: int) -> Callable[[int], None]:
        if len(self.taken) == self._allowed:
            raise BudgetSpent("no more")
        self.taken.append(tokens)
        return self.settled.append


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def build_endpoint(server: ModelServer, waits: list[float] | None = None, **fields: Any) -> ModelEndpoint:
    defaults: dict[str, Any] = {"timeout": 5.0, "sleep": (waits if waits is not None else []).append, "jitter": lambda: 1.0}
    return ModelEndpoint(server.base_url, "some-model", lambda: KEY, **(defaults | fields))


def build_ask(**fields: Any) -> ModelAsk:
    messages = (ModelMessage("system", "You name colours as JSON."), ModelMessage("user", "The sky?"))
    return ModelAsk(**({"messages": messages, "schema": SCHEMA, "schema_name": "colour", "max_tokens": 100, "seconds": 20.0} | fields))


def ask(endpoint: ModelEndpoint, meter: Meter | None = None, **fields: Any) -> ModelReply:
    return endpoint.complete(build_ask(**fields), meter or Meter())


def failure(endpoint: ModelEndpoint, meter: Meter | None = None, **fields: Any) -> SuperBizError:
    with pytest.raises(SuperBizError) as caught:
        ask(endpoint, meter, **fields)
    return caught.value


def test_an_answer_comes_with_its_tokens_and_its_price(server: ModelServer) -> None:
    server.script(GOOD)
    reply = ask(build_endpoint(server, prices=Prices(2.0, 8.0)))
    assert (reply.text, reply.finish, reply.estimated) == ('{"colour": "blue"}', "stop", False)
    assert (reply.input_tokens, reply.output_tokens, reply.cost) == (1000, 500, pytest.approx(0.006))
    assert server.keys == [KEY]


def test_structure_is_asked_for_by_strict_json_schema_first(server: ModelServer) -> None:
    server.script(GOOD)
    ask(build_endpoint(server))
    body = server.requests[0]
    assert body["response_format"] == {"type": "json_schema", "json_schema": {"name": "colour", "strict": True, "schema": SCHEMA}}
    assert (body["max_tokens"], body["temperature"], body["model"]) == (100, 0, "some-model")
    assert "JSON schema" not in server.prompt()


def test_a_refused_schema_falls_to_json_object_with_the_schema_in_the_prompt(server: ModelServer) -> None:
    server.refuses = refuses_json_schema
    server.script(GOOD)
    reply = ask(build_endpoint(server))
    assert server.requests[1]["response_format"] == {"type": "json_object"}
    assert json.dumps(SCHEMA, separators=(",", ":")) in server.prompt()
    assert reply.abilities["form"] == "json_object"


def test_a_refused_response_format_falls_to_plain_text(server: ModelServer) -> None:
    server.refuses = refuses_response_format
    server.script(GOOD)
    meter = Meter()
    assert ask(build_endpoint(server), meter).abilities["form"] == "text"
    assert "response_format" not in server.requests[2]
    assert meter.settled == [0, 0, 1500], "a refusal costs nothing"


def test_what_an_endpoint_can_do_is_found_once_a_process(server: ModelServer) -> None:
    server.refuses = refuses_response_format
    server.script(GOOD, GOOD)
    endpoint = build_endpoint(server)
    ask(endpoint)
    ask(endpoint)
    assert len(server.requests) == 3 + 1


def test_what_a_run_has_found_is_not_found_again_by_the_next_process(server: ModelServer) -> None:
    server.refuses = refuses_response_format
    server.script(GOOD, GOOD)
    known = ask(build_endpoint(server)).abilities
    ask(build_endpoint(server), known=known)
    assert len(server.requests) == 3 + 1


def test_rubbish_handed_back_as_abilities_is_passed_over(server: ModelServer) -> None:
    server.script(GOOD)
    assert ask(build_endpoint(server), known={"form": "telepathy"}).abilities["form"] == "json_schema"


def test_a_silently_ignored_schema_is_given_up_for_plain_text(server: ModelServer) -> None:
    server.script(chat("The sky is blue."), GOOD)
    endpoint = build_endpoint(server)
    assert ask(endpoint).text == "The sky is blue."
    ask(endpoint)
    assert "response_format" not in server.requests[1]
    assert '"required":["colour"]' in server.prompt()


def test_an_answer_that_was_cut_by_its_limit_does_not_count_against_the_schema(server: ModelServer) -> None:
    server.script(chat('{"colo', finish="length"), GOOD)
    endpoint = build_endpoint(server)
    assert ask(endpoint).finish == "length"
    ask(endpoint)
    assert server.requests[1]["response_format"]["type"] == "json_schema"


def test_a_bare_400_counts_against_the_form_only_until_an_answer_has_proven_it(server: ModelServer) -> None:
    server.script(raw(b"Bad Request", 400, "text/plain"), GOOD, raw(b"Bad Request", 400, "text/plain"))
    endpoint = build_endpoint(server)
    assert ask(endpoint).abilities["form"] == "json_object"
    assert isinstance(failure(endpoint), Rejected)
    assert len(server.requests) == 3


def test_a_request_that_every_form_refuses_is_rejected_and_nothing_is_remembered(server: ModelServer) -> None:
    server.script(*[error(400, "no"), error(400, "no"), error(400, "no"), GOOD])
    endpoint = build_endpoint(server)
    assert failure(endpoint).code == "MODEL_REQUEST"
    ask(endpoint)
    assert server.requests[3]["response_format"]["type"] == "json_schema"


@pytest.mark.parametrize(
    "refused",
    [
        error(400, "This model's maximum context length is 8192 tokens.", code="context_length_exceeded"),
        error(400, "The response was filtered due to the content management policy.", code="content_filter"),
    ],
)
def test_a_400_with_another_cause_is_not_tried_in_other_forms(server: ModelServer, refused: Any) -> None:
    server.script(refused)
    assert isinstance(failure(build_endpoint(server)), Rejected)
    assert len(server.requests) == 1


def test_the_newer_name_of_the_limit_is_used_where_the_endpoint_wants_it(server: ModelServer) -> None:
    server.script(
        error(400, "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.", param="max_tokens"),
        error(400, "Unsupported value: 'temperature' does not support 0 with this model.", param="temperature"),
        GOOD,
    )
    reply = ask(build_endpoint(server))
    body = server.requests[2]
    assert body["max_completion_tokens"] == 100
    assert not {"max_tokens", "temperature"} & body.keys()
    assert reply.abilities["form"] == "json_schema"


def test_null_content_at_the_limit_is_an_empty_answer_that_says_why(server: ModelServer) -> None:
    server.script(chat(None, finish="length"))
    reply = ask(build_endpoint(server))
    assert (reply.text, reply.finish) == ("", "length")


@pytest.mark.parametrize("answer", [chat(None, refusal="I can not help with that."), chat(None, finish="content_filter")])
def test_a_refusal_is_told_as_one(server: ModelServer, answer: Any) -> None:
    server.script(answer)
    reply = ask(build_endpoint(server))
    assert (reply.text, reply.finish) == ("", "refusal")


def test_content_in_parts_is_joined(server: ModelServer) -> None:
    server.script(chat([{"type": "text", "text": '{"colour":'}, {"type": "text", "text": ' "red"}'}]))
    assert ask(build_endpoint(server)).text == '{"colour": "red"}'


def test_missing_usage_is_estimated_and_said(server: ModelServer) -> None:
    server.script(chat({"colour": "blue"}, usage=None))
    meter = Meter()
    reply = ask(build_endpoint(server), meter)
    assert reply.estimated
    assert reply.input_tokens > 0
    assert reply.output_tokens == estimate_tokens('{"colour": "blue"}')
    assert meter.settled == [reply.input_tokens + reply.output_tokens]


def test_usage_that_makes_no_sense_is_estimated(server: ModelServer) -> None:
    document = json.loads(GOOD.body) | {"usage": {"prompt_tokens": -5, "completion_tokens": "many"}}
    server.script(raw(json.dumps(document).encode()))
    assert ask(build_endpoint(server)).estimated


def test_every_try_is_permitted_before_it_is_sent(server: ModelServer) -> None:
    server.script(error(503), GOOD)
    meter = Meter(allowed=1)
    assert isinstance(failure(build_endpoint(server), meter), BudgetSpent)
    assert len(server.requests) == 1
    assert meter.taken[0] > 100, "the answer's limit is reserved with the request"


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 504, 529])
def test_a_passing_failure_is_tried_again(server: ModelServer, status: int) -> None:
    server.script(error(status), GOOD)
    waits: list[float] = []
    assert ask(build_endpoint(server, waits)).text == '{"colour": "blue"}'
    assert waits == [0.5]


def test_tries_are_bounded_and_waits_grow(server: ModelServer) -> None:
    server.script(*[error(503)] * 9)
    waits: list[float] = []
    meter = Meter()
    assert failure(build_endpoint(server, waits), meter).code == "MODEL_DOWN"
    assert (len(server.requests), waits) == (4, [0.5, 1.0, 2.0])
    assert meter.settled == [0, 0, 0, 0]


def test_half_of_a_wait_is_by_chance(server: ModelServer) -> None:
    server.script(error(503), error(503), GOOD)
    waits: list[float] = []
    ask(build_endpoint(server, waits, jitter=lambda: 0.0))
    assert waits == [0.25, 0.5]


def test_retry_after_is_honoured(server: ModelServer) -> None:
    server.script(error(429, headers={"retry-after": "7"}), GOOD)
    waits: list[float] = []
    ask(build_endpoint(server, waits))
    assert waits == [7.0]


def test_a_wait_beyond_the_deadline_ends_the_call_at_once(server: ModelServer) -> None:
    server.script(error(429, headers={"retry-after": "300"}), GOOD)
    waits: list[float] = []
    raised = failure(build_endpoint(server, waits), seconds=10.0)
    assert (raised.code, waits, len(server.requests)) == ("MODEL_BUSY", [], 1)
    assert "300.0 s would be too late" in raised.message


@pytest.mark.parametrize(
    "answer",
    [
        error(429, "You exceeded your current quota, please check your plan and billing details.", code="insufficient_quota"),
        error(429, "Monthly spend limit reached for this project."),
        error(429, "quota", headers={"retry-after": "20"}, code="insufficient_quota"),
        error(402, "Insufficient Balance"),
    ],
)
def test_an_account_that_has_run_out_is_not_asked_again(server: ModelServer, answer: Any) -> None:
    server.script(answer, GOOD)
    raised = failure(build_endpoint(server))
    assert (type(raised), raised.code, len(server.requests)) == (Unavailable, "MODEL_QUOTA", 1)


def test_a_limit_that_names_a_wait_is_a_busy_minute_whatever_it_says_of_billing(server: ModelServer) -> None:
    server.script(error(429, "You exceeded your current quota, check your plan and billing. Please retry in 32s."), GOOD)
    assert ask(build_endpoint(server)).finish == "stop"


def test_an_endpoint_that_says_not_to_retry_is_believed(server: ModelServer) -> None:
    server.script(error(503, headers={"x-should-retry": "false"}), GOOD)
    assert failure(build_endpoint(server)).code == "MODEL_DOWN"
    assert len(server.requests) == 1


@pytest.mark.parametrize(("cutter", "code"), [(cut, "MODEL_CUT"), (cut_quietly, "MODEL_NONSENSE")])
def test_an_answer_cut_in_its_middle_is_tried_again_and_stays_reserved(server: ModelServer, cutter: Any, code: str) -> None:
    server.script(cutter(GOOD), GOOD)
    meter = Meter()
    assert ask(build_endpoint(server), meter).text == '{"colour": "blue"}'
    assert (len(meter.taken), meter.settled) == (2, [1500]), "what the cut answer cost is unknown: its reservation is not given back"
    server.script(*[cutter(GOOD)] * 4)
    assert failure(build_endpoint(server)).code == code


def test_a_hanging_endpoint_is_given_up_within_the_time_that_is_given(server: ModelServer) -> None:
    server.script(*[slow(GOOD, 2.0)] * 4)
    began = time.monotonic()
    raised = failure(build_endpoint(server, timeout=0.4), seconds=1.0)
    assert raised.code == "MODEL_TIMEOUT"
    assert time.monotonic() - began < 2.0


def test_white_space_on_the_line_does_not_stretch_the_time(server: ModelServer) -> None:
    server.script(dripping(GOOD, 3.0))
    began = time.monotonic()
    assert failure(build_endpoint(server), seconds=0.5).code == "MODEL_TIMEOUT"
    assert time.monotonic() - began < 1.5


def test_white_space_before_an_answer_is_harmless(server: ModelServer) -> None:
    server.script(dripping(GOOD, 0.2))
    assert ask(build_endpoint(server)).text == '{"colour": "blue"}'


def test_an_endpoint_that_is_not_there_is_unavailable_and_costs_nothing() -> None:
    with ModelServer() as gone:
        endpoint = build_endpoint(gone)
    meter = Meter()
    assert failure(endpoint, meter).code == "MODEL_UNREACHABLE"
    assert meter.settled == [0, 0, 0, 0]


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_ours_to_mend_and_repeated_nowhere(server: ModelServer, status: int, caplog: pytest.LogCaptureFixture) -> None:
    server.script(error(status, f"Incorrect API key provided: {KEY}"))
    raised = failure(build_endpoint(server))
    assert (type(raised), raised.code, len(server.requests)) == (Broken, "MODEL_KEY", 1)
    assert KEY not in str(raised) + caplog.text


def test_the_endpoints_own_words_go_to_the_log_and_into_no_error(server: ModelServer, caplog: pytest.LogCaptureFixture) -> None:
    server.script(error(400, "context_length_exceeded: planted sentence"))
    assert "planted" not in str(failure(build_endpoint(server)))
    assert "planted sentence" in caplog.text


def test_an_unknown_model_is_ours_to_mend(server: ModelServer) -> None:
    server.script(error(404, "The model `some-model` does not exist", code="model_not_found"))
    assert isinstance(failure(build_endpoint(server)), Broken)


@pytest.mark.parametrize("address", ["ftp://models.example", "models.example/v1"])
def test_an_unusable_address_is_ours_to_mend(address: str) -> None:
    endpoint = ModelEndpoint(address, "m", lambda: KEY)
    assert isinstance(failure(endpoint), Broken)


def test_the_key_is_asked_for_at_each_request_and_its_line_end_dropped(server: ModelServer) -> None:
    keys = iter(["first\n", "second"])
    server.script(GOOD, GOOD)
    endpoint = ModelEndpoint(server.base_url, "m", lambda: next(keys))
    ask(endpoint)
    ask(endpoint)
    assert server.keys == ["first", "second"]


def test_organisation_variables_of_the_environment_are_not_sent(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "another-fake-key")
    server.script(GOOD)
    ask(build_endpoint(server))
    assert server.keys == [KEY]


@pytest.mark.parametrize(
    "answer",
    [
        raw(b"<html>sign in</html>", content_type="text/html"),
        raw(b"[]"),
        raw(b"null"),
        raw(b'{"choices":[]}'),
        raw(b'{"choices":[{"finish_reason":"stop"}]}'),
        raw(b"\xff\xfe"),
    ],
)
def test_an_answer_that_is_no_chat_completion_is_tried_again(server: ModelServer, answer: Any) -> None:
    server.script(answer, GOOD)
    assert ask(build_endpoint(server)).text == '{"colour": "blue"}'


def test_a_failure_under_status_200_is_read_as_what_it_is(server: ModelServer) -> None:
    server.script(raw(json.dumps({"error": {"code": 402, "message": "Insufficient credits"}}).encode()), GOOD)
    assert failure(build_endpoint(server)).code == "MODEL_QUOTA"


NOW = datetime(2026, 7, 8, 23, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Wed, 08 Jul 2026 23:10:30 GMT"}, 30.0),
        ({"retry-after": "Wed, 08 Jul 2026 23:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_all_its_spellings(headers: dict[str, str], seconds: float | None) -> None:
    assert retry_after(headers, NOW) == seconds


@given(st.text())
def test_any_retry_after_is_a_sane_wait_or_none(text: str) -> None:
    wait = retry_after({"retry-after": text}, NOW)
    assert wait is None or wait >= 0


_KEYS = ("choices", "message", "content", "refusal", "usage", "error", "code")
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["choices", "message", "content", "usage", "error", "code"]), inner)
    ),
    max_leaves=12,
)


@given(_JSON)
def test_any_document_is_an_answer_or_a_fault(document: Any) -> None:
    result = read(json.dumps(document).encode(), {"messages": [], "model": "m"}, NOW)
    assert isinstance(result, Answer | Fault)


@given(st.integers(400, 599), _JSON, st.text())
def test_any_failure_is_one_of_our_errors(status: int, body: Any, header: str) -> None:
    fault = faults.of_status(status, body, {"retry-after": header}, NOW)
    assert isinstance(fault.error, SuperBizError)
    assert fault.retry <= isinstance(fault.error, Unavailable)


@given(st.text(), st.text())
def test_an_estimate_grows_with_the_text(a: str, b: str) -> None:
    assert max(estimate_tokens(a), estimate_tokens(b)) <= estimate_tokens(a + b) <= estimate_tokens(a) + estimate_tokens(b)


def test_the_vendors_library_is_loaded_only_when_a_model_is_asked() -> None:
    imports = "import sys, superbiz.adapters.model_endpoint, superbiz.engines.model"
    code = f"{imports}; print(sorted({{'openai', 'httpx2', 'numpy'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": str(CORE)})
    assert done.stdout.strip() == "[]"
