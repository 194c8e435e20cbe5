"""The demo's system: a web shop of seven services on ECS, with three databases, a cache and a queue."""

from superbiz_cli.simulator.chatter import Habit
from superbiz_cli.simulator.system import Operation, Pool, Route, Service, System

CLUSTER = "shop-prod"
GATEWAY, ORDERS, PAYMENT, INVENTORY = "shop-gateway", "order-service", "payment-service", "inventory-service"
CATALOG, USERS, MEDIA = "catalog-service", "user-service", "media-worker"
ORDERS_DB, INVENTORY_DB, USERS_DB = "orders-db", "inventory-db", "users-db"
CACHE, QUEUE, PROVIDER = "catalog-cache", "thumbnails", "payments.example.com"
POOL = "HikariPool-1"
OLD_TASKS = ("order-service/3f0c7a", "order-service/91be42")
NEW_TASKS = ("order-service/07ad5e", "order-service/6b19f3")

_GATEWAY = (
    Operation("GET /api/catalog", 4, ((CATALOG, "GET /products"),)),
    Operation("GET /api/account", 4, ((USERS, "GET /me"),)),
    Operation("GET /api/orders/{id}", 5, ((USERS, "GET /session"), (ORDERS, "GET /orders/{id}"))),
    Operation("POST /api/orders", 6, ((USERS, "GET /session"), (ORDERS, "POST /orders"))),
)
_PLACING = ((INVENTORY, "POST /reservations"), (PAYMENT, "POST /authorisations"), (ORDERS_DB, "INSERT orders"))
_ORDERS = (
    Operation("GET /orders/{id}", 14, ((ORDERS_DB, "SELECT orders"),), pool=POOL),
    Operation("POST /orders", 40, _PLACING, pool=POOL),
)


def _service(
    name: str, voice: str, tasks: str, operations: tuple[Operation, ...], cpu: float, memory: float, kind: str = "service"
) -> Service:
    return Service(name, kind, operations, voice, f"/ecs/{name}", tuple(f"{name}/{t}" for t in tasks.split()), cpu, memory)


def _database(name: str, cpu: float, *operations: Operation, logs: bool = False) -> Service:
    return Service(name, "database", operations, log_group=f"/aws/rds/instance/{name}/postgresql" if logs else "", cpu=cpu)


SHOP = System(
    name="shop",
    services=(
        _service(GATEWAY, "gateway", "a81f20 d40c93", _GATEWAY, 31, 44, kind="gateway"),
        _service(CATALOG, "logfmt", "5512ac", (Operation("GET /products", 18, ((CACHE, "GET"),)),), 24, 61),
        _service(
            USERS, "logfmt", "7be001 f9027d", (Operation("GET /me", 7, ((USERS_DB, "SELECT users"),)), Operation("GET /session", 3)), 17, 38
        ),
        _service(ORDERS, "spring", "3f0c7a 91be42", _ORDERS, 35, 67),
        _service(PAYMENT, "pino", "20de6b b7c1f8", (Operation("POST /authorisations", 35, ((PROVIDER, "POST /v2/charges"),)),), 14, 41),
        _service(INVENTORY, "python", "48aa19", (Operation("POST /reservations", 60, ((INVENTORY_DB, "UPDATE stock"),)),), 22, 52),
        Service(MEDIA, "worker", (), log_group="/ecs/media-worker", tasks=("media-worker/0c33d1",)),
        Service(PROVIDER, "remote", (Operation("POST /v2/charges", 1_150),)),
        _database(ORDERS_DB, 19, Operation("SELECT orders", 3), Operation("INSERT orders", 6), logs=True),
        _database(INVENTORY_DB, 16, Operation("UPDATE stock", 8)),
        _database(USERS_DB, 9, Operation("SELECT users", 2)),
        Service(CACHE, "cache", (Operation("GET", 0.8),), cpu=6),
        Service(QUEUE, "queue", ()),
    ),
    pools=(Pool(POOL, ORDERS, ORDERS_DB, size=10, tasks=2, timeout_ms=3_000),),
    routes=(
        Route((GATEWAY, "GET /api/catalog"), 0.36),
        Route((GATEWAY, "GET /api/account"), 0.07),
        Route((GATEWAY, "GET /api/orders/{id}"), 0.13),
        Route((GATEWAY, "POST /api/orders"), 0.44),
    ),
)

_HEALTH = '{{"time":"{stamp}","level":"info","msg":"health","path":"/healthz","status":200,"duration_ms":{n}}}'
_CLOSED = '{{"time":"{stamp}","level":"warn","msg":"client closed request","path":"/api/catalog","status":499,"duration_ms":{n}}}'
_OUTBOX = "{plain}  INFO [order-service,,] [scheduling-1] s.o.OutboxPublisher : published {n} outbox events"
_PAUSE = "{plain}  INFO [order-service,,] [gc] Pause Young (Normal) (G1 Evacuation Pause) 412M->188M(768M) {n}.4ms"
_WARNING = "{plain}  WARN [order-service,,] [nio-8080-exec-4] o.h.e.j.spi.SqlExceptionHelper : SQL Warning Code: 0, SQLState: 01000"
_PROVIDER = '{{"level":40,"name":"payment-service","hostname":"{task}","msg":"provider answered slowly","ms":{n}}}'
_CHECKPOINT = "{plain} UTC::@:[512]:LOG:  checkpoint complete: wrote {n} buffers (0.4%); 0 WAL file(s) added, 0 removed, 1 recycled"
_UNDECODED = "{plain} thumbnails: ERROR cannot decode image {n}: unsupported colour profile, left in queue"

HABITS = (
    Habit(GATEWAY, 15, _HEALTH, 1, 4),
    Habit(GATEWAY, 95, _CLOSED, 40, 900),
    Habit(ORDERS, 20, _OUTBOX, 3, 60),
    Habit(ORDERS, 70, _PAUSE, 6, 29),
    Habit(ORDERS, 240, _WARNING),
    Habit(INVENTORY, 30, "{comma} DEBUG    inventory.cache refreshed {n} stock levels", 120, 480),
    Habit(INVENTORY, 140, "{comma} WARNING  inventory.reserve retrying stock update after serialization failure, attempt {n}", 1, 2),
    Habit(PAYMENT, 45, _PROVIDER, 1_600, 2_900),
    Habit(USERS, 25, 'ts={stamp} level=info svc=user-service op="session sweep" expired={n}', 0, 40),
    Habit(CATALOG, 60, 'ts={stamp} level=info svc=catalog-service op="search index" lag_ms={n}', 20, 260),
    Habit(CATALOG, 130, 'ts={stamp} level=warn svc=catalog-service op="GET /products" msg="slow cache read" dur={n}ms', 60, 210),
    Habit(ORDERS_DB, 300, _CHECKPOINT, 90, 700),
    Habit(MEDIA, 12, "{plain} thumbnails: resized image {n}", 10_000, 99_999),
    Habit(MEDIA, 33, _UNDECODED, 10_000, 99_999),
)
