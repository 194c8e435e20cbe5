"""The one way to say that a query matched nothing: it names the query and its window, and claims no more than that."""

from typing import Any

from superbiz.domain import canonical
from superbiz.domain.evidence import Invocation
from superbiz.domain.summary import input_summary
from superbiz.errors import Invalid

ABSENCE = "No matching evidence was found by {query} over {window}."
UNSTATED_WINDOW = "the window that it asked for"


def absence_text(call: Invocation) -> str:
    """Scoped wording for an empty, complete result. It says nothing about what exists beyond that query and window."""
    params = input_summary({key: value for key, value in call.input_params.items() if key not in ("window", "start", "end")})
    return ABSENCE.format(query=f"{call.tool_name} ({params})" if params else call.tool_name, window=_window(call))


def _window(call: Invocation) -> str:
    """An empty output is short, so that its preview holds it whole, with the window that the tool really covered."""
    try:
        output = canonical.loads(call.output_preview)
    except Invalid:
        output = None
    spans = (output.get("window") if isinstance(output, dict) else None, call.input_params.get("window"), call.input_params)
    return next((told for span in spans if (told := _span(span))), UNSTATED_WINDOW)


def _span(span: Any) -> str | None:
    if not isinstance(span, dict) or not isinstance(span.get("start"), str) or not isinstance(span.get("end"), str):
        return None
    return f"{span['start']} to {span['end']}"
