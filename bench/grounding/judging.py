"""What `superbiz verify` makes of a dossier, claim by claim, and which layer said so."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from superbiz.services import verifying

FULL, HEDGED, NONE = "FULL", "HEDGED", "NONE"
VERIFIER = "Verifier"


class Judged(NamedTuple):
    """One claim. `layer` is the first rule of the Gatekeeper that spoke against it, else the Verifier; empty where nobody did."""

    claim_id: str
    claim_type: str
    expressible: str
    layer: str
    reason: str
    verdict: str

    @property
    def held(self) -> bool:
        """Whether it may be said as it stands."""
        return self.expressible == FULL


def judge(dossier: Mapping[str, Any]) -> dict[str, Judged]:
    """By claim id. A dossier whose claims break the schema has none that may be said."""
    result = verifying.verify_text(json.dumps(dossier, ensure_ascii=False))
    gates = {g["claim_id"]: g for g in result["gatekeeper_result"]["claims"]}
    checks = {c["claim_id"]: c for c in result["claim_checks"]}
    return {c["claim_id"]: _judged(c, gates.get(c["claim_id"]), checks.get(c["claim_id"]), result["verdict"]) for c in dossier["claims"]}


def _judged(claim: Mapping[str, Any], gate: Mapping[str, Any] | None, check: Mapping[str, Any] | None, verdict: str) -> Judged:
    if check is None:
        return Judged(claim["claim_id"], claim["claim_type"], NONE, "schema", "the claims can not be read", verdict)
    codes = (*gate["codes"], *gate["lowered_by"]) if gate else ()
    held = check["expressible"] == FULL
    layer = "" if held else codes[0] if codes else VERIFIER
    return Judged(claim["claim_id"], claim["claim_type"], check["expressible"], layer, check["reason"], verdict)
