"""Whether a code fault's place is told: the truth names a region of code by the log statements at its ends, or its class."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bench.diagnosing import Outcome
from bench.rows import Row
from bench.scoring import mean


def located(name: str, found: Iterable[Outcome]) -> Iterator[Row]:
    """Of worlds whose truth names a region: how often the first cause's claims and their evidence hold one of its ends, or its class."""
    faults = [
        (o.case.truth["operation"], _told(o.report)) for o in found if o.case.truth.get("operation") and "#" in o.case.truth["operation"]
    ]
    ends = mean([float(any(end in told for end in region.split("_"))) for region, told in faults])
    classes = mean([float(any(class_ in told for class_ in re.findall(r"([\w.]+)#", region))) for region, told in faults])
    if ends is not None and classes is not None:
        yield Row(f"{name}: code statement told by the first cause, of {len(faults)}", ends, "")
        yield Row(f"{name}: code class told by the first cause, of {len(faults)}", classes, "")


def _told(report: Mapping[str, Any] | None) -> str:
    """What is said of the first cause, with its excerpts."""
    first = next(iter((report or {}).get("root_causes") or ()), None)
    if report is None or first is None:
        return ""
    return json.dumps([first, *(c for c in report["claims"] if c["claim_id"] in first["claim_ids"])], ensure_ascii=False)
