"""Personal data: by a checksum, by a form that nothing else has, or by the label before it.

A bare number beside the name of an identifier or of a quantity (`order_id=`, `bytes:`, `trace/`) is kept, whatever its digits add up to.
"""
# ruff: noqa: E501 (a row of a table is one line)

import ipaddress
import re
from collections.abc import Callable

from superbiz.adapters.redaction import checksums
from superbiz.adapters.redaction.detector import NUMBERED, Check, Detector, own
from superbiz.settings import RedactIps

_GIVEN = r"\\{0,3}[\"']?\s{0,4}(?:=>|:=|==?|:|：|#|\bis\b|为|是)?\s{0,4}\\{0,3}[\"'“]?"
_MARKED = r"\\{0,3}[\"']?\s{0,4}(?:=>|:=|==?|:|：)\s{0,4}\\{0,3}[\"'“]?"
_START, _END = r"(?<![A-Za-z0-9_.+-])(?<!\d[:,])", r"(?![A-Za-z0-9_-]|[.:,]\d)"
# Names before a number that make it an identifier, a time or a quantity.
_NO_PERSON = re.compile(
    r"(?i)(?:order|trace|span|request|req|txn|trans(?:action)?|payment|charge|ticket|invoice|receipt|session|seq(?:uence)?|offset|"
    r"time(?:stamp)?|epoch|nanos?|build|msg|message|tracking|job|task|run|event|batch|shipment|parcel|size|length|bytes|memory|mem|heap|limit|"
    r"count|total|used|free|avail(?:able)?|latency|duration|elapsed|zxid|lsn|blk|block|version|revision|rev|serial|commit|digest|hash|etag|"
    r"correlation|process|thread|node|instance|sku|product|item|value(?!s)|max|min|rss|cache|read|written|sent|received|account|acct|partition|"
    r"id|uid|pid|key|ts|x-amz-\w{1,20}|订单号?|单号|流水号?|编号|请求|追踪|blk_?)"
    r"(?:[ _-]?(?:id|no|num|number|nr|count|ns|us|ms|code|ref|at|in|of))?s?\\{0,3}[\"']?\s?[=:#/\[({_：-]{0,2}\s?\\{0,3}[\"']?-?\Z"
)
_UNIT = re.compile(r"\s?(?:[KMGT]i?B|bytes|B|[mnuµ]s|s|sec|seconds|ops|rows|records|items|KB|%)\b")
_NO_MAIL = re.compile(  # units of systemd, hosts of inner networks, files
    r"(?i)\.(?:service|socket|slice|timer|target|scope|mount|device|swap|path|internal|local|localdomain|svc|lan|intranet|png|jpe?g|gif|svg|"
    r"js|css|json|ya?ml|xml|txt|log|conf|py|java|go|rs|sh|so|jar|gz|zip|tgz|whl)\Z"
)


def _plain(text: str) -> str:
    return re.sub(r"[ .\-/()]", "", text).upper()


def _checked(valid: Callable[[str], bool], *, grouped_only: bool = False) -> Check:
    """`valid` over the plain characters. What stands without groups must not bear an identifier's name."""

    def check(found: str, before: str, after: str) -> bool:
        plain = _plain(found)
        if plain == found and (grouped_only or _NO_PERSON.search(before) or _UNIT.match(after)):
            return False
        return valid(plain)

    return check


def _mail(found: str, before: str, after: str) -> bool:
    name, _, host = found.rpartition("@")
    remote = after[:1] == ":" and (after[1:2].isalpha() or after[1:2] == "/")  # git@host.example:group/project
    return not (
        _NO_MAIL.search(host) or (name.isdigit() and host.split(".")[0].isdigit()) or (name == "git" and (remote or "://" in before))
    )


def _phone(found: str, _before: str, _after: str) -> bool:
    digits = sum(c.isdigit() for c in found)
    return 7 <= digits <= 15 and len({c for c in found if c.isdigit()}) > 1


def _bare_phone(found: str, before: str, after: str) -> bool:
    return _phone(found, before, after) and not (_NO_PERSON.search(before) or _UNIT.match(after))


def _id_value(found: str, _before: str, _after: str) -> bool:
    return sum(c.isdigit() for c in found) >= 6


def _always(_plain_text: str) -> bool:
    return True


def _name(found: str, _before: str, _after: str) -> bool:
    return not found.isdigit() and found.lower() not in ("null", "none", "unknown", "anonymous", "n/a", "test", "admin", "root", "system")


_PHONE_LABEL = r"(?:(?:tele)?phone|mobile|cell|tel|fax|msisdn|whats ?app)(?:[ _-]?(?:number|no|num|nr))?|手机号码?|手机|电话号码?|电话|联系方式|联系电话"
_ID_LABEL = (
    r"ssn|social[ _-]?security(?:[ _-]?(?:number|no))?|national[ _-]?(?:id(?:entity)?|insurance)(?:[ _-]?(?:number|no))?|nino|aadhaa?r(?:[ _-]?(?:number|no))?|"
    r"cpf|dni|nif|nie|nir|steuer[ _-]?(?:id|identifikationsnummer)|idnr|tax[ _-]?(?:id|payer[ _-]?id)|tin|passport(?:[ _-]?(?:number|no))?|"
    r"driver'?s?[ _-]?licen[cs]e(?:[ _-]?(?:number|no))?|id[ _-]?card(?:[ _-]?(?:number|no))?|身份证号码?|身份证|护照号码?|护照"
)
_NAME_LABEL = (
    r"(?:customer|client|patient|passenger|guest|contact|recipient|cardholder|card_?holder|account_?holder|employee|buyer|consignee|beneficiary|shipping|billing)[ _-]?"
    r"(?:full[ _-]?)?name|full[ _-]?name|first[ _-]?name|last[ _-]?name|surname|given[ _-]?name|family[ _-]?name|maiden[ _-]?name|"
    r"(?:客户|乘客|收货人|收件人|联系人|持卡人|用户|患者)?姓名|收货人|收件人"
)
_CC = r"(?:1|7|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|2[1-689]\d|3[578]\d|42\d|5[09]\d|6[789]\d|8[0578]\d|9[679]\d)"

# A start that no word or number runs on into, then eight digits or more with single marks between them; dates are none.
NUMBER = re.compile(
    r"[\d(A-Z+](?:(?<=\+)\d|(?<![A-Za-z0-9_.+-].)(?<!\d[:,].)(?!\d{3}-\d\d-\d\d)"
    r"(?:[A-Z]?[ -]?(?:[\dA-DXYZ(][ .()-]{0,2}){7}|[A-Z]\d\d ?[A-Z0-9]{4}))",
    re.ASCII,
)

PERSONAL = (
    own("EMAIL", ("@", "%40"), r"[A-Za-z0-9](?<![A-Za-z0-9._%+-].)(?:[A-Za-z0-9._+'%-]{0,62}[A-Za-z0-9_+-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9_-])",
        r"[A-Za-z0-9](?<![A-Za-z0-9._%+-].)(?:[A-Za-z0-9._+-]{0,62}[A-Za-z0-9])?%40(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![A-Za-z0-9_-])", check=_mail),
    own("CARD", (NUMBERED,), rf"{_START}\d{{4}}([ -])(?:\d{{4}}\1\d{{4}}\1\d{{4}}(?:\1\d{{1,3}})?|\d{{6}}\1\d{{4,5}}){_END}", rf"{_START}[2-6]\d{{13,18}}{_END}", check=_checked(checksums.card)),
    own("NATIONAL_ID", (NUMBERED,), r"(?<![A-Za-z0-9_.-])[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?![A-Za-z0-9_-])", check=_checked(checksums.chinese_id)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}\d{{3}}-\d{{2}}-\d{{4}}{_END}", check=_checked(checksums.social_security)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}\d{{3}}\.\d{{3}}\.\d{{3}}-\d{{2}}{_END}", check=_checked(checksums.brazilian_id)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}\d{{4}}([ -])\d{{4}}\1\d{{4}}(?!\1\d){_END}", check=_checked(checksums.aadhaar, grouped_only=True)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}\d\d \d{{3}} \d{{3}} \d{{3}}{_END}", check=_checked(checksums.german_tax_id, grouped_only=True)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}[12]( ?)\d\d\1(?:0[1-9]|1[0-2]|[2-4]\d)\1(?:\d\d|2[AB])\1\d{{3}}\1\d{{3}}\1\d\d{_END}", check=_checked(checksums.french_id)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}(?:[XYZ]-?\d{{7}}-?[A-Z]|\d{{2}}\.\d{{3}}\.\d{{3}}-[A-Z]|\d{{8}}-[A-Z]){_END}", check=_checked(checksums.spanish_id)),
    own("NATIONAL_ID", (NUMBERED,), rf"{_START}[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]( ?)\d\d\1\d\d\1\d\d\1[A-D]{_END}", check=_checked(_always)),
    own("IBAN", (NUMBERED,), r"(?<![A-Za-z0-9_-])[A-Z]{2}\d\d(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Za-z0-9_-])", check=_checked(checksums.iban)),
    own("NATIONAL_ID", ("ssn", "social", "national", "nino", "aadha", "cpf", "dni", "nif", "nie", "nir", "steuer", "idnr", "tax", "tin", "passport", "licen", "card", "身份证", "护照"),
        rf"(?i)(?<![A-Za-z0-9])(?:{_ID_LABEL}){_GIVEN}(?P<secret>[A-Z]{{0,2}}\d[\dA-Z]*(?:[ .-]\d[\dA-Z]*){{0,6}}(?:[ -][A-Z](?![A-Za-z]))?)(?![A-Za-z0-9])", check=_id_value),
    own("PHONE", ("+",), rf"(?<![A-Za-z0-9+/=_])\+{_CC}[ .-]?(?:\(0?\d{{0,4}}\)[ .-]?)?\d{{1,5}}(?:[ .-]?\d{{2,5}}){{1,5}}(?![A-Za-z0-9_+/=]|[.:]\d)", check=_phone),
    own("PHONE", ("phone", "mobile", "cell", "tel", "fax", "msisdn", "whats", "手机", "电话", "联系"),
        rf"(?i)(?<![A-Za-z0-9])(?:\w{{1,20}}[_-])?(?:{_PHONE_LABEL}){_GIVEN}(?P<secret>[+(]?\d[\d ().-]{{5,20}}\d)(?![\dA-Za-z])", check=_phone),
    own("PHONE", (NUMBERED,), rf"{_START}(?:1[ .-])?(?:\([2-9]\d{{2}}\) ?|[2-9]\d{{2}}[.-])[2-9]\d{{2}}[.-]\d{{4}}{_END}", check=_bare_phone),
    own("PHONE", (NUMBERED,), rf"{_START}(?:86[ -]?)?1(?:3\d|4[5-9]|5[0-35-9]|6[2567]|7[0-8]|8\d|9[0-35-9])([ -]?)\d{{4}}\1\d{{4}}{_END}", check=_bare_phone),
    own("PHONE", (NUMBERED,), rf"{_START}0(?:10|2\d|[3-9]\d{{2}})-[2-9]\d{{6,7}}{_END}", check=_bare_phone),
    own("NAME", ("name", "姓名", "收货人", "收件人"),
        rf"(?i)(?<![A-Za-z0-9])(?:\w{{1,20}}[_.-])?(?:{_NAME_LABEL}){_MARKED}(?P<secret>(?-i:[A-Z][\w'’À-ſ-]{{1,30}}(?: [A-ZÀ-Ž][\w'’.À-ſ-]{{0,30}}){{0,3}}|[一-龥·]{{2,6}}))", check=_name),
    own("BIRTH_DATE", ("dob", "birth", "出生", "生日"),
        rf"(?i)(?<![A-Za-z0-9])(?:dob|date[ _-]?of[ _-]?birth|birth[ _-]?(?:date|day)|出生日期|生日){_MARKED}(?P<secret>\d{{1,4}}[-/.年]\d{{1,2}}[-/.月]\d{{1,4}}日?)"),
)  # fmt: skip


def addresses(policy: RedactIps) -> tuple[Detector, ...]:
    """The detectors of IP addresses. Private, loopback, link-local and documentation addresses are no public ones."""
    if policy is RedactIps.NONE:
        return ()
    first = "[23][0-9a-f]{3}" if policy is RedactIps.PUBLIC else "[0-9a-f]{0,4}"  # 2000::/3 is public

    def check(found: str, before: str, _after: str) -> bool:
        if _VERSION.search(before) or found.endswith(".0") or (policy is RedactIps.PUBLIC and ":" in found and found[0] not in "23"):
            return False
        try:
            address = ipaddress.ip_address(found)
        except ValueError:
            return False
        return policy is RedactIps.ALL or (address.is_global and not address.is_multicast)

    return (
        own("IP", (".",), r"\d(?<![A-Za-z0-9_.-]\d)\d{0,2}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![A-Za-z0-9_-]|\.\d)", check=check),
        own("IP", (":",), r"(?i)[0-9a-f](?<![A-Za-z0-9_:.-].)[0-9a-f]{0,3}(?::[0-9a-f]{1,4}){7}(?![A-Za-z0-9_:])", check=check),
        own("IP", ("::",), rf"(?i)(?<![A-Za-z0-9_:.-]){first}(?::[0-9a-f]{{1,4}}){{0,6}}::(?:[0-9a-f]{{1,4}}(?::[0-9a-f]{{1,4}}){{0,6}})?(?![A-Za-z0-9_:])", check=check),
    )  # fmt: skip


_VERSION = re.compile(
    r"(?i)(?:\b(?:v|ver|version|release|chrome|firefox|safari|edge|build|build_?id|upgrade[dn]?(?: to| from)?)[\"']?[ /:=-]{0,2}[\"']?|[A-Za-z]/|[~=]{2}|~)\Z"
)
