"""The evidence of one run, as the Gatekeeper reads it: calls by id, and the whole text of any node of their outputs."""

import unicodedata
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

from superbiz.domain import entailment, refs
from superbiz.domain.claims import Binding
from superbiz.domain.entailment import Cited
from superbiz.domain.evidence import EvidenceRef, Invocation
from superbiz.domain.facts import Outcome
from superbiz.domain.gatekeeper import spans
from superbiz.domain.values import Window

_NOTHING = object()


def normalised(text: str) -> str:
    """NFC, runs of white space as one space, trimmed. Case, compatibility forms and zero-width characters are kept."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def is_no_evidence(raw_path: str) -> bool:
    return refs.same_path(raw_path, refs.NO_EVIDENCE)


class EvidenceBook:
    """Calls of other runs are not in the book, even where the mapping holds them.

    `outputs` are parsed stored outputs whose hash was checked; they give the whole text of a ref, where the stored ref may be cut.
    Texts are kept once read, so that many claims on one record cost one reading. `incident` is the span of time in question, where
    there is one; `altered` says of a call whether its stored output is no longer what was recorded.
    """

    def __init__(
        self,
        run_id: str,
        invocations: Mapping[str, Invocation],
        outputs: Mapping[str, Any],
        incident: Window | None = None,
        altered: Callable[[str], bool] = lambda _: False,
    ) -> None:
        self.run_id = run_id
        self.incident = incident
        self.altered = altered
        self.invocations = {key: call for key, call in invocations.items() if call.run_id == run_id}
        self.strangers = frozenset(invocations) - frozenset(self.invocations)
        self._outputs = outputs
        self._refs: dict[tuple[str, refs.Path], EvidenceRef | None] = {}
        self._normalised: dict[tuple[str, refs.Path], str] = {}
        self._stored: dict[str, dict[refs.Path, EvidenceRef]] = {}
        self._windows: dict[str, Window | None] = {}
        self.worked_out: dict[Any, Outcome] = {}  # outcomes of typed facts
        self.elements = 0  # that were read for them
        self._params: dict[str, dict[str, Any]] = {}
        self._cited: dict[tuple[str, str, str], Cited] = {}

    def ref_text(self, invocation_id: str, raw_path: str) -> str | None:
        """The whole text of the ref at this path; None where there is no such call of this run, or no such ref."""
        ref = self._ref(invocation_id, refs.parse_path(raw_path))
        return ref.text if ref else None

    def normalised_text(self, invocation_id: str, raw_path: str) -> str | None:
        parts = refs.parse_path(raw_path)
        ref = self._ref(invocation_id, parts)
        if ref is None or parts is None:
            return None
        key = (invocation_id, parts)
        if key not in self._normalised:
            self._normalised[key] = normalised(ref.text)
        return self._normalised[key]

    @cached_property
    def known(self) -> frozenset[str]:
        """The names of things that the run's calls and outputs hold in fields of names: in a claim they are names, never plain words."""
        here = [self._outputs[key] for key in self.invocations if key in self._outputs]
        return entailment.named_in([*here, *(call.input_params for call in self.invocations.values())])

    def cited(self, bound: Binding) -> Cited:
        """A citation that was found real, with the text of its node and what stands around it."""
        key = (bound.invocation_id, bound.raw_path, bound.evidence_excerpt)
        if key not in self._cited:
            call = self.invocations[bound.invocation_id]
            text = self.ref_text(bound.invocation_id, bound.raw_path) or ""
            around = self.surroundings(bound.invocation_id, bound.raw_path)
            self._cited[key] = Cited(bound.evidence_excerpt, text, around, self.params(bound.invocation_id), call.tool_name)
        return self._cited[key]

    def node(self, invocation_id: str, raw_path: str) -> Any:
        """The cited node itself; its stored text where the output is not at hand."""
        parts = refs.parse_path(raw_path)
        output = self._outputs.get(invocation_id, _NOTHING)
        if parts is None or output is _NOTHING:
            return self.ref_text(invocation_id, raw_path)
        return refs.node_at(output, parts)[1]

    def window(self, invocation_id: str) -> Window | None:
        """The span of time that a call's output says it is about, else the one that it was asked for; None where neither is told."""
        if invocation_id not in self._windows:
            output = self._outputs.get(invocation_id, _NOTHING)
            self._windows[invocation_id] = spans.told(output) or spans.told(self.invocations[invocation_id].input_params)
        return self._windows[invocation_id]

    def params(self, invocation_id: str) -> dict[str, Any]:
        """What a call was asked, as far as it is read beside a record."""
        if invocation_id not in self._params:
            self._params[invocation_id] = refs.bounded(self.invocations[invocation_id].input_params)
        return self._params[invocation_id]

    def surroundings(self, invocation_id: str, raw_path: str) -> dict[str, Any]:
        """The plain fields around a node of a stored output, and what its path calls it; none where the output is not at hand."""
        if invocation_id not in self._outputs:
            return {}
        named = " ".join(p for p in refs.parse_path(raw_path) or () if isinstance(p, str))
        return ({"path": named} if named else {}) | refs.surroundings(self._outputs[invocation_id], raw_path)

    def _ref(self, invocation_id: str, parts: refs.Path | None) -> EvidenceRef | None:
        call = self.invocations.get(invocation_id)
        if call is None or parts is None:
            return None
        key = (invocation_id, parts)
        if key not in self._refs:
            self._refs[key] = self._derived(invocation_id, parts) or self._stored_ref(call, parts)
        return self._refs[key]

    def _derived(self, invocation_id: str, parts: refs.Path) -> EvidenceRef | None:
        output = self._outputs.get(invocation_id, _NOTHING)
        return None if output is _NOTHING else refs.derive(output, refs.format_path(parts))

    def _stored_ref(self, call: Invocation, parts: refs.Path) -> EvidenceRef | None:
        if call.invocation_id not in self._stored:
            parsed = ((refs.parse_path(ref.raw_path), ref) for ref in call.retrieval_details.evidence_refs)
            self._stored[call.invocation_id] = {path: ref for path, ref in parsed if path is not None}
        return self._stored[call.invocation_id].get(parts)
