"""What a model may propose: one plain step that begins with what to do, states nothing, harms nothing, and repeats no passage of the data.

An action needs no evidence, so that nothing else would keep a sentence of the model, or an order that stands in a record, out of the next
steps. What does not fit is left out; the steps that the rules and the runbooks give stand beside it.
"""

import re
from collections.abc import Iterable

from superbiz.domain.claims import Claim, ClaimType

MOST_WORDS = 40
PASSAGE_WORDS = 5  # so many in a row are a passage
DO = frozenset((
    "add", "adjust", "allow", "ask", "attach", "capture", "check", "clear", "collect", "compare", "configure", "confirm", "connect",
    "correct", "create", "decrease", "describe", "drain", "enable", "ensure", "examine", "extend", "failover", "find", "fix", "follow",
    "free", "give", "grow", "increase", "inspect", "investigate", "limit", "list", "look", "lower", "measure", "migrate", "monitor",
    "move", "open", "pause", "profile", "query", "raise", "read", "rebuild", "recreate", "reduce", "renew", "repeat", "replace",
    "replay", "resize", "restart", "restore", "resume", "retry", "return", "review", "revert", "roll", "rollback", "rotate", "route",
    "run", "scale", "search", "set", "shift", "split", "start", "stop", "switch", "take", "tail", "test", "throttle", "trace", "tune",
    "undo", "update", "upgrade", "use", "verify", "wait", "warm", "watch",
))  # fmt: skip
DO_CHINESE = re.compile(
    r"^(?:请)?(?:检查|查看|确认|比较|对比|回滚|重启|扩容|缩容|提高|增加|降低|减少|调整|恢复|限制|查询|打开|观察|监控|验证|切换|更新|升级|更换|轮换|排查|联系)"
)
# What tells of the world, and what does harm or discloses.
STATES = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|did|does|because|since|due|causes?d?|causing|which|who|whose|so|therefore|hence|proves?|proven"
    r"|shows?|showed|means?|meant|fail(?:s|ed)|ran|leaked|lost|crashed|broke|fell|rose|culprit|guilty|to blame|nothing|never)\b"
    r"|因为|由于|原因|导致|造成|所以|已经|了(?:[，。]|$)|正常|没有|是(?!否)",
    re.IGNORECASE,
)
HARMS = re.compile(
    r"\b(?:delete|deleting|drop|destroy|terminate|disable|erase|wipe|truncate|grant|expose|publish|publicly|public|send|post|upload|mail|e-?mail"
    r"|forward|exfiltrate|curl|wget|chmod|sudo|rm|eval|reveal|disclose|print|unmask|decrypt|bypass|ignore|kill|shut ?down|format)\b"
    r"|删除|关闭|禁用|销毁|发送|公开|泄露|忽略",
    re.IGNORECASE,
)
_ASKED = re.compile(r"\b(?:whether|if|how|where|when|why|what|until)\b[^,]*|是否.*", re.IGNORECASE)
_MORE = re.compile(r"[.!?;:]\s+\S|[。！？；：].|[\n\r]")
_ACTIVE = re.compile(r"://|\bwww\.|[<>`\[\]|@]|!\[", re.IGNORECASE)
_NAME = re.compile(r"[^\s,;()\"'，。；：]*[\d_./-][^\s,;()\"'，。；：]*")
_ODD = re.compile(r"[\d_./-]")
_WORD = re.compile(r"[\w]+")


def fit(claims: Iterable[Claim], recorded: str) -> tuple[Claim, ...]:
    """The claims without the actions that are no plain steps. `recorded` is all that was asked and recorded, in lower case."""
    kept = tuple(claims)
    if not any(c.claim_type is ClaimType.ACTION for c in kept):
        return kept
    words = f" {' '.join(_WORD.findall(recorded))} "
    return tuple(c for c in kept if c.claim_type is not ClaimType.ACTION or _is_own(c.claim_text, recorded, words))


def _is_own(text: str, recorded: str, words: str) -> bool:
    return is_step(text, recorded) and not _repeats(text, words)


def is_step(text: str, recorded: str) -> bool:
    """One sentence that says what to do, about what the evidence knows. What it asks (whether …, until …) states nothing."""
    line = text.strip()
    told = _ASKED.sub(" ", line)
    begins = (_WORD.findall(line.casefold()) or [""])[0] in DO or DO_CHINESE.match(line) is not None
    short = len(_WORD.findall(line)) <= MOST_WORDS
    wrong = any(pattern.search(part) for pattern, part in ((_MORE, line), (_ACTIVE, line), (HARMS, line), (STATES, told)))
    return begins and short and not wrong and all(name in recorded for name in _names(line))


def _names(line: str) -> list[str]:
    """Numbers and identifiers, without the punctuation around them."""
    found = (name.strip(".-/_").casefold() for name in _NAME.findall(line))
    return [name for name in found if _ODD.search(name)]


def _repeats(text: str, words: str) -> bool:
    """Whether the text, or a passage of it, stands in the data: an order that was found there is nobody's proposal."""
    own = _WORD.findall(text.casefold())
    size = min(PASSAGE_WORDS, len(own))
    return any(f" {' '.join(own[n : n + size])} " in words for n in range(len(own) - size + 1))
