"""What a runbook tells people to do: the items, sentences and commands of its sections, each word for word as it stands there.

A section's headings say what its text is for. Steps that act come before steps that look; what a page tells of meaning and impact is none.
"""

import re
from collections.abc import Iterable, Iterator
from enum import IntEnum
from itertools import takewhile
from typing import NamedTuple

from superbiz.domain import markdown, words
from superbiz.domain.chunking import HEADING_JOIN

SHORTEST, SHORTEST_IDEOGRAPHIC, LONGEST = 12, 4, 300

# What headings of this kind are called, in words that begin one of theirs.
_ACT = r"""mitigat remed resol fix(es)?\b recover actions?\b steps?\b procedure workaround repair restor roll\s?back solution solve respon
    what\sto\sdo how\sto immediate next 处理 处置 解决 修复 恢复 应急 措施 步骤 操作 方案 缓解 止损 回滚 怎么办"""
_LOOK = r"""diagnos investigat troubleshoot debug check verif triage analy confirm inspect 诊断 排查 检查 定位 分析 确认 验证"""
_TELL = r"""meaning impact background overview summary severity referenc see\salso links?\b further related history owner contact about
    description context symptom notes?\b example 含义 影响 背景 参考 概述 说明 链接 联系 相关 现象 示例"""
_ITEM = re.compile(
    r"\s*(?:[-*+•]|\(?\d{1,2}[.)、]|（\d{1,2}）|[一二三四五六七八九十]{1,3}、|步骤\s?\d{1,2}\s?[:：])\s*(?:\[[ xX]\]\s+)?(.*)\Z", re.DOTALL
)
_BULLET_WITHOUT_SPACE = re.compile(r"\s*(?:[-*+]|\d{1,2}[.)])(?![ \t])")
_SENTENCE = re.compile(r"(?:[^.。!！?？;；\n]|[.!?;](?!\s|\Z)|\.(?=\s+[a-z])|\n(?!\s*\n))+[.。!！?？;；]?")
_FENCE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[ \t]*([\w-]*)")
_PROMPT = re.compile(r"\s*(?:\$|>|PS[^>]*>)\s+(?=\S)")
_LIKELY = re.compile(r"\s*(?!\w+ (?:by|without) \()[a-z./][\w./-]*(?:=\S*)?(?:\s+\S|\Z)|\s*[A-Z_]+=\S|\s*\Z")
_SHELLS = frozenset(("", "sh", "bash", "shell", "console", "zsh", "terminal", "powershell", "cmd", "sql", "shell-session", "sh-session"))
_URGES = re.compile(
    r"""(?:please\s|then\s|first,?\s|also\s)*(?:add|adjust|apply|ask|attach|call|change|check|clean|clear|compare|configure|confirm|consider|contact|
    cordon|create|decrease|delete|deploy|describe|determine|disable|drain|edit|enable|ensure|escalate|examine|expand|find|fix|free|get|go|identify|
    increase|inspect|investigate|kill|limit|list|log|look|lower|make|measure|move|open|page|pause|query|raise|read|rebuild|recreate|reduce|remove|
    renew|repair|replace|resize|restart|restore|revert|review|roll|rotate|run|scale|set|spread|start|stop|switch|tell|try|tune|turn|unset|update|
    upgrade|use|verify|wait|watch|you\s(?:can|could|may|might|should|must|need))\b|[^a-z]*(?:请|先|再|检查|查看|确认|重启|扩容|回滚|联系|执行|增加|减少|删除)""",
    re.IGNORECASE | re.VERBOSE,
)
_EMPTY = re.compile(r"(?:todo|tbd|n/?a|none|nil|暂无|待补充|无)\W*\Z", re.IGNORECASE)
_NO_PROSE = ("#", "|", "![", "<", ">", "[")
_LINK_ALONE = re.compile(r"(?:see|参见|参考)?\W*\[[^\]]*\]\([^)]*\)\W*\Z|(?:see\s+)?<?https?://\S+>?\W*\Z", re.IGNORECASE)


class Kind(IntEnum):
    """What a section is for, in the order of its steps."""

    ACT = 0
    LOOK = 1
    OTHER = 2
    TELL = 3


class Step(NamedTuple):
    """`passage` stands in the page as it is; a `command` can be run as it is."""

    passage: str
    kind: Kind
    command: bool = False
    item: bool = False

    @property
    def text(self) -> str:
        """On one line."""
        return " ".join(self.passage.split())

    @property
    def urges(self) -> bool:
        """Whether it is a command, or an item or sentence that begins as one asks for something."""
        return self.command or self.item or _URGES.match(self.text) is not None


def first(found: Iterable[Step], count: int) -> list[Step]:
    """The steps to take first, each once: what acts before what looks, what is asked for before what is only told, then in their order."""
    once: dict[str, Step] = {}
    for step in found:
        once.setdefault(step.text, step)
    return sorted(once.values(), key=lambda step: (step.kind, not step.urges))[:count]


def kind_of(heading: str) -> Kind:
    """By the innermost of its headings that says it. A title alone says nothing: pages are called after what they are about."""
    for part in reversed(heading.split(HEADING_JOIN)[1:]):
        for kind, pattern in _KINDS.items():
            if pattern.search(part):
                return kind
    return Kind.OTHER


def steps(heading: str, text: str) -> list[Step]:
    """The steps of one passage, in its order: list items, and where its headings say that it holds steps, sentences and commands too."""
    kind = kind_of(heading)
    if kind is Kind.TELL:
        return []
    return [step for step in _told(text, kind) if step.command or _says_something(step.text)]


def _told(text: str, kind: Kind) -> Iterator[Step]:
    """Items within items belong to those around them. A passage may begin amid a sentence: that is none of its own."""
    margin = _margin(text)
    for block in _blocks(text):
        fence = _FENCE.match(block)
        item = _item_of(block)
        if fence:
            yield from _commands(block, fence[1].lower(), kind)
        elif item is not None:
            if len(block) - len(block.lstrip()) <= margin:
                yield Step(item, kind, item=True)
        elif kind is not Kind.OTHER and not block.lstrip().startswith(_NO_PROSE):
            amid = text.lstrip().startswith(block.strip()) and block.lstrip()[:1].islower()
            yield from [Step(found[0].strip(), kind) for found in _SENTENCE.finditer(block) if found[0].strip()][amid:]


def _margin(text: str) -> int:
    """How far the outermost items of a passage are set in."""
    return min((len(block) - len(block.lstrip()) for block in _blocks(text) if _item_of(block) is not None), default=0)


def _blocks(text: str) -> Iterator[str]:
    """Fences, list items with the lines that go on with them, and paragraphs."""
    block: list[str] = []
    fence = 0
    for line in markdown.lines_of(text):
        begins = line.fence != fence or (not line.fence and (not line.text.strip() or _item_of(line.text) is not None))
        if begins and block:
            yield "\n".join(block)
            block = []
        fence = line.fence
        if line.text.strip():
            block.append(line.text)
    if block:
        yield "\n".join(block)


def _item_of(block: str) -> str | None:
    """The text of a list item."""
    found = _ITEM.match(block)
    return found[1].strip() if found and not _BULLET_WITHOUT_SPACE.match(block) else None


def _commands(block: str, language: str, kind: Kind) -> Iterator[Step]:
    """The commands of a fence. Where one has a prompt, the lines without are what it printed; else what looks like no command ends them."""
    if language not in _SHELLS or kind is Kind.OTHER:
        return
    lines = [line for line in block.split("\n")[1:] if not _FENCE.match(line) and not line.lstrip().startswith(("#", "--"))]
    prompted = [_PROMPT.sub("", line, count=1) for line in lines if _PROMPT.match(line)]
    likely = takewhile(lambda line: language == "sql" or _LIKELY.match(line), lines)
    for line in prompted or likely:
        command = line.strip()
        if command and len(command) <= LONGEST and not command.endswith("\\"):
            yield Step(command, kind, command=True)


def _says_something(text: str) -> bool:
    shortest = SHORTEST_IDEOGRAPHIC if any(words.is_ideographic(c) for c in text) else SHORTEST
    return shortest <= len(text) <= LONGEST and not _EMPTY.match(text) and not _LINK_ALONE.match(text) and not text.endswith((":", "："))


def _pattern(beginnings: str) -> re.Pattern[str]:
    latin = [b for b in beginnings.split() if b.isascii()]
    other = [b for b in beginnings.split() if not b.isascii()]
    return re.compile(rf"\b(?:{'|'.join(latin)})|{'|'.join(other)}", re.IGNORECASE)


_KINDS = {Kind.ACT: _pattern(_ACT), Kind.LOOK: _pattern(_LOOK), Kind.TELL: _pattern(_TELL)}
