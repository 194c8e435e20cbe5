"""Values as items, and back.

Each field of a value is an attribute of its own name. Flags and integers are native; times are text of a fixed width, so that conditions
can compare them; whatever has structure (and every float) is canonical JSON text, so that numbers keep their spelling. A field that
is None has no attribute.

A text is stored by its size: as it is up to 1 KB, gzipped up to 50 KB, and beyond that in the object store under its hash, before the
item is written; the attribute then says where.
"""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from functools import cache
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from superbiz.adapters.listing import key_time
from superbiz.adapters.outputs import checked, object_key, packed, unpacked
from superbiz.domain import canonical
from superbiz.domain.values import JsonObject, Value
from superbiz.errors import Broken
from superbiz.ports import Objects

PLAIN_BYTES = 1_024
INLINE_BYTES = 50_000
SCALARS = (str, int, bool, date)

Attribute = dict[str, Any]
Item = dict[str, Attribute]
V = TypeVar("V", bound=Value)


class Mapper:
    """Maps with an object store at hand for what is too large for an item."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def item(self, value: Value) -> Item:
        """The value's attributes (without keys)."""
        dumped = value.model_dump(mode="json", by_alias=False)
        made: Item = {}
        for name in type(value).model_fields:
            raw = getattr(value, name)
            if raw is not None:
                made[name] = self.document(dumped[name]) if name in documents(type(value)) else self.scalar(raw)
        return made

    def value(self, kind: type[V], item: Mapping[str, Attribute]) -> V:
        """The value again. Raises Broken where the item does not hold one."""
        try:
            return kind.model_validate({name: self._field(kind, name, item.get(name)) for name in _present(kind, item)})
        except ValueError as e:
            where = item.get("PK", {}).get("S"), item.get("SK", {}).get("S")
            raise Broken(f"item {where} does not hold a {kind.__name__}: {e}", code="BAD_ITEM") from e

    def scalar(self, raw: Any) -> Attribute:
        """A flag, number, time, day or text."""
        if isinstance(raw, bool):
            return {"BOOL": raw}
        if isinstance(raw, int):
            return {"N": str(raw)}
        if isinstance(raw, datetime):
            return {"S": key_time(raw)}
        if isinstance(raw, date):
            return {"S": raw.isoformat()}
        return self.text(raw.value if isinstance(raw, Enum) else raw)

    def document(self, value: Any) -> Attribute:
        """A JSON value."""
        return self.text(canonical.dumps(value))

    def text(self, text: str) -> Attribute:
        """A text of any size."""
        data = text.encode("utf-8", "surrogatepass")
        if len(data) <= PLAIN_BYTES and _is_unicode(text):
            return {"S": text}
        small = packed(data)
        if len(small) <= INLINE_BYTES:
            return {"B": small}
        sha256 = canonical.sha256(data)
        self._objects.put(object_key(sha256), small)
        return {"M": {"sha256": {"S": sha256}, "size": {"N": str(len(data))}}}

    def read_text(self, attribute: Attribute) -> str:
        """A text again, from wherever it is."""
        if "S" in attribute:
            return str(attribute["S"])
        inline = "B" in attribute
        data = unpacked(bytes(attribute["B"]), "a stored text") if inline else self.aside(str(attribute["M"]["sha256"]["S"]))
        return data.decode("utf-8", "surrogatepass")

    def read_document(self, attribute: Attribute) -> Any:
        """A JSON value again, numbers in their spelling."""
        return canonical.loads(self.read_text(attribute))

    def read_object(self, item: Mapping[str, Attribute]) -> JsonObject:
        """The document of an item that holds nothing else."""
        return self.read_document(item["document"])  # type: ignore[no-any-return]

    def keep(self, sha256: str, small: bytes) -> None:
        """Put gzipped bytes aside under the hash of what they unpack to."""
        self._objects.put(object_key(sha256), small)

    def aside(self, sha256: str) -> bytes:
        """Bytes from the object store. Raises Broken where they are gone or changed."""
        small = self._objects.get(object_key(sha256))
        if small is None:
            raise Broken(f"object {object_key(sha256)} is gone", code="LOST_OBJECT", mend="restore it from the bucket's backup")
        return checked(unpacked(small, object_key(sha256)), sha256, object_key(sha256))

    def _field(self, kind: type[Value], name: str, attribute: Attribute | None) -> Any:
        if attribute is None:
            return None
        if "N" in attribute:
            return int(attribute["N"])
        if "BOOL" in attribute:
            return attribute["BOOL"]
        return self.read_document(attribute) if name in documents(kind) else self.read_text(attribute)


@cache
def documents(kind: type[Value]) -> frozenset[str]:
    """Names of the fields that are stored as JSON text."""
    return frozenset(name for name, field in kind.model_fields.items() if not _is_scalar(field.annotation))


@cache
def _nullable(kind: type[Value]) -> frozenset[str]:
    return frozenset(name for name, field in kind.model_fields.items() if type(None) in get_args(field.annotation))


def _present(kind: type[Value], item: Mapping[str, Attribute]) -> Sequence[str]:
    """A field that may be None and has no attribute *is* None, whatever its default."""
    return [name for name in kind.model_fields if name in item or name in _nullable(kind)]


def _is_scalar(annotation: Any) -> bool:
    origin = get_origin(annotation)
    if origin is Annotated:
        return _is_scalar(get_args(annotation)[0])
    if origin in (Union, UnionType):
        return all(arg is type(None) or _is_scalar(arg) for arg in get_args(annotation))
    return isinstance(annotation, type) and origin is None and issubclass(annotation, SCALARS)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
