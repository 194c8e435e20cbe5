"""Redaction of secrets: the token formats that detect-secrets keeps, and credentials that stand in headers, URLs and assignments.

What only looks random (request and trace ids, hashes, UUIDs) is kept: a secret is known by its format or by the name before it.
"""

import hashlib
import hmac
import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from detect_secrets.plugins.aws import AWSKeyDetector
from detect_secrets.plugins.github_token import GitHubTokenDetector
from detect_secrets.plugins.gitlab_token import GitLabTokenDetector
from detect_secrets.plugins.mailchimp import MailchimpDetector
from detect_secrets.plugins.openai import OpenAIDetector
from detect_secrets.plugins.pypi_token import PypiTokenDetector
from detect_secrets.plugins.sendgrid import SendGridDetector
from detect_secrets.plugins.slack import SlackDetector
from detect_secrets.plugins.square_oauth import SquareOAuthDetector
from detect_secrets.plugins.stripe import StripeDetector
from detect_secrets.plugins.telegram_token import TelegramBotTokenDetector
from detect_secrets.plugins.twilio import TwilioKeyDetector

PLACEHOLDER = re.compile(r"<[A-Z_]+:[0-9a-f]{8}>")
CACHED_TEXTS = 4_096


class Detector(NamedTuple):
    """Nothing can match without one of the `hints`, which are sought in the lower-cased text, or where `cased` in the text as it is.

    A pattern's group `secret`, else its whole match, is replaced.
    """

    kind: str
    hints: tuple[str, ...]
    patterns: tuple[re.Pattern[str], ...]
    cased: bool = False


def _own(kind: str, hints: Iterable[str], *patterns: str) -> Detector:
    return Detector(kind, tuple(hints), tuple(re.compile(p) for p in patterns))


def _kept(kind: str, hints: Iterable[str], plugin: Any, chosen: slice = slice(None)) -> Detector:
    """A plugin's patterns between token boundaries, so that a longer id that happens to hold one is left whole."""
    patterns = list(plugin.denylist)[chosen]
    bounded = (re.compile(rf"(?<![\w-])(?:{p.pattern})(?![\w-])", p.flags) for p in patterns)
    return Detector(kind, tuple(hints), tuple(bounded), cased=any(h != h.lower() for h in hints))


_PASSWORDS = r"pass(?:word|wd|phrase)|pwd|passwort|contrase[nñ]a|密码|口令"
# Names that only secrets have, and names that other things have too: there the value has to look drawn, with a digit in it.
_KEYS = (
    r"client[_-]?secret|secret[_-]?key|api[_-]?key|(?:secret[_-]?)?access[_-]?key|private[_-]?key|account[_-]?key|"
    r"shared[_-]?access[_-]?key|auth[_-]?key|(?:auth|access|refresh|session|security|bearer|api|bot|id)[_-]?token|_authtoken|x-amz-signature"
)
_VAGUE = r"(?<![0-9]{12}:)secret|credential|(?<![\w-])token"  # an ARN names a secret, and tells none
_GIVEN = r"s?\\?[\"']?\s{0,8}(?:=>|:=|==?|:|：)\s{0,8}\\?[\"']?"
_TEXT = r"[^\s\"'`,;&<>(){}\[\]\\|]"

DETECTORS = (
    _own("PRIVATE_KEY", ("private key",), r"(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"),  # noqa: E501
    _own("JWT", ("eyj",), r"(?<![\w-])eyJ[\w-]{8,}=*\.[\w-]{8,}=*(?:\.[\w.+/=-]*)?"),
    _kept("AWS_KEY", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"), AWSKeyDetector, slice(1)),
    _kept("GITHUB_TOKEN", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), GitHubTokenDetector),
    _own("GITHUB_TOKEN", ("github_pat_",), r"(?<![\w-])github_pat_\w{22,255}"),
    _kept("GITLAB_TOKEN", ("gl", "gr1348941"), GitLabTokenDetector),
    _kept("SLACK_TOKEN", ("xox", "hooks.slack.com"), SlackDetector),
    _kept("STRIPE_KEY", ("k_live_",), StripeDetector),
    _own("STRIPE_KEY", ("k_test_", "k_live_", "whsec_"), r"(?<![\w-])(?:[rsp]k_(?:test|live)|whsec)_\w{16,255}"),
    _kept("SENDGRID_KEY", ("sg.",), SendGridDetector),
    _kept("OPENAI_KEY", ("sk-",), OpenAIDetector),
    _own("OPENAI_KEY", ("sk-",), r"(?<![\w-])sk-(?:proj-|ant-|svcacct-)?[A-Za-z0-9_-]{32,255}"),
    _kept("PYPI_TOKEN", ("pypi-",), PypiTokenDetector),
    _own("NPM_TOKEN", ("npm_",), r"(?<![\w-])npm_[A-Za-z0-9]{36}(?!\w)"),
    _kept("SQUARE_SECRET", ("sq0csp-",), SquareOAuthDetector),
    _kept("MAILCHIMP_KEY", ("-us",), MailchimpDetector),
    _kept("TELEGRAM_TOKEN", (":AA",), TelegramBotTokenDetector),
    _kept("TWILIO_KEY", ("SK",), TwilioKeyDetector, slice(1, 2)),
    _own("PASSWORD", ("://",), r"://[^\s:/?#@\"']{0,200}:(?P<secret>[^\s/@\"']{1,500})@(?=[\w.\[-])"),
    _own("AUTHORIZATION", ("authorization",),
         r"(?i)authorization\\?[\"']?\s{0,8}[:=]\s{0,8}\\?[\"']?(?:basic|bearer|token|apikey|negotiate)\s{1,8}(?P<secret>[\w.~+/=-]{6,})"),
    _own("AUTHORIZATION", ("bearer ",), r"(?i)(?<!\w)bearer\s{1,8}(?P<secret>(?=[\w.~+/-]{0,500}\d)[\w.~+/-]{16,}=*)"),
    _own("PASSWORD", ("pass", "pwd", "contrase", "密码", "口令"), rf"(?i)(?:{_PASSWORDS}){_GIVEN}(?P<secret>{_TEXT}{{1,500}})"),
    _own("SECRET", ("secret", "key", "token", "signature"), rf"(?i)(?:{_KEYS}){_GIVEN}(?P<secret>{_TEXT}{{8,2000}})"),
    _own("SECRET", ("secret", "token", "credential"), rf"(?i)(?:{_VAGUE}){_GIVEN}(?P<secret>(?={_TEXT}{{0,100}}\d){_TEXT}{{12,2000}})"),
)  # fmt: skip
NO_SECRETS = re.compile(r"(?i)(?:null|none|nil|true|false|undefined|empty|redacted|masked|hidden|\*+|x+|\.+|\$.*|%.*|<.*)\Z")


class SecretRedactor:
    """Replaces each secret by `<KIND:hmac8>`, the same for the same secret wherever it stands in a run.

    `run_key` ties placeholders to their run: the same for a resumed run, another for every other run, so that secrets can not be followed
    from run to run. Whoever knows the run's id can tell whether a *guessed* secret is behind a placeholder; eight hex digits hold no more.
    """

    def __init__(self, run_key: bytes) -> None:
        self._key = hmac.digest(run_key, b"superbiz/redaction/1", hashlib.sha256)
        self._cached = lru_cache(maxsize=CACHED_TEXTS)(self._redacted)

    def text(self, value: str) -> str:
        """The text without its secrets. Text that is redacted already stays as it is."""
        return self._cached(value) if len(value) < 512 else self._redacted(value)

    def _redacted(self, value: str) -> str:
        lower = value.lower()
        for detector in DETECTORS:
            text = value if detector.cased else lower
            if any(hint in text for hint in detector.hints):
                for pattern in detector.patterns:
                    value = pattern.sub(lambda found, kind=detector.kind: self._replaced(found, kind), value)  # type: ignore[misc]
        return value

    def _replaced(self, found: re.Match[str], kind: str) -> str:
        whole = found[0]
        group = "secret" if "secret" in found.re.groupindex else 0
        secret, start = found[group], found.start(group) - found.start()
        if NO_SECRETS.match(secret) or _in_placeholder(found):
            return whole
        return whole[:start] + self._placeholder(kind, secret) + whole[start + len(secret) :]

    def _placeholder(self, kind: str, secret: str) -> str:
        return f"<{kind}:{hmac.digest(self._key, secret.encode('utf-8', 'surrogatepass'), hashlib.sha256).hex()[:8]}>"


def _in_placeholder(found: re.Match[str]) -> bool:
    """A placeholder's own name (`PASSWORD:…`) reads like an assignment."""
    opened = found.string.rfind("<", max(0, found.start() - 24), found.start() + 1)
    placeholder = PLACEHOLDER.match(found.string, opened) if opened >= 0 else None
    return placeholder is not None and placeholder.end() > found.start()
