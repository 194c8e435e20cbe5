"""Fixed replies to what needs no evidence: a greeting, what the agent can do, a question too vague to start on.

The catalogue knows whole messages only. Anything else, and above all anything that could name a system, a symptom, a time, an error or
a resource, gets None and is diagnosed: a needless diagnosis costs a little, a fob-off costs trust.
"""

import re
import unicodedata
from enum import StrEnum
from typing import NamedTuple

MAX_CHARS = 60


class Kind(StrEnum):
    GREETING = "greeting"
    HELP = "help"
    VAGUE = "vague"


class Topic(NamedTuple):
    """`phrases` are whole messages, in lower case, without punctuation."""

    kind: Kind
    language: str
    phrases: frozenset[str]


REPLIES = {
    (Kind.GREETING, "en"): "Hello. Tell me which service or alarm is in trouble and since when, and I will look for the cause.",
    (Kind.GREETING, "zh"): "你好。请告诉我哪个服务或告警出了问题、从什么时候开始，我来查找原因。",
    (
        Kind.HELP,
        "en",
    ): "I diagnose incidents on AWS. Ask about a service, an alarm, an error or a slow endpoint, with the time if you know it. "
    "I read logs, metrics, traces, changes and runbooks, and every statement of my report cites its evidence.",
    (Kind.HELP, "zh"): "我用于诊断 AWS 上的故障。请描述服务、告警、错误或变慢的接口，最好带上时间。"
    "我会查看日志、指标、调用链、变更和运维手册，报告中的每一句结论都附有证据。",
    (Kind.VAGUE, "en"): "Which service, alarm or endpoint is in trouble, what do you see there, and since when?",
    (Kind.VAGUE, "zh"): "请问是哪个服务、告警或接口出了问题？具体现象是什么，从什么时候开始？",
}


def _topic(kind: Kind, language: str, phrases: str) -> Topic:
    return Topic(kind, language, frozenset(phrase.strip() for phrase in phrases.split("|")))


CATALOGUE = (
    _topic(
        Kind.GREETING,
        "en",
        "hi|hello|hey|hi there|hello there|hey there|good morning|good afternoon|good evening|greetings|howdy"
        "|thanks|thank you|thank you very much|many thanks|bye|goodbye|how are you",
    ),
    _topic(Kind.GREETING, "zh", "你好|您好|嗨|大家好|早上好|上午好|下午好|晚上好|在吗|你好吗|谢谢|谢谢你|多谢|再见"),
    _topic(
        Kind.HELP,
        "en",
        "help|what can you do|what can you do for me|what do you do|who are you|what are you|how do you work|how can you help"
        "|how can you help me|how do i use you|how do i use this|what can i ask|what can i ask you",
    ),
    _topic(
        Kind.HELP, "zh", "帮助|你能做什么|你可以做什么|你会做什么|你能帮我做什么|你是谁|你有什么功能|怎么用|怎么使用|如何使用|我可以问什么"
    ),
    _topic(
        Kind.VAGUE,
        "en",
        "help me|can you help|can you help me|i need help|i have a problem|i have an issue|i have a question|something is wrong"
        "|something went wrong|it does not work|it doesnt work|it is not working|its not working|it is broken|its broken|test",
    ),
    _topic(Kind.VAGUE, "zh", "帮帮我|救命|请帮忙|我需要帮助|我有一个问题|我有个问题|有问题|出问题了|出错了|不行了|坏了|测试"),
)
_PADDING = re.compile(r"^(?:please |请)|(?: please| superbiz| agent)$|^(?:hi|hello|hey|你好|您好) (?=\S)")


def fixed_reply(query: str) -> str | None:
    """The catalogue's reply in the language of the message, or None where the message has to be diagnosed."""
    found = kind_of(query)
    return REPLIES[found] if found else None


def kind_of(query: str) -> tuple[Kind, str] | None:
    """(kind, language) of a message of the catalogue."""
    if len(query) > MAX_CHARS:
        return None
    message = _bare(query)
    tried = {message, _PADDING.sub("", message), _PADDING.sub("", _PADDING.sub("", message))}
    return next(((topic.kind, topic.language) for topic in CATALOGUE if tried & topic.phrases), None)


def _bare(query: str) -> str:
    """Lower case, one space between words, punctuation and emoji gone. Letters and digits all stay: one too many, and nothing matches."""
    folded = unicodedata.normalize("NFKC", query).casefold().replace("'", "").replace("’", "")
    return " ".join("".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in folded).split())
