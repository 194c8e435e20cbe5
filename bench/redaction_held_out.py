"""A second planted corpus in other contexts, written when the detectors were done: other log forms, clients, clouds, languages and namings."""
# ruff: noqa: E501 (a row of a table is one line)

import base64
import json
import random
from collections.abc import Callable, Sequence

from bench import redaction_values as v
from bench.redaction_corpus import Corpus, Planted
from bench.redaction_values import Make

# {} is the value; nothing else is filled in.
TOKEN_PLACES = (
    "I0708 23:05:28.412345       1 controller.go:114] sync failed: remote said 403 for {} (will retry)",
    "Jul  8 23:05:28 ip-10-0-3-7 app[2211]: warn bad credential: {}.",
    'Traceback (most recent call last):\n  File "/srv/app/io.py", line 31, in push\nValueError: rejected ({})',
    '{{"@timestamp":"2026-07-08T23:05:28Z","fields":{{"raw":"{}"}},"lvl":4}}',
    "+ ./deploy.sh {} eu-west-1",
    'level=error caller=main.go:42 err="got status 401 with {}"',
    '<entry key="remote">{}</entry>',
    "request body: a=1&x={}&b=2",
    "钥匙 {} 已失效，重试第3次",
    "kubectl logs: E0708 reading secret data [{}]",
)
PASSWORDS = (
    "SQLSTATE[HY000] dsn=pgsql:host=db;dbname=x;user=app;password={}", "connecting to mariadb://svc:{}@db.prod.example.net/ledger", "ELASTIC_PASSWORD: \"{}\"", "smtp.auth.password = {}",
    "spring.redis.password: {}", "<add key=\"DbPassword\" value=\"x\"/> Password={};Pooling=true", "redis.exceptions.AuthenticationError url=rediss://default:{}@r.example.com:6380", "rabbitmqctl: amqps://svc:{}@mq.example.com/vh",
    "ldap bind dn=cn=svc passwd={}", "MYSQL_ROOT_PASSWORD={}", "{{\"credentials\":{{\"username\":\"svc\",\"password\":\"{}\"}}}}", "payload={{\\\"pwd\\\":\\\"{}\\\"}}", "ansible_ssh_pass={}", "rabbitmq_default_pass: '{}'", "KEYSTORE_PASSPHRASE={}",
    "psql postgresql://reader:{}@replica-2:5432/shop?sslmode=require", "wget --user=bot --password={} https://x.example.com", "java -Djavax.net.ssl.keyStorePassword={} -jar a.jar", "keytool -storepass x --passphrase {}", "GRANT ALL ON x.* TO 'u'@'h' IDENTIFIED BY '{}'",
    "form: user=maya&new_password={}&confirm=1", "用户口令：{}", "登录密码={}", "Contraseña: {}", "Passwort={}", "https://u:{}@registry.example.com/v2/ returned 401", "mongodb://admin:{}@m1:27017,m2:27017/?replicaSet=rs0", "env[DJANGO_DB_PASSWORD] = {}",
)  # fmt: skip
LABELLED = (
    "aws configure set aws_secret_access_key {}", "AWS_SESSION_TOKEN={}", "export STRIPE_API_KEY={}", "client-secret: {}", "oauth.clientSecret={}", "ApiKey={};Url=https://x", "\"privateKey\" : \"{}\"", "DD_API_KEY={}", "apikey {{\"apiKey\":\"{}\"}}",
    "hmac signing-key={}", "https://maps.example.com/v1?key={}", "POST /t?access_token={}&y=1", "GET /o?X-Amz-Signature={}&x=1", "?sv=1&sig={}&se=2", "csrf_token={}", "X-Vault-Token: {}", "PRIVATE-TOKEN: {}", "X-Gitlab-Token: {}", "NPM_TOKEN={}", "jwt.secret={}",
    "webhookSecret: \"{}\"", "app_secret={}", "SharedAccessSignature=sr=x&sig={}", "session-token: {}", "secretKey={}", "GITHUB_TOKEN: {}", "- name: SECRET_KEY_BASE\n  value: {}", "terraform: var.db_access_key = \"{}\"", "API密钥：{}", "访问令牌: {}",
)  # fmt: skip
HEADERS = (
    "> Authorization: Bearer {}", "[Authorization] => Bearer {}", "headers={'Authorization': 'Bearer {}'}", "Authorization: Basic {}", "{{\"Authorization\":\"Token {}\"}}", "< Set-Cookie: auth={}; Path=/; Secure", "Cookie: lang=en; auth={}", "{{\"Cookie\":\"auth={}\"}}",
    "proxy-authorization: Bearer {}", "authorization:[Bearer {}]",
)  # fmt: skip
KEYS = (
    "redisPassword",
    "adminPwd",
    "stripeApiKey",
    "oauth_client_secret",
    "github_token",
    "sessionToken",
    "privateKey",
    "Authorization",
    "refreshToken",
    "encryptionKey",
)

PERSONAL: dict[str, tuple[Make, tuple[str, ...]]] = {
    "email": (v.mail, ("Jul  8 postfix/smtp[77]: to=<{}>, status=bounced", "subject=CN=x/emailAddress={}", "principal \"{}\" denied", "WARN owner:{} has no quota", "ユーザー{}が見つかりません", "Caused by: NoSuchUser: {}", "?to={}&cc=", "[{}] signed in", "login={};ok")),
    "phone": (v.phone, ("whatsapp to {} undeliverable", "msisdn={}", "caller {} hung up", "{{\"contact\":{{\"phone\":\"{}\"}}}}", "fax: {}", "dial({}) -> busy", "tel:{}")),
    "chinese mobile": (v.chinese_mobile, ("会员{}积分异常", "mobileNo={}", "联系电话：{}，地址略", "receiver={} sms code expired", "[{}] 验证码错误", "{{\"phone_number\":\"{}\"}}")),
    "card": (v.card, ("gateway: do not honor, {}", "{{\"card\":{{\"number\":\"{}\"}}}}", "cc={} cvv=***", "银行卡号：{}", "number {} is on the stop list", "<pan>{}</pan>")),
    "card, grouped": (lambda r: v.grouped(v.card(r), r.choice(" -")), ("visa {} expired", "refund to {}, 12.00 EUR", "持卡人卡号 {} 冻结")),
    "iban": (v.iban, ("SEPA debit from {} returned AC04", "{{\"account\":{{\"iban\":\"{}\"}}}}", "creditor={};", "IBAN {} nicht gefunden")),
    "us ssn": (v.social_security, ("Social Security Number: {}", "w2 row {} duplicate", "social_security={}")),
    "chinese id": (v.chinese_id, ("实名认证失败：{}", "certNo={}", "身份证号:{}，姓名略", "{{\"identity\":\"{}\"}}")),
    "nino": (v.nino, ("payroll: {} unmatched", "nino={}")),
    "aadhaar": (v.aadhaar, ("UIDAI lookup {} timed out", "Aadhaar number: {}")),
    "cpf": (v.cpf, ("consulta do CPF {} falhou", "titular={}")),
    "german tax id": (v.german_tax_id, ("Steuerliche IdNr: {}", "Steuer-Identifikationsnummer {} ungültig", "tax_id={}")),
    "spanish id": (v.spanish_id, ("titular {} sin permiso", "{{\"nie\":\"{}\"}}")),
    "french nir": (v.french_id, ("numéro {} rejeté", "nir={}")),
    "name in a field": (v.person, ("{{\"firstName\":\"x\",\"fullName\":\"{}\"}}", "recipient_name: {}", "patientName=\"{}\"", "employee name = {}")),
    "public ip": (v.public_address, ("X-Forwarded-For: {}, 10.0.3.7", "remote_addr={}", "ban {} for 600s", "src={} dst=10.0.0.4")),
}  # fmt: skip
PERSONAL_KEYS: dict[str, Make] = {
    "userEmail": v.mail,
    "mobile": v.chinese_mobile,
    "passenger_name": v.person,
    "card_number": v.card,
    "nationalId": v.social_security,
}

KEPT: dict[str, Callable[[random.Random], str]] = {
    "lambda": lambda r: f"START RequestId: {v.draw(r, v.HEX, 8)}-{v.draw(r, v.HEX, 4)}-4{v.draw(r, v.HEX, 3)}-a{v.draw(r, v.HEX, 3)}-{v.draw(r, v.HEX, 12)} Version: $LATEST",
    "stream": lambda r: f"2026/07/08/[$LATEST]{v.draw(r, v.HEX, 32)} bytes={v.draw(r, '123456789', 11)}",
    "ecs": lambda r: f"arn:aws:ecs:eu-west-1:{v.draw(r, v.DIGITS, 12)}:task/prod/{v.draw(r, v.HEX, 32)} desired 3 running {r.randrange(9)}",
    "s3": lambda r: f"x-amz-request-id: {v.draw(r, v.UPPER, 16)} x-amz-id-2: {base64.b64encode(r.randbytes(56)).decode()} GET /b/{v.draw(r, v.HEX, 40)}.parquet",
    "etag": lambda r: f'"ETag":"\\"{v.draw(r, v.HEX, 32)}-{r.randrange(99)}\\"","VersionId":"{v.draw(r, v.ALNUM, 32)}"',
    "klog": lambda r: f"I0708 23:05:28.{v.draw(r, v.DIGITS, 6)} {r.randrange(99999)} reflector.go:{r.randrange(999)}] Watch close total {r.randrange(9999)} items",
    "replica set": lambda r: f"deployment/cart-{v.draw(r, 'bcdf2456789', 9)} scaled; uid {v.draw(r, v.HEX, 8)}-{v.draw(r, v.HEX, 4)}-{v.draw(r, v.HEX, 4)}-{v.draw(r, v.HEX, 4)}-{v.draw(r, v.HEX, 12)}",
    "kafka": lambda r: f"orders-{r.randrange(64)} offset {v.draw(r, '123456789', 11)} leaderEpoch={r.randrange(99)} HW {v.draw(r, '123456789', 12)}",
    "gc": lambda r: f"[{r.random() * 9999:.3f}s][info][gc] GC({r.randrange(999)}) Pause Young 1536M->{r.randrange(999)}M(4096M) {r.random() * 90:.3f}ms",
    "thread dump": lambda r: f'"http-nio-8080-exec-{r.randrange(200)}" #{r.randrange(999)} tid=0x00007f{v.draw(r, v.HEX, 10)} nid=0x{v.draw(r, v.HEX, 4)} waiting on <0x{v.draw(r, v.HEX, 16)}>',
    "nginx": lambda r: f'10.0.{r.randrange(250)}.{r.randrange(250)} - - [08/Jul/2026:23:05:28 +0000] "GET /api/v1/items/{v.draw(r, v.DIGITS, 9)}?page={r.randrange(99)} HTTP/1.1" 502 {r.randrange(9999)} "-" "curl/8.{r.randrange(9)}.1" rt={r.random():.3f}',
    "tracking": lambda r: f"shipment tracking number 1Z{v.draw(r, v.UPPER, 16)} order #{v.draw(r, v.DIGITS, 12)} late by {r.randrange(99)} h",
    "snowflake": lambda r: f"message_id: 1{v.draw(r, v.DIGITS, 18)} channel 1{v.draw(r, v.DIGITS, 17)} shard {r.randrange(64)}",
    "payment id": lambda r: f"payment_intent pi_{v.draw(r, v.ALNUM, 24)} ch_{v.draw(r, v.ALNUM, 24)} amount=1999 currency=eur",
    "prose": lambda r: r.choice(("no password supplied", "password reset requested for account 7", "the API key was rotated by an operator", "secret not mounted: volume missing", "token refresh took 12 ms", "certificate and private key do not match", "wrong username or password",
                                 "invalid signature on request", "cookie jar is empty", "session expired; login again", "Authorization header missing", "认证失败：密码不正确", "手机号格式错误", "邮箱不能为空", "email is required", "phone number is invalid", "card declined: insufficient funds")) + f" [{r.randrange(999)}]",
    "config": lambda r: r.choice(("password_file=/run/secrets/db", "secretName: orders-db-secret", "token_ttl=3600", "password.min.length=12", "keyspace: orders_v2", "api_key_header: X-Api-Key", "passwordEncoder=bcrypt", "secret_rotation_days: 30", "max_tokens=4096", "tokens: 1843 prompt, 122 completion", "auth_type=oauth2", "key_id=orders-2026", "cache_key=product-list-12")) + f" # {r.randrange(99)}",
    "metric": lambda r: json.dumps({"metric": "latency_p99", "value": r.random() * 1e4, "dimension": f"host-{r.randrange(99)}", "timestamp": 1783551928000 + r.randrange(10**7)}),
    "ranges": lambda r: f"subnet 10.{r.randrange(250)}.0.0/16 route 0.0.0.0/0 via 192.168.{r.randrange(250)}.1 cidr 100.64.{r.randrange(60)}.0/24",
    "uuid list": lambda r: ",".join(f"{v.draw(r, v.HEX, 8)}-{v.draw(r, v.HEX, 4)}-4{v.draw(r, v.HEX, 3)}-8{v.draw(r, v.HEX, 3)}-{v.draw(r, v.HEX, 12)}" for _ in range(3)),
    "chinese": lambda r: f"服务 ts-order-service 第{r.randrange(99)}次重试，请求编号 {v.draw(r, v.DIGITS, 16)}，耗时 {r.randrange(9999)}ms，批次{v.draw(r, v.DIGITS, 14)}",
    "build": lambda r: f"build #{v.draw(r, '123456789', 5)} image registry.example.com/shop/api:2026.07.{r.randrange(30)}-{v.draw(r, v.HEX, 7)} go1.2{r.randrange(9)}.{r.randrange(9)}",
    "ms range": lambda r: f"window 1783551928{v.draw(r, v.DIGITS, 3)}-1783555528{v.draw(r, v.DIGITS, 3)} step 60000",
    "sql": lambda r: f"UPDATE stock SET n = n - 1 WHERE sku = '{v.draw(r, v.UPPER, 10)}' AND id IN ({', '.join(v.draw(r, '123456789', 7) for _ in range(4))})",
    "float": lambda r: f"p50={r.random() * 900} p90={r.random() * 900} total={r.random() * 1e9}",
}  # fmt: skip


def held_out(seed: int) -> Corpus:
    """All of it, drawn anew for each seed."""
    r = random.Random(f"held out {seed}")
    return Corpus(tuple(_secrets(r)), tuple(_personal(r)), tuple((kind, make(r)) for kind, make in KEPT.items() for _ in range(45)))


def _secrets(r: random.Random) -> Sequence[Planted]:
    found = [_set(kind, place, make(r)) for kind, make in v.TOKENS.items() for place in r.sample(TOKEN_PLACES, 4)]
    found += [_set("password", place, v.password(r)) for place in PASSWORDS for _ in range(3)]
    found += [
        _set("labelled secret", place, r.choice((v.draw(r, v.ALNUM, 32), v.draw(r, v.HEX, 40)))) for place in LABELLED for _ in range(3)
    ]
    found += [_set("header", place, base64.b64encode(r.randbytes(30)).decode()) for place in HEADERS for _ in range(3)]
    return found + [
        Planted("by its key", value, value, key) for key in KEYS for value in (v.draw(r, v.ALNUM, 20) + "4", v.password(r) + "7Qx91")
    ]


def _personal(r: random.Random) -> Sequence[Planted]:
    found = [_set(kind, place, make(r)) for kind, (make, places) in PERSONAL.items() for place in places for _ in range(5)]
    return found + [Planted("by its key", value, value, key) for key, make in PERSONAL_KEYS.items() for value in (make(r), make(r))]


def _set(kind: str, place: str, value: str) -> Planted:
    return Planted(kind, value.join(part.replace("{{", "{").replace("}}", "}") for part in place.split("{}", 1)), value)
