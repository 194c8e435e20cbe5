"""Secrets that are known by the name before them: in headers, URLs, connection strings, settings, commands, SQL and prose."""
# ruff: noqa: E501 (a row of a table is one line)

import re

from superbiz.adapters.redaction.detector import Check, Detector, own

DRAWN_CHARS = 12
NO_SECRETS = re.compile(
    r"(?i:null|none|nil|true|false|undefined|empty|redacted|masked|hidden|changed|yes|no|on|off|ok|string|str|secretref|valuefrom)\Z|"
    r"(?:\*+|[xX]+|\.+|-+|\d{1,3}|%s|%\w+%|\$[A-Z_][A-Z0-9_]*)\Z|\[|<|\$?\{|\$\(|%\(|arn:aws",
)
# What follows `password:` in prose and is no password.
PROSE = frozenset(
    [
        "user",
        "for",
        "is",
        "was",
        "are",
        "has",
        "had",
        "must",
        "be",
        "should",
        "can",
        "cannot",
        "could",
        "will",
        "would",
        "not",
        "no",
        "the",
        "a",
        "an",
        "and",
        "or",
        "but",
        "if",
        "in",
        "on",
        "at",
        "of",
        "to",
        "from",
        "by",
        "with",
        "as",
        "authentication",
        "auth",
        "expired",
        "failed",
        "failure",
        "wrong",
        "incorrect",
        "invalid",
        "attempt",
        "attempts",
        "too",
        "required",
        "missing",
        "mismatch",
        "reset",
        "rotated",
        "rejected",
        "refused",
        "denied",
        "ok",
        "none",
        "unknown",
        "error",
        "login",
        "policy",
        "length",
        "minimum",
        "access",
        "please",
        "check",
        "try",
        "use",
        "using",
        "see",
        "set",
        "unset",
        "does",
        "did",
        "did_not",
        "only",
        "also",
        "still",
        "already",
        "never",
        "must",
        "expected",
        "got",
        "found",
        "your",
        "their",
        "its",
        "this",
        "that",
        "which",
    ]
)
_PASSWORDS = r"(?<=[_-])pass(?!\w)|pass(?:word|wd|phrase|code)|pwd|passwort|contrase[nñ]a|mot[ _]de[ _]passe|senha|密码|口令|密碼"
# Names that only secrets have, and names that other things have too: there the value has to look drawn, with a digit in it.
_KEYS = (
    r"client[_-]?secret|secret[_-]?key|signing[_-]?(?:secret|key)|webhook[_-]?secret|encryption[_-]?key|master[_-]?key|"
    r"(?:x-)?api[_-]?key|(?:x-)?api[_-]?secret|app[_-]?secret|(?:secret[_-]?)?access[_-]?key(?![_-]?id)|private[_-]?key|account[_-]?key|"
    r"shared[_-]?(?:access[_-]?)?key|auth[_-]?key|deploy[_-]?key|client-key-data|consumer[_-]?secret|"
    r"(?:x-)?(?:auth|access|refresh|session|security|bearer|api|bot|id|csrf|xsrf|vault|github|gitlab|slack|npm|deploy|registry|webhook)[_-]?token|"
    r"_authtoken|_auth|x-amz-(?:signature|security-token|credential)|jsessionid|phpsessid|sessionid|session_secret|密钥|令牌|访问密钥|私钥"
)
_VAGUE = r"(?<![0-9]{12}:)secret|credential|(?<!next)(?<!next[_-])(?<!page)(?<!page[_-])(?<!client)(?<!client[_-])(?<!request)(?<!request[_-])(?<!nuation)(?<!nuation[_-])(?<!nation[_-])(?<!sync[_-])(?<!marker[_-])(?<!starting[_-])token|(?<=[?&])(?:sig|signature|key|code|auth)|accountkey|shared[_-]?access[_-]?signature"
_GIVEN = r"s?\]?\\{0,3}[\"']?\s{0,8}(?:=>|:=|==?|:|：)\s{0,8}"
_TEXT = r"[^\s\"'`,;&<>(){}\[\]\\|，。；]"
# Marks that end a value, unless the value clearly goes on: the next letter stands right behind and begins no name of its own.
_BARE = rf"(?:{_TEXT}|[,;&(){{}}\[\]|\\](?=[A-Za-z0-9!#$%*+@^_])(?![\w.-]{{1,60}}[\"']?\s?[=:])(?!\\?[nrt]))"
_QUOTED = r"\\{1,3}\"(?P<escaped>[^\"\\<\n]{1,500})\\{1,3}\"|\"(?P<double>(?:[^\"\\<\n]|\\[^\n]){1,500})\"|'(?P<single>[^'\n<]{1,500})'"


def _value(found: str, before: str, _after: str) -> bool:
    """Whether it is a value, and no sentence that goes on: `password: required`."""
    return not (found.lower().rstrip(".!?") in PROSE and before[-1:] in " \t：")


def _named(kind: str, hints: tuple[str, ...], names: str, bare: str, check: Check) -> Detector:
    """The value of a name: in quotes whole, else as far as it goes."""
    return own(kind, hints, rf"(?i)(?:{names}){_GIVEN}(?:{_QUOTED}|\\{{0,3}}[\"']?(?P<bare>{bare}))", check=check)


def _drawn(found: str, before: str, after: str) -> bool:
    """Whether a value under a name that other things bear too looks drawn."""
    return (
        len(found) >= DRAWN_CHARS
        and not found.isspace()
        and " " not in found
        and any(c.isdigit() for c in found)
        and _value(found, before, after)
    )


LABELLED = (
    own("PASSWORD", ("@",), r"://[^\s:/?#@\"'<]{0,80}:(?P<secret>[^\s/@\"'<]{1,500})@(?=[\w.\[-])", r"://[^\s:/?#@\"'<]{0,80}:(?P<secret>[^\s@\"'<]{1,100})@(?=[\w.\[-]{1,100}(?::\d|/))"),
    own("PASSWORD", ("@tcp(", "@unix("), r"(?<![\w/])[\w.-]{1,60}:(?P<secret>[^\s@\"'<:/]{1,200})@(?:tcp|unix)\("),
    own("PASSWORD", ("jdbc:oracle",), r"jdbc:oracle:thin:[\w.-]{1,60}/(?P<secret>[^\s@\"'<]{1,200})@"),
    own("AUTHORIZATION", ("authorization",),
        r"(?i)authorization\\{0,3}[\"']?\s{0,8}[:=]\s{0,8}\\{0,3}[\"']?(?:basic|bearer|token|apikey|negotiate|ssws|key|bot)\s{1,8}(?P<secret>[\w.~+/=:-]{6,4000})",
        r"(?i)authorization\\{0,3}[\"']?\s{0,8}[:=]\s{0,8}\\{0,3}[\"']?(?P<secret>(?=[\w.~+/=-]{0,100}[\dA-Z])[\w.~+/=-]{16,4000})(?![\w ])"),
    own("AUTHORIZATION", ("digest",), r"(?i)digest\s[^\n]{0,400}?response=\\?\"(?P<secret>[0-9a-f]{32,64})"),
    own("AUTHORIZATION", ("signature=",), r"(?i)(?:aws4-hmac-sha256|signedheaders)[^\n]{0,600}?signature=(?P<secret>[0-9a-f]{64})"),
    own("AUTHORIZATION", ("bearer ",), r"(?i)(?<!\w)bearer\s{1,8}(?P<secret>(?=[\w.~+/-]{0,500}\d)[\w.~+/-]{16,4000}=*)"),
    own("AUTHORIZATION", ("basic ",), r"(?i)(?<!\w)basic\s{1,8}(?P<secret>(?=[\w+/]{0,200}[A-Z0-9])[A-Za-z0-9+/]{12,2000}={1,2})(?![\w=])"),
    own("COOKIE", ("cookie",),
        r"(?i)(?<![\w])set-cookie\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?[\w.-]{1,80}=(?P<secret>[^\s;\"'\\<]{4,4000})",
        r"(?i)(?<![\w-])cookie\\{0,3}[\"']?\s{0,4}[:=]\s{0,4}\\{0,3}[\"']?(?P<secret>[\w.-]{1,80}=[^\n\"'\\<]{4,4000})"),
    own("PASSWORD", ("-p", "sshpass"),
        r"(?<![\w-])(?:mysql|mysqldump|mysqladmin|mariadb|mysqlsh|sshpass|docker login|podman login|helm registry login|az login|mongo|mongosh|mongodump)\b[^\n|;]{0,200}?\s-p[ =]?(?P<secret>[^\s\"'<|;-][^\s\"'<|;]{2,200})",
        r"(?<![\w-])(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|docker login|mongo|mongosh)\b[^\n|;]{0,200}?\s-p[ =]?(?:'(?P<secret>[^'\n<]{3,200})'|\"[^\"\n]{3,200}\")"),
    own("PASSWORD", ("redis-cli",), r"redis-cli\b[^\n|;]{0,200}?\s(?:-a|--pass)[ =](?P<secret>[^\s\"'<|;]{3,200})"),
    own("PASSWORD", ("curl", "wget", "http"), r"(?<!\w)(?:curl|wget|http)\b[^\n|]{0,300}?\s(?:-u|--user)[ =][\"']?[\w.@+-]{1,80}:(?P<secret>[^\s\"'<]{2,200})"),
    own("PASSWORD", ("identified ", "password '"), r"(?i)identified\s+(?:with\s+\S{1,40}\s+)?by\s+(?:password\s+)?'(?P<secret>[^'\n<]{1,200})'", r"(?i)password\s+'(?P<secret>[^'\n<]{1,200})'"),
    own("PASSWORD", ("login ",), r"(?<!\w)login\s+\S{1,80}\s+password\s+(?P<secret>[^\s<]{1,200})"),
    own("PASSWORD", ("--",), r"(?i)(?<![\w-])--?[\w-]{0,40}(?:password|passwd|passphrase|pwd)\s+[\"']?(?P<secret>[^\s\"'<-][^\s\"'<]{1,200})", check=_value),
    own("SECRET", ("--",), r"(?i)(?<![\w-])--[\w-]{0,40}(?:token|secret|api-?key|access-?key|private-?key|secret-?key)\s+[\"']?(?P<secret>[^\s\"'<-][^\s\"'<]{7,2000})"),
    own("SECRET", ("\"value", "'value", "\\\"value"),
        rf"(?i)(?:name|key)\\{{0,3}}[\"']\s{{0,4}}:\s{{0,4}}\\{{0,3}}[\"'][\w.-]{{0,60}}(?:{_PASSWORDS}|{_KEYS}|secret|token|credentials?)\\{{0,3}}[\"'],?\s{{0,4}}\\{{0,3}}[\"']value\\{{0,3}}[\"']\s{{0,4}}:\s{{0,4}}\\{{0,3}}[\"'](?P<secret>[^\"'\\<]{{3,2000}})"),
    own("SECRET", ("value:",), rf"(?i)(?<!\w)name:\s{{0,4}}[\"']?[\w.-]{{0,60}}(?:{_PASSWORDS}|{_KEYS}|secret|token|credentials?)\w{{0,20}}[\"']?\s{{1,40}}value:\s{{0,4}}[\"']?(?P<secret>[^\s\"'<]{{3,2000}})"),
    own("SECRET", ("secret_access_key ",), r"(?i)secret_access_key\s{1,4}(?P<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])"),
    own("SECRET", ("auth",), r"(?<!\w)auth\\{0,3}[\"']\s{0,4}:\s{0,4}\\{0,3}[\"'](?P<secret>[A-Za-z0-9+/]{12,400}={0,2})\\{0,3}[\"']"),
    own("PASSWORD", ("密码", "口令", "密碼"), r"(?:密码|口令|密碼)(?:是|为|为：|改为|设为|已重置为)\s?[“\"「]?(?P<secret>[A-Za-z0-9!-/:-@\[-`{-~]{4,100})"),
    own("SECRET", ("密钥", "令牌"), r"(?:密钥|令牌)(?:是|为|为：)\s?[“\"「]?(?P<secret>[A-Za-z0-9_+/=.-]{8,400})"),
    own("PASSWORD", ("password",), r"(?i)(?<!\w)(?:with|using)\s+password\s+[\"']?(?P<secret>(?=[^\s\"']{0,60}[\d!@#$%^*])[^\s\"',;<]{6,200})"),
    _named("PASSWORD", ("pass", "pwd", "contrase", "senha", "密码", "口令", "密碼"), _PASSWORDS, rf"{_BARE}{{1,500}}", _value),
    _named("SECRET", ("secret", "key", "token", "signature", "credential", "sessionid", "_auth", "密钥", "令牌", "私钥"), _KEYS, rf"{_BARE}{{8,2000}}", _value),
    _named("SECRET", ("secret", "token", "credential", "?sig", "&sig", "?key", "&key", "code=", "auth=", "accountkey"), _VAGUE, rf"{_TEXT}{{12,2000}}", _drawn),
)  # fmt: skip
