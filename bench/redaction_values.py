"""Values for planted corpora: drawn from a seed, so that none is anybody's. Forms are the vendors', contents are drawn letters."""
# ruff: noqa: E501, D103 (a row of a table is one line; a maker is named after what it makes)

import base64
import json
import random
import string
from collections.abc import Callable

from superbiz.adapters.redaction import checksums

Make = Callable[[random.Random], str]
ALNUM, HEX, UPPER, DIGITS = string.ascii_letters + string.digits, "0123456789abcdef", string.ascii_uppercase + string.digits, string.digits
GIVEN = ("Maya", "Jonas", "Aoife", "Rahul", "Lucía", "Tomás", "Ingrid", "Kwame", "Noor", "Pavel")
FAMILY = ("Okafor", "Lindqvist", "Brennan", "Iyer", "Fernandes", "Kowalski", "Haddad", "Moreau", "Schreiber", "Tanaka")
CHINESE = ("王小明", "李雨桐", "张伟国", "陈思远", "刘佳怡", "赵文轩")
WORDS = ("tulip", "harbor", "copper", "window", "marble", "falcon", "summer", "orange", "rocket", "silver")


def draw(r: random.Random, chars: str, n: int) -> str:
    return "".join(r.choice(chars) for _ in range(n))


def _fixed(prefix: str, chars: str, n: int, end: str = "") -> Make:
    return lambda r: prefix + draw(r, chars, n) + end


def _segment(r: random.Random, fields: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(fields | {"n": draw(r, HEX, 6)}).encode()).decode().rstrip("=")


def jwt(r: random.Random) -> str:
    return ".".join((_segment(r, {"alg": "RS256", "typ": "JWT"}), _segment(r, {"sub": "EXAMPLE", "iat": 1}), draw(r, ALNUM + "-_", 43)))


def password(r: random.Random) -> str:
    """As people choose them: a word with digits and marks, or drawn."""
    forms = (
        lambda: r.choice(WORDS).title() + draw(r, DIGITS, 3) + r.choice("!#*?%"),
        lambda: r.choice(WORDS) + r.choice(WORDS).title() + draw(r, DIGITS, 2),
        lambda: draw(r, ALNUM, 14),
        lambda: draw(r, ALNUM, 6) + r.choice("!#%^*~+=") + draw(r, ALNUM, 6),
        lambda: r.choice(WORDS) + r.choice(WORDS),
    )
    return r.choice(forms)()


def pem(r: random.Random, newline: str = "\n") -> str:
    body = newline.join(draw(r, ALNUM + "+/", 64) for _ in range(4))
    kind = r.choice(("RSA ", "EC ", "", "OPENSSH ", "ENCRYPTED "))
    return f"-----BEGIN {kind}PRIVATE KEY-----{newline}{body}{newline}-----END {kind}PRIVATE KEY-----"


TOKENS: dict[str, Make] = {
    "aws access key id": lambda r: r.choice(("AKIA", "ASIA")) + draw(r, string.ascii_uppercase + "234567", 16),
    "aws session token": lambda r: r.choice(("IQoJb3JpZ2lu", "FwoGZXIvYXdz")) + draw(r, ALNUM + "+/", 300) + "==",
    "github": lambda r: r.choice(("ghp_", "gho_", "ghs_", "ghu_", "ghr_")) + draw(r, ALNUM, 36),
    "github fine": lambda r: "github_pat_" + draw(r, ALNUM, 22) + "_" + draw(r, ALNUM, 59),
    "gitlab": lambda r: r.choice(("glpat-", "glrt-", "gldt-", "glptt-")) + draw(r, ALNUM, 20),
    "slack": lambda r: r.choice(("xoxb-", "xoxp-")) + draw(r, DIGITS, 12) + "-" + draw(r, DIGITS, 12) + "-" + draw(r, ALNUM, 24),
    "slack app": lambda r: "xapp-1-A" + draw(r, UPPER, 10) + "-" + draw(r, DIGITS, 13) + "-" + draw(r, HEX, 64),
    "slack hook": lambda r: "https://hooks.slack.com/services/T" + draw(r, UPPER, 8) + "/B" + draw(r, UPPER, 8) + "/" + draw(r, ALNUM, 24),
    "stripe": lambda r: r.choice(("sk_live_", "rk_live_", "sk_test_")) + draw(r, ALNUM, 24),
    "stripe hook": _fixed("whsec_", ALNUM, 32),
    "openai": lambda r: r.choice(("sk-proj-", "sk-svcacct-", "sk-")) + draw(r, ALNUM, 48),
    "anthropic": lambda r: "sk-ant-api03-" + draw(r, ALNUM + "_-", 90) + "AA",
    "google api": _fixed("AIza", ALNUM + "_-", 34, "x"),
    "google oauth": lambda r: r.choice(("GOCSPX-" + draw(r, ALNUM, 28), "ya29.a0" + draw(r, ALNUM + "_-", 120) + "x")),
    "azure client": lambda r: draw(r, ALNUM, 3) + "8Q~" + draw(r, ALNUM, 34),
    "npm": _fixed("npm_", ALNUM, 36),
    "pypi": lambda r: "pypi-AgEIcHlwaS5vcmc" + draw(r, ALNUM + "_-", 80) + "x",
    "twilio": _fixed("SK", HEX, 32),
    "sendgrid": lambda r: "SG." + draw(r, ALNUM, 22) + "." + draw(r, ALNUM, 43),
    "mailgun": _fixed("key-", HEX, 32),
    "mailchimp": lambda r: draw(r, HEX, 32) + "-us" + draw(r, "12", 1) + draw(r, DIGITS, 1),
    "telegram": lambda r: draw(r, "123456789", 9) + ":AA" + draw(r, ALNUM, 33),
    "shopify": _fixed("shpat_", HEX, 32),
    "digitalocean": _fixed("dop_v1_", HEX, 64),
    "vault": _fixed("hvs.", ALNUM, 40),
    "terraform cloud": lambda r: draw(r, ALNUM, 14) + ".atlasv1." + draw(r, ALNUM, 67),
    "databricks": _fixed("dapi", HEX, 32),
    "hugging face": _fixed("hf_", string.ascii_letters, 34),
    "grafana": lambda r: "glsa_" + draw(r, ALNUM, 32) + "_" + draw(r, HEX, 8),
    "new relic": lambda r: "NRAK-" + draw(r, UPPER, 27),
    "docker": _fixed("dckr_pat_", ALNUM, 27),
    "atlassian": lambda r: "ATATT3xFfGF0" + draw(r, ALNUM + "_-", 170) + "=" + draw(r, "0123456789ABCDEF", 8),
    "alibaba": lambda r: "LTAI5t" + draw(r, ALNUM, 18),
    "square": lambda r: "sq0csp-" + draw(r, ALNUM + "_-", 43),
    "jwt": jwt,
    "private key": pem,
    "private key, escaped": lambda r: pem(r, "\\n"),
    "private key, cut off": lambda r: pem(r)[: r.randrange(120, 260)],
}  # fmt: skip


def _with_check(make: Callable[[], str], valid: Callable[[str], bool]) -> str:
    """Drawn until the check digit agrees."""
    while True:
        value = make()
        if valid(value):
            return value


def card(r: random.Random) -> str:
    starts = (
        ("4", 16),
        ("5" + r.choice("12345"), 16),
        ("34", 15),
        ("37", 15),
        ("6011", 16),
        ("3530", 16),
        ("62", 16),
        ("62", 19),
        ("2221", 16),
    )
    start, n = r.choice(starts)
    return _with_check(lambda: start + draw(r, DIGITS, n - len(start)), checksums.card)


def grouped(number: str, mark: str) -> str:
    if len(number) == 15:
        return mark.join((number[:4], number[4:10], number[10:]))
    return mark.join(number[n : n + 4] for n in range(0, len(number), 4))


def iban(r: random.Random) -> str:
    land, n, letters = r.choice((("DE", 18, 0), ("GB", 14, 4), ("FR", 23, 0), ("NL", 10, 4), ("ES", 20, 0), ("CH", 17, 0)))
    return _with_check(lambda: land + draw(r, DIGITS, 2) + draw(r, string.ascii_uppercase, letters) + draw(r, DIGITS, n), checksums.iban)


def chinese_id(r: random.Random) -> str:
    def make() -> str:
        day = f"{r.randrange(1950, 2008)}{r.randrange(1, 13):02}{r.randrange(1, 29):02}"
        return r.choice(("110101", "310104", "440305", "510107")) + day + draw(r, DIGITS, 3) + r.choice("0123456789X")

    return _with_check(make, checksums.chinese_id)


def social_security(r: random.Random) -> str:
    return f"{r.choice((1, 2, 4, 5))}{draw(r, '123456789', 2)}-{draw(r, '123456789', 2)}-{draw(r, '123456789', 4)}"


def nino(r: random.Random) -> str:
    number = r.choice("ABCEGHJKLM") + r.choice("ABCEGHJKLM") + draw(r, DIGITS, 6) + r.choice("ABCD")
    return r.choice((number, " ".join((number[:2], number[2:4], number[4:6], number[6:8], number[8]))))


def aadhaar(r: random.Random) -> str:
    return grouped(_with_check(lambda: r.choice("23456789") + draw(r, DIGITS, 11), checksums.aadhaar), " ")


def cpf(r: random.Random) -> str:
    d = _with_check(lambda: draw(r, DIGITS, 11), checksums.brazilian_id)
    return f"{d[:3]}.{d[3:6]}.{d[6:9]}-{d[9:]}"


def german_tax_id(r: random.Random) -> str:
    return _with_check(lambda: draw(r, "123456789", 1) + draw(r, DIGITS, 10), checksums.german_tax_id)


def spanish_id(r: random.Random) -> str:
    return _with_check(lambda: r.choice("XYZ") + draw(r, DIGITS, 7) + r.choice(string.ascii_uppercase), checksums.spanish_id)


def french_id(r: random.Random) -> str:
    def make() -> str:
        return f"{r.choice('12')}{draw(r, DIGITS, 2)}{r.randrange(1, 13):02}{r.randrange(10, 95)}{draw(r, DIGITS, 8)}"

    return _with_check(make, checksums.french_id)


def mail(r: random.Random) -> str:
    who = (f"{r.choice(GIVEN)}.{r.choice(FAMILY)}", f"{r.choice(WORDS)}{draw(r, DIGITS, 2)}", f"{r.choice(WORDS)}_{r.choice(WORDS)}+shop")
    name = r.choice(who).lower().encode("ascii", "ignore").decode()
    return (
        name + "@" + r.choice(("example.com", "mail.example.org", "example.co.uk", "firma-example.de", "example.com.cn", "corp.example.io"))
    )


def phone(r: random.Random) -> str:
    d = lambda n: draw(r, "23456789", n)  # noqa: E731
    forms = (
        f"+1 {d(3)}-{d(3)}-{d(4)}", f"+1{d(10)}", f"({d(3)}) {d(3)}-{d(4)}", f"{d(3)}-{d(3)}-{d(4)}", f"+44 20 {d(4)} {d(4)}", f"+447{d(9)}",
        f"+49 30 {d(8)}", f"+33 1 {d(2)} {d(2)} {d(2)} {d(2)}", f"+91 9{d(4)} {d(5)}", f"+86 13{d(1)} {d(4)} {d(4)}", f"+55 11 9{d(4)}-{d(4)}",
    )  # fmt: skip
    return r.choice(forms)


def chinese_mobile(r: random.Random) -> str:
    number = r.choice(("138", "139", "150", "186", "177", "199")) + draw(r, DIGITS, 8)
    return r.choice((number, number, f"{number[:3]}-{number[3:7]}-{number[7:]}", f"{number[:3]} {number[3:7]} {number[7:]}"))


def person(r: random.Random) -> str:
    return f"{r.choice(GIVEN)} {r.choice(FAMILY)}"


def public_address(r: random.Random) -> str:
    return r.choice(
        (
            f"{r.choice((3, 18, 52, 81, 91, 185))}.{r.randrange(1, 250)}.{r.randrange(1, 250)}.{r.randrange(1, 250)}",
            f"2600:1f18:{draw(r, '123456789abcdef', 4)}:{draw(r, '123456789abcdef', 4)}::{draw(r, '123456789abcdef', 2)}",
        )
    )
