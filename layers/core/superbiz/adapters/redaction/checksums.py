"""The check digits of cards and national ids, each over the plain characters without blanks and marks.

Luhn: ISO/IEC 7812-1. IBAN: ISO 13616 with ISO 7064 mod 97-10. Chinese resident id: GB 11643 (ISO 7064 mod 11-2). Steuer-ID: ISO 7064
mod 11,10. Aadhaar: Verhoeff's dihedral check.
"""
# ruff: noqa: D103 (a check is named after what it checks)

import re
from datetime import date

_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CHINESE = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
_TURNED = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)
# First digits and lengths that card networks issue: Visa, Mastercard, American Express, Discover, JCB, Diners Club, UnionPay, Maestro.
_CARDS = re.compile(
    r"4\d{15}|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}|6(?:011|4[4-9]\d|5\d\d)\d{12}|"
    r"35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[689]\d)\d{11}|62\d{14,17}|(?:5018|5020|5038|6304|6759|676[1-3])\d{12}"
)
_IBAN_CHARS = dict(
    pair.split(":")
    for pair in [
        "AD:24",
        "AE:23",
        "AL:28",
        "AT:20",
        "AZ:28",
        "BA:20",
        "BE:16",
        "BG:22",
        "BH:22",
        "BR:29",
        "CH:21",
        "CR:22",
        "CY:28",
        "CZ:24",
        "DE:22",
        "DK:18",
        "DO:28",
        "EE:20",
        "EG:29",
        "ES:24",
        "FI:18",
        "FO:18",
        "FR:27",
        "GB:22",
        "GE:22",
        "GI:23",
        "GL:18",
        "GR:27",
        "GT:28",
        "HR:21",
        "HU:28",
        "IE:22",
        "IL:23",
        "IQ:23",
        "IS:26",
        "IT:27",
        "JO:30",
        "KW:30",
        "KZ:20",
        "LB:28",
        "LI:21",
        "LT:20",
        "LU:20",
        "LV:21",
        "MC:27",
        "MD:24",
        "ME:22",
        "MK:19",
        "MR:27",
        "MT:31",
        "MU:30",
        "NL:18",
        "NO:15",
        "PK:24",
        "PL:28",
        "PS:29",
        "PT:25",
        "QA:29",
        "RO:24",
        "RS:22",
        "SA:24",
        "SE:24",
        "SI:19",
        "SK:24",
        "SM:27",
        "TN:24",
        "TR:26",
        "UA:29",
        "VA:22",
        "VG:24",
        "XK:20",
    ]
)


def card(digits: str) -> bool:
    return bool(_CARDS.fullmatch(digits)) and luhn(digits) and len(set(digits)) > 1


def luhn(digits: str) -> bool:
    doubled = (int(d) * (2 if n % 2 else 1) for n, d in enumerate(reversed(digits)))
    return sum(d - 9 if d > 9 else d for d in doubled) % 10 == 0


def iban(text: str) -> bool:
    if _IBAN_CHARS.get(text[:2]) != str(len(text)):
        return False
    return int("".join(str(int(c, 36)) for c in text[4:] + text[:4])) % 97 == 1


def chinese_id(text: str) -> bool:
    check = "10X98765432"[sum(int(d) * w for d, w in zip(text, _CHINESE, strict=False)) % 11]
    return check == text[17].upper() and _is_day(text[6:14])


def social_security(digits: str) -> bool:
    area, group, serial = digits[:3], digits[3:5], digits[5:]
    return area not in ("000", "666") and area[0] != "9" and group != "00" and serial != "0000"


def spanish_id(text: str) -> bool:
    digits = str("XYZ".find(text[0])) + text[1:8] if text[0] in "XYZ" else text[:8]
    return _LETTERS[int(digits) % 23] == text[8].upper()


def german_tax_id(digits: str) -> bool:
    left = 10
    for d in digits[:10]:
        left = ((int(d) + left) % 10 or 10) * 2 % 11
    return digits[0] != "0" and (11 - left) % 10 == int(digits[10])


def aadhaar(digits: str) -> bool:
    return digits[0] in "23456789" and verhoeff(digits) == 0


def verhoeff(digits: str) -> int:
    """0 where the last digit is the check digit of the others."""
    check = 0
    for place, d in enumerate(reversed(digits)):
        turned = int(d)
        for _ in range(place % 8):
            turned = _TURNED[turned]
        check = _dihedral(check, turned)
    return check


def brazilian_id(digits: str) -> bool:
    def check(n: int) -> int:
        return sum(int(d) * (n + 1 - at) for at, d in enumerate(digits[:n])) * 10 % 11 % 10

    return len(set(digits)) > 1 and check(9) == int(digits[9]) and check(10) == int(digits[10])


def french_id(text: str) -> bool:
    digits = text.replace("2A", "19").replace("2B", "18") if len(text) == 15 else ""
    return digits.isdigit() and 97 - int(digits[:13]) % 97 == int(digits[13:])


def _dihedral(a: int, b: int) -> int:
    """The product of the group of a pentagon's turns (0-4) and flips (5-9)."""
    if a < 5:
        return (a + b) % 5 if b < 5 else 5 + (a + b) % 5
    return 5 + (a - b) % 5 if b < 5 else (a - b) % 5


def _is_day(text: str) -> bool:
    try:
        return 1900 <= date(int(text[:4]), int(text[4:6]), int(text[6:])).year <= 2100
    except ValueError:
        return False
