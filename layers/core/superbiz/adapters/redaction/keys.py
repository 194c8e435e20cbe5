"""Values that the key of their JSON names as a secret or as personal data: `{"password": "…"}`."""
# ruff: noqa: E501 (a row of a table is one line)

import re
from functools import lru_cache
from typing import NamedTuple

from superbiz.adapters.redaction.labelled import DRAWN_CHARS, NO_SECRETS


class Named(NamedTuple):
    """A key whose snake form ends so, after a whole word; `drawn`: other things bear the name too, so the value must look drawn."""

    kind: str
    ending: re.Pattern[str]
    drawn: bool = False
    value: re.Pattern[str] = re.compile(r"(?s).+")


def _named(kind: str, endings: str, *, drawn: bool = False, value: str = r"(?s).+") -> Named:
    return Named(kind, re.compile(rf"(?:.*_)?(?:{endings})\Z"), drawn, re.compile(value))


_PHONE, _ID = r"[+(]?\d[\d ().-]{5,20}\d", r"(?=(?:.*\d){6})[A-Z0-9][A-Z0-9 .-]{5,24}"
KEYS = (
    _named("PASSWORD", r"passwords?|passwd|pwd|pass|passphrase|passcode|passwort|contrasena|senha|密码|口令"),
    _named("SECRET", r"client_secret|secret_key|signing_(?:key|secret)|webhook_secret|encryption_key|master_key|api_keys?|api_?key|api_secret|app_secret|"
                     r"secret_access_key|private_key|account_key|shared_(?:access_)?key|auth_key|client_key_data|consumer_secret|secret_string|connection_string|"
                     r"(?:auth|access|refresh|session|security|bearer|api|bot|id|csrf|xsrf|vault)_token|session_id_cookie|jsessionid|phpsessid|密钥|令牌|私钥"),
    _named("AUTHORIZATION", r"authorization|proxy_authorization"),
    _named("COOKIE", r"cookies?|set_cookie"),
    _named("SECRET", r"(?<!next_)(?<!page_)(?<!client_)(?<!request_)(?<!continuation_)(?<!pagination_)(?<!sync_)(?<!marker_)(?<!starting_)tokens?|secrets?|credentials?|signature|sig", drawn=True),
    _named("EMAIL", r"e_?mail(?:_address)?|邮箱", value=r"[^@\s]{1,64}@[^@\s]{1,255}"),
    _named("PHONE", r"(?:tele)?phone(?:_?(?:number|no|num))?|mobile(?:_?(?:number|no))?|cell_?phone|tel|fax|msisdn|手机号?码?|电话|联系电话", value=_PHONE),
    _named("CARD", r"card_?(?:number|no|num)|pan|卡号|银行卡号?", value=r"(?:\d[ -]?){12,18}\d"),
    _named("NATIONAL_ID", r"ssn|social_security(?:_number)?|national_id(?:entity)?(?:_number)?|nino|aadhaa?r(?:_number)?|cpf|dni|nif|nie|nir|steuer_?id|tax_id|"
                          r"passport(?:_(?:number|no))?|driver_?s?_licen[cs]e(?:_number)?|id_card(?:_(?:number|no))?|身份证号?码?|护照号?码?", value=_ID),
    _named("NAME", r"(?:customer|patient|passenger|guest|recipient|card_?holder|account_?holder|employee|buyer|consignee|beneficiary|contacts?)_?(?:full_?)?name|"
                   r"full_?name|first_?name|last_?name|surname|given_?name|family_?name|maiden_?name|姓名|收货人|收件人", value=r"[^\W\d_][^\d_/:{}]{1,60}"),
    _named("BIRTH_DATE", r"dob|date_of_birth|birth_?(?:date|day)|出生日期|生日", value=r"\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?"),
)  # fmt: skip
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\s.:-]+")


def kind_of(key: str, value: str) -> str | None:
    """What kind of thing the key says that the value is; None where it says nothing, or where the value is no such thing."""
    for named in _rows(key[:100]):
        if named.value.fullmatch(value) and not NO_SECRETS.match(value) and (not named.drawn or _drawn(value)):
            return named.kind
    return None


@lru_cache(maxsize=2_048)
def _rows(key: str) -> tuple[Named, ...]:
    snake = _HUMP.sub("_", key).lower()
    return tuple(named for named in KEYS if named.ending.match(snake))


def _drawn(value: str) -> bool:
    return len(value) >= DRAWN_CHARS and not any(c.isspace() for c in value) and any(c.isdigit() for c in value)
