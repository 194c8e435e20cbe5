"""Bad log lines among healthy ones: the run ends, nobody is accused, and what could not be used is said."""

import gzip
import json
import re
import time
from datetime import timedelta
from typing import Any

import pytest

from support.worlds import LOGS, NORMAL_LOGS, ORDERS, PAYMENTS, START, Files, Row, assert_honest, one_line, said

MEGABYTE = 1024 * 1024
AT = START + timedelta(minutes=5)
FIRST_MS, LAST_MS = -62_135_596_800_000, 253_402_300_799_000  # the years 1 and 9999
LANGUAGES = (
    "заказ сохранён", "замовлення збережено", "поръчката е записана", "наруџба сачувана", "нарачката е зачувана", "заказ захаваны",
    "הזמנה נשמרה", "تم حفظ الطلب", "سفارش ذخیره شد", "آرڈر محفوظ ہوا", "आदेश सहेजा गया", "অর্ডার সংরক্ষিত", "ਆਰਡਰ ਸੰਭਾਲਿਆ", "ઓર્ડર સાચવ્યો",
    "ஆர்டர் சேமிக்கப்பட்டது", "ఆర్డర్ సేవ్ అయింది", "ಆದೇಶ ಉಳಿಸಲಾಗಿದೆ", "ഓർഡർ സംരക്ഷിച്ചു", "ඇණවුම සුරකින ලදී", "订单已保存", "訂單已儲存", "注文を保存しました",
    "주문이 저장됨", "บันทึกคำสั่งซื้อแล้ว", "ບັນທຶກແລ້ວ", "အော်ဒါသိမ်းပြီး", "បានរក្សាទុក", "བཀའ་བརྒྱུད", "შეკვეთა შენახულია",
    "պատվերը պահպանված է", "ትዕዛዝ ተቀምጧል",
    "η παραγγελία αποθηκεύτηκε", "đơn hàng đã lưu", "pöntun vistuð", "sipariş kaydedildi", "zamówienie zapisane", "objednávka uložena",
    "objednávka uložená", "naročilo shranjeno", "rendelés mentve", "comandă salvată", "tellimus salvestatud", "pasūtījums saglabāts",
    "užsakymas išsaugotas", "tilaus tallennettu", "beställning sparad", "bestelling opgeslagen", "Bestellung gespeichert",
    "commande enregistrée", "pedido guardado", "encomenda guardada", "захиалга хадгалагдсан",
)  # fmt: skip


def said_too(*rows: Row | bytes) -> Any:
    return lambda w: w | {LOGS: [*w[LOGS], *rows]}


def messages(*texts: str) -> Any:
    return said_too(*(one_line(text) for text in texts))


def through(change: Any, names: tuple[str, ...] = (LOGS,)) -> Any:
    return lambda w: w | {name: [change(n, row) for n, row in enumerate(w[name])] for name in names}


def coloured(_: int, row: Row) -> Row:
    return row | {"message": "\x1b[32m" + row["message"].replace("INFO", "INFO\x1b[0m")}


def later(by: timedelta, which: Any) -> Any:
    return through(lambda n, row: row | {"timestamp": row["timestamp"] + (int(by.total_seconds() * 1000) if which(n, row) else 0)})


def without_final_newline(files: Files) -> Files:
    return files | {LOGS: gzip.compress(b"\n".join(json.dumps(row).encode() for row in files[LOGS]))}


def bytes_in(text: bytes) -> bytes:
    """A line whose message holds these bytes as they are."""
    return json.dumps(one_line("INFO order @ stored")).encode().replace(b"@", text)


SPOILED = {
    "a line of 1 MB": messages("INFO " + "payload " * (MEGABYTE // 8)),
    "a word of 1 MB": messages("x" * MEGABYTE),
    "a JSON line of 1 MB": messages(json.dumps({"level": "info", "message": "x" * MEGABYTE})),
    "binary": messages(*("".join(chr(n * k % 256) for k in range(200)) for n in range(1, 6))),
    "nothing but binary": through(lambda n, row: row | {"message": "".join(chr(n * k % 256) for k in range(100))}),
    "invalid UTF-8": said_too(*[bytes_in(b"caf\xc3\x28\xff")] * 3),
    "lone surrogates": said_too(bytes_in(rb"\ud800 \udc00")),
    "50 languages": messages(*(f"INFO {words} {n}" for n, words in enumerate(LANGUAGES))),
    "no final newline": without_final_newline,
    "colours in some lines": messages(*(f"\x1b[31mINFO\x1b[0m request \x1b[1m{n}\x1b[0m took 20 ms" for n in range(8))),
    "colours now": through(coloured),
    "colours always": through(coloured, (LOGS, NORMAL_LOGS)),
    "empty lines": messages(*["", " ", "\n", "\t\t", "\r\n", "\x00", "<*>"] * 3),
    "no names": said_too(one_line("INFO a", log_group="", log_stream=""), one_line("INFO a", log_group="/", log_stream="/")),
    "names of 5,000 letters": said_too(one_line("INFO a", log_group="g" * 5_000, log_stream="s" * 5_000)),
    "a thousand services": said_too(*(one_line(f"INFO ready {n}", service=f"service-{n}") for n in range(1_000))),
    "years 1 and 9999": said_too(one_line("INFO a", timestamp=FIRST_MS), one_line("INFO a", timestamp=LAST_MS)),
    "out of order": said_too(*(one_line(f"INFO request {n} took 20 ms", at=AT - timedelta(seconds=n)) for n in range(20))),
    "backwards": lambda w: w | {LOGS: w[LOGS][::-1]},
    "half of them a day late": later(timedelta(days=1), lambda n, _: n % 2),
    "all of them an hour late": later(timedelta(hours=1), lambda *_: True),
    "one service a day late": later(timedelta(days=1), lambda _, row: PAYMENTS in row["log_group"]),
    "stack frames without a start": messages(*["\tat com.shop.Orders.save(Orders.java:41)", "Caused by: nothing"] * 5),
    "JSON that breaks off": messages('{"level":"info","message":"a', "{" * 1_000, "[" * 1_000, '{"a":' * 200),
    "JSON of any shape": messages("{}", "[]", "null", "0", '{"":{"":[]}}', '{"level":null,"code":1e999}', '{"level":["error"]}'),
}


@pytest.mark.parametrize("name", SPOILED)
def test_bad_lines_accuse_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(SPOILED[name]))


@pytest.mark.parametrize("name", ["binary", "nothing but binary", "50 languages", "colours now", "half of them a day late"])
def test_a_question_over_bad_lines_accuses_nobody(spoiled: Any, name: str) -> None:
    assert_honest(spoiled(SPOILED[name], question=True))


SAID = {
    "invalid UTF-8": r"3 lines held bytes that are no UTF-8",
    "a line of 1 MB": r"64,000 characters.*beginning",
    "years 1 and 9999": r"outside|clock|time",
    "half of them a day late": r"outside|clock|time",
    "all of them an hour late": r"outside|clock|time",
}


@pytest.mark.parametrize("name", SAID)
def test_what_of_the_lines_could_not_be_used_is_said(spoiled: Any, name: str) -> None:
    told = "\n".join(line for line in said(spoiled(SPOILED[name])).splitlines() if re.search("log|line", line))
    assert re.search(SAID[name], told, re.IGNORECASE)


HOSTILE = ("a.", "1 ", "a-", "{")


def test_hostile_lines_of_a_megabyte_are_read_in_bounded_time(spoiled: Any) -> None:
    """Four of them take a second, most of it to look for ids of spans in them."""
    begun = time.process_time()
    diagnosis = spoiled(messages(*("ERROR " + (part * MEGABYTE)[:MEGABYTE] for part in HOSTILE)))
    assert time.process_time() - begun < 10
    assert diagnosis.record.report["status"] == "SUCCESS"


def test_a_failing_service_among_rubbish_is_still_found(spoiled: Any) -> None:
    rubbish = SPOILED["binary"], SPOILED["50 languages"], SPOILED["colours in some lines"], SPOILED["out of order"]
    error = "ERROR order {n} failed: java.lang.OutOfMemoryError: Java heap space"

    def spoil(files: Files) -> Files:
        for one in rubbish:
            files = one(files)
        return said_too(*(one_line(error.format(n=n), at=AT + timedelta(seconds=n)) for n in range(300)))(files)

    report = spoiled(spoil).record.report
    assert report["root_causes"][0]["resource"] == ORDERS
