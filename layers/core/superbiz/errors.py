"""Errors that say who acts.

SuperBizError
├── Rejected       the caller must change the request
│   ├── Invalid        the request's content is wrong (400)
│   ├── NotFound       no such thing, or not yours (404)
│   ├── Conflict       not in this state, or not now (409)
│   └── TooLarge       over a stated limit (413)
├── Unavailable    the same request may succeed later
│   ├── LeaseHeld      another attempt is at work on this step
│   └── BudgetSpent    the run's or the day's model budget is used up
└── Broken         we must mend something: a bug, a lost item, a wrong configuration

Vendor errors are mapped to these once, in the adapters. Step Functions retries `Unavailable` and `LeaseHeld` by class name.
"""


class SuperBizError(Exception):
    """`message` is for people: what, where, and how to mend. `code` is stable and machine-readable."""

    code = "ERROR"

    def __init__(self, message: str, *, code: str | None = None, mend: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.mend = mend
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return f"{self.message} ({self.mend})" if self.mend else self.message


class Rejected(SuperBizError):
    code = "REJECTED"
    status = 400


class Invalid(Rejected):
    code = "INVALID"


class NotFound(Rejected):
    code = "NOT_FOUND"
    status = 404


class Conflict(Rejected):
    code = "CONFLICT"
    status = 409


class TooLarge(Rejected):
    code = "TOO_LARGE"
    status = 413


class Unavailable(SuperBizError):
    code = "UNAVAILABLE"


class LeaseHeld(Unavailable):
    code = "LEASE_HELD"


class BudgetSpent(Unavailable):
    code = "BUDGET_SPENT"


class Broken(SuperBizError):
    code = "BROKEN"
