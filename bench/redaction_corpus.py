"""A planted corpus: secrets and personal data in lines as systems write them, and decoys that must be kept. Drawn from a seed, fetched from nowhere."""
# ruff: noqa: E501 (a row of a table is one line)

import base64
import json
import random
import uuid
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from bench import redaction_values as v
from bench.redaction_values import Make


class Planted(NamedTuple):
    """A text that holds a secret or a personal datum. `key` is the JSON key that the text stands under, where it stands alone."""

    kind: str
    text: str
    secret: str
    key: str = ""


class Corpus(NamedTuple):
    """What must go, and what must stay."""

    secrets: tuple[Planted, ...]
    personal: tuple[Planted, ...]
    decoys: tuple[tuple[str, str], ...]


STAMP = datetime(2026, 7, 8, 23, 5, tzinfo=UTC)
SERVICES = ("order-service", "payments", "ts-travel-service", "checkout", "inventory-api")
# Where a token may stand: {} is the token.
ANYWHERE = (
    "2026-07-08T23:05:28.412Z ERROR [{service}] upstream refused key {}: 401 Unauthorized",
    '{{"level":"warn","service":"{service}","msg":"request failed","header":"{}","status":403}}',
    "    at com.example.client.HttpClient.send(HttpClient.java:212) token used was {}",
    "GET /v1/charges?limit=3&debug={} HTTP/1.1 502 118",
    "INSERT INTO audit(actor, token) VALUES ('app', '{}');",
    "env: SERVICE_CREDENTIAL={} REGION=eu-west-1",
    "[{service}] 调用上游失败，凭证 {}，请检查",
    "DEBUG {service} curl -H 'X-Thing: {}' https://api.example.com/v2/items",
)
PASSWORDS = (
    "postgres://app:{}@db.example.com:5432/orders", "mysql://root:{}@10.0.3.7:3306/shop", "mongodb+srv://svc:{}@cluster0.example.net/prod?retryWrites=true",
    "redis://:{}@cache-0.internal:6379/1", "amqp://guest:{}@mq.internal:5672/%2f", "jdbc:mysql://db:3306/shop?user=app&password={}&useSSL=true",
    "jdbc:sqlserver://sql;databaseName=x;user=sa;password={};encrypt=true", "Server=tcp:sql.example.net,1433;User ID=app;Password={};Encrypt=True",
    "Data Source=db;Uid=app;Pwd={};", "app:{}@tcp(10.0.3.7:3306)/orders", "clone of https://deploy:{}@git.example.com/shop.git failed",
    "DB_PASSWORD={}", "export PGPASSWORD={}; psql -h db", "spring.datasource.password={}", "  password: {}", '  password: "{}"', "db_passwd = '{}'",
    '{{"user":"app","password":"{}"}}', '"{{\\"user\\":\\"app\\",\\"password\\":\\"{}\\"}}"', "login failed with password={} for user app",
    "ERROR Access denied (using password '{}')", "mysql -h db -uroot -p{} shop", "mysqldump --host db --password={} shop", "app --user svc --password {} --retry 3",
    "sshpass -p {} ssh ops@bastion", "redis-cli -h cache -a {} ping", "curl -u svc:{} https://api.example.com/", "CREATE USER 'app'@'%' IDENTIFIED BY '{}'",
    "ALTER ROLE app WITH PASSWORD '{}'", "machine git.example.com login bot password {}", "数据库密码：{}，请勿外传", "密码是{}", "口令: {}", "POST /login username=bob&password={}",
    "GET /legacy/login?user=bob&pwd={}&x=1 HTTP/1.1", "<property name='x'/> truststorePassword={}", '{{"name":"DB_PASSWORD","value":"{}"}}', "docker login -u bot -p {} registry.example.com",
)  # fmt: skip
SECRETS = (
    "aws_secret_access_key = {}", "AWS_SECRET_ACCESS_KEY={}", '"secretAccessKey": "{}"', "client_secret={}&grant_type=client_credentials", "api_key: {}",
    "X-Api-Key: {}", "x-api-key={}", "apiKey=\"{}\"", "access_token={}&expires_in=3600", "refresh_token: '{}'", "GET /cb?token={} HTTP/1.1", "https://x.example.com/hook?api_key={}&v=2",
    "https://acct.blob.core.windows.net/c/b?sv=2022-11-02&se=2026-07-09&sr=b&sp=r&sig={}", "https://b.s3.amazonaws.com/k?X-Amz-Security-Token={}&X-Amz-Date=20260708T230528Z",
    "DefaultEndpointsProtocol=https;AccountName=shop;AccountKey={};EndpointSuffix=core.windows.net", "Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}",
    "tool --token {} --verbose", "tool --api-key={}", "SECRET_KEY = '{}'", "encryption_key={}", "signing_secret: {}", "//registry.npmjs.org/:_authToken={}", '{{"auths":{{"r.example.com":{{"auth":"{}"}}}}}}',
    "    client-key-data: {}", "密钥：{}", "访问令牌={}", "session_token={}", "X-Auth-Token: {}", "JSESSIONID={}; Path=/", '{{"name":"API_TOKEN","value":"{}"}}', "SLACK_TOKEN={}", "credentials={}",
)  # fmt: skip
HEADERS = (
    "Authorization: Bearer {}", "authorization=Bearer {}", '"Authorization":["Bearer {}"]', '{{"headers":{{"authorization":"Basic {}"}}}}', "Proxy-Authorization: Basic {}", "sent Bearer {} to auth",
    "Authorization: token {}", "Authorization: {}", "Cookie: sid={}; theme=dark", '"cookie":"session={}"', "Set-Cookie: sid={}; HttpOnly; Secure",
)  # fmt: skip
KEYS = (
    "password",
    "dbPassword",
    "DB_PASSWORD",
    "clientSecret",
    "api_key",
    "apiKey",
    "accessToken",
    "secret_access_key",
    "authorization",
    "x-api-key",
    "private_key",
    "cookie",
)


def corpus(seed: int) -> Corpus:
    """All of it, drawn anew for each seed."""
    r = random.Random(seed)
    return Corpus(tuple(_secrets(r)), tuple(_personal(r)), tuple(_decoys(r)))


def _secrets(r: random.Random) -> Sequence[Planted]:
    found = [_set(r, kind, context, make(r)) for kind, make in v.TOKENS.items() for context in r.sample(ANYWHERE, 4)]
    found += [_set(r, "password", context, v.password(r)) for context in PASSWORDS for _ in range(3)]
    found += [_set(r, "labelled secret", context, _drawn(r)) for context in SECRETS for _ in range(3)]
    found += [
        _set(r, "header", context, base64.b64encode(v.draw(r, v.ALNUM, 27).encode()).decode()) for context in HEADERS for _ in range(3)
    ]
    found += [Planted("by its key", value, value, key) for key in KEYS for value in (_drawn(r), v.draw(r, v.ALNUM, 10) + "7a")]
    found += [_presigned(r) for _ in range(6)]
    found += [_pair(r) for _ in range(6)]
    return found


def _set(r: random.Random, kind: str, context: str, secret: str) -> Planted:
    return Planted(
        kind,
        context.replace("{service}", r.choice(SERVICES))
        .replace("{{", "\0")
        .replace("}}", "\1")
        .replace("{}", secret)
        .replace("\0", "{")
        .replace("\1", "}"),
        secret,
    )


def _drawn(r: random.Random) -> str:
    return r.choice((v.draw(r, v.ALNUM, 40), v.draw(r, v.HEX, 32), v.draw(r, v.ALNUM + "/+", 38) + "a1", v.draw(r, v.ALNUM, 24)))


def _presigned(r: random.Random) -> Planted:
    secret = v.draw(r, v.HEX, 64)
    scope = f"X-Amz-Credential={v.TOKENS['aws access key id'](r)}%2F20260708%2Feu-west-1%2Fs3%2Faws4_request"
    return Planted(
        "presigned url", f"GET https://b.s3.amazonaws.com/k?X-Amz-Algorithm=AWS4-HMAC-SHA256&{scope}&X-Amz-Signature={secret} 403", secret
    )


def _pair(r: random.Random) -> Planted:
    secret = v.draw(r, v.ALNUM + "/+", 40)
    return Planted("aws secret key beside its id", f"creds {v.TOKENS['aws access key id'](r)}:{secret} rejected", secret)


PERSONAL: dict[str, tuple[Make, tuple[str, ...]]] = {
    "email": (v.mail, ("user {} not found", '{{"email":"{}","id":7}}', "mail to <{}> bounced", "SELECT * FROM users WHERE email='{}'", "GET /u?email={}&x=1", "用户{}登录失败", "actor={},action=delete",
                       "org.hibernate.Exception: duplicate entry '{}' for key users.mail", "mailto:{}", "From: Jane <{}>", "[{service}] notify {}, retry 2", "/users/{}/orders 500")),
    "phone": (v.phone, ("sms to {} failed", "phone={}", '{{"phoneNumber":"{}"}}', "call {} now", "customer phone: {}", "UPDATE users SET tel='{}' WHERE id=7", "OTP for {} expired", "contact mobile {} unreachable")),
    "chinese mobile": (v.chinese_mobile, ("用户手机号{}未注册", "sms to {} failed", "手机号：{}", '{{"mobile":"{}"}}', "发送短信至{}失败", "phone={}&code=1", "WHERE phone = '{}'", "/users/{}/profile 404")),
    "card": (v.card, ("card {} declined", '{{"cardNumber":"{}"}}', "pan={}", "charge on {} failed: insufficient funds", "INSERT INTO pay VALUES ('{}', 12)", "卡号{}扣款失败", "PAN: {} exp 12/29")),
    "card, grouped": (lambda r: v.grouped(v.card(r), r.choice(" -")), ("card {} declined", "order 7 paid by {} today", "银行卡 {} 已过期", '{{"msg":"declined {}"}}')),
    "iban": (v.iban, ("transfer to {} rejected", "iban={}", '{{"iban":"{}"}}', "Überweisung an {} fehlgeschlagen")),
    "iban, grouped": (lambda r: v.grouped(v.iban(r), " "), ("transfer to {} rejected", "IBAN: {}, amount 12.50")),
    "us ssn": (v.social_security, ("ssn={}", "SSN: {}", "applicant {} rejected", '{{"ssn":"{}"}}', "WHERE ssn = '{}'")),
    "chinese id": (v.chinese_id, ("身份证{}校验失败", "idCard={}", '{{"id_card":"{}"}}', "user {} verified", "documentNumber: {}")),
    "nino": (v.nino, ("NINO {} invalid", "national insurance number: {}", "applicant {} rejected", '{{"nino":"{}"}}')),
    "aadhaar": (v.aadhaar, ("aadhaar {} failed", "kyc for {} pending", '{{"aadhaar":"{}"}}')),
    "cpf": (v.cpf, ("CPF {} inválido", "cliente {} bloqueado", '{{"cpf":"{}"}}')),
    "german tax id": (v.german_tax_id, ("Steuer-ID: {}", "steuer_id={}", "IdNr {} unbekannt")),
    "spanish id": (v.spanish_id, ("NIE {} no válido", "documento {} caducado", "dni={}")),
    "french nir": (v.french_id, ("NIR {} invalide", "assuré {} inconnu", '{{"nir":"{}"}}')),
    "passport": (lambda r: r.choice("EGK") + v.draw(r, v.DIGITS, 8), ("passport: {}", "passport number {} expired", "护照号{}无效")),
    "name in a field": (v.person, ('{{"customer_name":"{}"}}', "customer_name={}, id=7", "fullName: {}", "passengerName='{}'", "cardholder name: {}")),
    "chinese name in a field": (lambda r: r.choice(v.CHINESE), ("姓名：{}", "收货人: {}，已签收", '{{"姓名":"{}"}}', "联系人姓名={}")),
    "date of birth": (lambda r: f"{r.randrange(1950, 2005)}-{r.randrange(1, 13):02}-{r.randrange(1, 29):02}", ("dob={}", '{{"date_of_birth":"{}"}}', "出生日期：{}")),
    "public ip": (v.public_address, ("client {} blocked", '{{"clientIp":"{}"}}', "{} - - [08/Jul/2026:23:05:28 +0000] \"GET / HTTP/1.1\" 200", "Failed password for root from {} port 22")),
}  # fmt: skip
PERSONAL_KEYS: dict[str, Make] = {
    "email": v.mail,
    "phone": v.phone,
    "customerName": v.person,
    "ssn": v.social_security,
    "cardNumber": v.card,
}


def _personal(r: random.Random) -> Sequence[Planted]:
    found = [_set(r, kind, context, make(r)) for kind, (make, contexts) in PERSONAL.items() for context in contexts for _ in range(4)]
    return found + [Planted("by its key", value, value, key) for key, make in PERSONAL_KEYS.items() for value in (make(r), make(r))]


def _id(r: random.Random) -> str:
    return str(uuid.UUID(int=r.getrandbits(128), version=4))


def _stamp(r: random.Random) -> datetime:
    return STAMP + timedelta(seconds=r.randrange(0, 10_000_000), microseconds=r.randrange(10**6))


def _digest(r: random.Random, n: int) -> str:
    return base64.b64encode(r.randbytes(n)).decode()


DECOYS: dict[str, Callable[[random.Random], str]] = {
    "request id": lambda r: f"REPORT RequestId: {_id(r)}\tDuration: {r.random() * 900:.2f} ms\tBilled Duration: {r.randrange(999)} ms\tMemory Size: 512 MB",
    "trace id": lambda r: f"trace_id={v.draw(r, v.HEX, 32)} span_id={v.draw(r, v.HEX, 16)} parent={v.draw(r, v.DIGITS, 19)}",
    "x-ray": lambda r: f"Root=1-{v.draw(r, v.HEX, 8)}-{v.draw(r, v.HEX, 24)};Parent={v.draw(r, v.HEX, 16)};Sampled=1",
    "traceparent": lambda r: f"traceparent: 00-{v.draw(r, v.HEX, 32)}-{v.draw(r, v.HEX, 16)}-01",
    "md5": lambda r: f'ETag: "{v.draw(r, v.HEX, 32)}" md5={v.draw(r, v.HEX, 32)}',
    "sha256": lambda r: f"image shop/api@sha256:{v.draw(r, v.HEX, 64)} pulled",
    "base64 digest": lambda r: f"x-amz-checksum-sha256: {_digest(r, 32)} Content-MD5: {_digest(r, 16)}",
    "sri": lambda r: f"integrity sha512-{_digest(r, 64)}",
    "git": lambda r: f"deploy commit {v.draw(r, v.HEX, 40)} ({v.draw(r, v.HEX, 7)}) of main",
    "arn": lambda r: f"arn:aws:lambda:eu-west-1:{v.draw(r, v.DIGITS, 12)}:function:orders-{v.draw(r, v.HEX, 6)}:{r.randrange(90)}",
    "secret arn": lambda r: f"arn:aws:secretsmanager:us-east-1:{v.draw(r, v.DIGITS, 12)}:secret:prod/orders/db-{v.draw(r, v.ALNUM, 6)}",
    "resource": lambda r: f"instance i-0{v.draw(r, v.HEX, 16)} in vpc-0{v.draw(r, v.HEX, 16)} sg-0{v.draw(r, v.HEX, 16)} eni-0{v.draw(r, v.HEX, 16)}",
    "account": lambda r: f"account {v.draw(r, v.DIGITS, 12)} role OrdersRole denied",
    "task": lambda r: f"task orders/{v.draw(r, v.HEX, 32)} stopped, exit code 137",
    "pod": lambda r: f"pod ts-order-service-{v.draw(r, '0123456789bcdf', 10)}-{v.draw(r, 'bcdfghjklmnpqrstvwxz2456789', 5)} OOMKilled",
    "order": lambda r: f"order_id={v.draw(r, v.DIGITS, 16)} ticket={v.draw(r, v.DIGITS, 10)} invoice INV-{v.draw(r, v.DIGITS, 9)}",
    "order in a path": lambda r: f"GET /orders/{v.draw(r, v.DIGITS, 16)}/items/{v.draw(r, v.DIGITS, 11)} 500",
    "chinese order": lambda r: f"订单号：{v.draw(r, v.DIGITS, 18)} 支付超时，耗时{r.randrange(9000)}毫秒",
    "epoch": lambda r: f"ts={int(_stamp(r).timestamp())} ms={int(_stamp(r).timestamp() * 1000)} ns={int(_stamp(r).timestamp() * 10**9)}",
    "time": lambda r: f"{_stamp(r).isoformat()} INFO started at {_stamp(r):%d/%b/%Y:%H:%M:%S +0000} took {r.randrange(10**6)} us",
    "compact time": lambda r: f"backup-{_stamp(r):%Y%m%d%H%M%S}.tar.gz {_stamp(r):%Y%m%dT%H%M%SZ} {_stamp(r):%Y%m%d%H%M%S%f}",
    "version": lambda r: f"Chrome/{r.randrange(80, 140)}.0.{r.randrange(9999)}.{r.randrange(200)} boto3/1.{r.randrange(99)}.{r.randrange(300)} version 1.2.3.{r.randrange(99)}",
    "package": lambda r: f"react-dom@{r.randrange(20)}.{r.randrange(9)}.1 spring-core-5.3.{r.randrange(40)}.jar log4j:2.{r.randrange(20)}.0",
    "private ip": lambda r: f"10.{r.randrange(250)}.{r.randrange(250)}.7:{r.randrange(1024, 65535)} -> 172.16.{r.randrange(250)}.9:5432 169.254.169.254 127.0.0.1",
    "private ipv6": lambda r: f"listening on [::1]:8080 and fe80::{v.draw(r, '123456789abcdef', 4)} fd00:ec2::254",
    "host": lambda r: f"ip-10-0-{r.randrange(250)}-{r.randrange(250)}.eu-west-1.compute.internal shop.{v.draw(r, v.HEX, 8)}.eu-west-1.rds.amazonaws.com:3306",
    "metric": lambda r: f"AWS/Lambda Duration p99={r.random() * 9000:.3f} Errors=0 ConcurrentExecutions={r.randrange(999)} heap.used={v.draw(r, '123456789', 11)}",
    "bytes": lambda r: f"read {r.randrange(13 * 10**9, 19 * 10**9)} bytes in {r.randrange(900)} ms, rss={r.randrange(13 * 10**9, 19 * 10**9)}, limit: {r.randrange(13 * 10**9, 19 * 10**9)}",
    "prose": lambda r: r.choice(("password authentication failed for user app", "Invalid token: expected 12 at position 4", "token expired, refresh needed", "secret of success", "password: required", "wrong password: attempt 3 of 5",
                                 "the session token has expired", "Access denied for user 'app'@'10.0.0.1' (using password: YES)", "no credentials: provide a profile", "API key missing", "authorization: denied by policy", "cookie: none",
                                 "密码错误，请重试", "令牌已过期", "authentication token: invalid", "Bearer authentication required", "private key not found", "basic auth disabled")) + f" ({r.randrange(99)})",
    "masked": lambda r: r.choice(("password=****", "api_key=<redacted>", "pwd=${DB_PASSWORD}", "token: null", "secret=None", "password: '{{ vault_pw }}'", "SECRET_KEY=$SECRET", "client_secret=[REDACTED]")) + f" line {r.randrange(999)}",
    "page token": lambda r: f"next_token={v.draw(r, v.ALNUM, 32)} page 7; partition key: {v.draw(r, v.DIGITS, 9)}-{v.draw(r, v.DIGITS, 4)}",
    "git remote": lambda r: f"git@github.com:example/shop-{r.randrange(99)}.git user@{r.randrange(1000, 2000)}.service root@ip-10-0-0-{r.randrange(250)}",
    "java object": lambda r: f"com.example.Pool@{v.draw(r, v.HEX, 8)} waiting; thread-{r.randrange(99)} @Override java.util.HashMap$Node@{v.draw(r, v.HEX, 7)}",
    "block": lambda r: f"BLOCK* blk_-{v.draw(r, '123456789', 19)} size {v.draw(r, '123456789', 8)}; zxid: 0x{v.draw(r, v.HEX, 10)}",
    "stack": lambda r: f"at org.example.Repo.find(Repo.java:{r.randrange(999)}) ~[shop-1.{r.randrange(9)}.{r.randrange(9)}.jar!/:1.0.0]",
    "sql": lambda r: f"SELECT id, password_hash FROM users WHERE id = {v.draw(r, '123456789', 7)} LIMIT 50 /* {r.random() * 9:.6f} s */",
    "mac": lambda r: f"eth0 {':'.join(v.draw(r, v.HEX, 2) for _ in range(6))} mtu 9001 [pid {v.draw(r, '123456789', 7)}]",
    "json": lambda r: json.dumps({"requestId": _id(r), "orderId": v.draw(r, v.DIGITS, 14), "amount": f"{r.random() * 900:.2f}", "key": f"user:{v.draw(r, v.DIGITS, 8)}", "nextToken": v.draw(r, v.ALNUM, 24)}),
    "coordinates": lambda r: f"lat={r.random() * 80:.7f},lon=-{r.random() * 80:.7f} scores 0.{v.draw(r, '123456789', 15)}, -{v.draw(r, '123456789', 3)}.{v.draw(r, '123456789', 12)}",
}  # fmt: skip


def _decoys(r: random.Random) -> Sequence[tuple[str, str]]:
    return [(kind, make(r)) for kind, make in DECOYS.items() for _ in range(30)]
