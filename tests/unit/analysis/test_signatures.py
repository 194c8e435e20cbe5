"""Faults that name themselves in logs: the words of run times, databases and clients that one meets."""

import pytest

from superbiz.analysis import signatures
from superbiz.analysis.faults import Seen
from superbiz.domain.claims import FaultCategory as F

LINES = {
    F.RESOURCE_EXHAUSTION: (
        "java.lang.OutOfMemoryError: Metaspace",
        "FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory",
        "MemoryError",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "Error: Runtime exited with error: signal: killed",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "sqlalchemy.exc.TimeoutError: QueuePool limit of size 5 overflow 10 reached, connection timed out, timeout 30.00",
        "[http-nio-8080-exec-12] Timeout: Pool empty. Unable to fetch a connection in 30 seconds, none available[size:50; busy:50].",
        "FATAL: sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for non-replication superuser connections",
        "ER_CON_COUNT_ERROR: Too many connections",
        "ERR max number of clients reached",
        "pgbouncer: no more connections allowed (max_client_conn)",
        "com.mongodb.MongoWaitQueueFullException: Too many threads are already waiting for a connection",
        "redis.clients.jedis.exceptions.JedisConnectionException: Could not get a resource from the pool",
        "Error: timeout exceeded when trying to connect",
        "OSError: [Errno 28] No space left on device",
        "cluster_block_exception: index [logs] blocked by: [disk usage exceeded flood-stage watermark]",
        "ERROR 1114 (HY000): The table 'orders' is full",
        "ERROR: canceling statement due to conflict with recovery",
        "orders-replica is 900 seconds behind its primary",
        "replication slot orders_slot is lagging",
        "FATAL: could not receive data from WAL stream: ERROR: requested WAL segment 0000A has already been removed",
        "An error occurred (ThrottlingException) when calling the GetParameter operation: Rate exceeded",
        "ProvisionedThroughputExceededException: The level of configured provisioned throughput for the table was exceeded",
        "software.amazon.awssdk.services.s3.model.S3Exception: Please reduce your request rate. (Service: S3, Status Code: 503, SlowDown)",
        "rpc error: code = ResourceExhausted desc = grpc: received message larger than max",
        "googleapi: Error 429: Quota exceeded for quota metric",
        "HTTP 429 Too Many Requests",
        "socket: too many open files",
        "java.util.concurrent.RejectedExecutionException: Task rejected from ThreadPoolExecutor",
        "java.lang.OutOfMemoryError: unable to create new native thread",
        "nf_conntrack: table full, dropping packet",
    ),
    F.SECURITY: (
        "An error occurred (AccessDenied) when calling the PutObject operation: Access Denied",
        "User: arn:aws:sts::111122223333:assumed-role/app is not authorized to perform: kms:Decrypt",
        "ExpiredTokenException: The security token included in the request is expired",
        "UnrecognizedClientException: The security token included in the request is invalid.",
        'FATAL: password authentication failed for user "app"',
        "Access denied for user 'app'@'10.0.1.2' (using password: YES)",
        "WRONGPASS invalid username-password pair or user is disabled.",
        "GET /v1/me -> 401 Unauthorized",
        "KMSInvalidStateException: arn:aws:kms:eu-west-1:111122223333:key/abc is pending deletion.",
        "javax.net.ssl.SSLHandshakeException: PKIX path building failed",
        "ssl.SSLCertVerificationError: [SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: certificate has expired",
        "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames",
        "remote error: tls: bad certificate",
        "x509: certificate signed by unknown authority",
        "error: CERT_HAS_EXPIRED",
        "oauth2: cannot fetch token: 400 invalid_grant",
    ),
    F.NETWORK: (
        "dial tcp: lookup orders.shop.svc.cluster.local on 172.20.0.10:53: server misbehaving",
        "getaddrinfo EAI_AGAIN payments.internal",
        "java.net.UnknownHostException: payments.internal: Temporary failure in name resolution",
        "dial tcp 10.0.3.7:5432: i/o timeout",
        "connect ETIMEDOUT 10.0.3.7:6379",
        "java.net.NoRouteToHostException: No route to host",
        "java.net.ConnectException: Connection refused (Connection refused)",
        "com.mysql.cj.jdbc.exceptions.CommunicationsException: Communications link failure",
        "requests.exceptions.ConnectionError: HTTPConnectionPool(host='pay', port=80): [Errno 111] Connection refused",
    ),
    F.DATA: (
        "ERROR: deadlock detected",
        "Lock wait timeout exceeded; try restarting transaction",
        "ERROR:  canceling statement due to lock timeout",
        "process 8812 still waiting for ShareLock on transaction 771201 after 1000.123 ms",
        "Waiting for table metadata lock",
        'duplicate key value violates unique constraint "orders_pkey"',
        'insert or update on table "items" violates foreign key constraint',
        "org.apache.kafka.common.errors.SerializationException: Error deserializing Avro message for id 17",
        "SyntaxError: Unexpected token < in JSON at position 0",
        "json.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)",
        'ERROR: invalid input syntax for type integer: "abc"',
        "ERROR: value too long for type character varying(32)",
        "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff",
    ),
    F.CONFIGURATION: (
        "KeyError: 'PAYMENT_API_URL'",
        "Missing required environment variable DATABASE_URL",
        "java.lang.IllegalArgumentException: Could not resolve placeholder 'pay.url' in value \"${pay.url}\"",
        "panic: failed to load config: yaml: line 12: did not find expected key",
        "Error: environment variable STRIPE_KEY is not set",
        "ResourceNotFoundException: Requested resource not found",
        "AWS.SimpleQueueService.NonExistentQueue: The specified queue does not exist",
        "listen tcp :8080: bind: address already in use",
        "requests.exceptions.MissingSchema: Invalid URL 'api.example.com/v1': No scheme supplied",
        "invalid configuration: pool.max must be greater than 0",
        "open /etc/app/config.yaml: no such file or directory",
    ),
    F.INFRASTRUCTURE: (
        "ERROR: cannot execute INSERT in a read-only transaction",
        "READONLY You can't write against a read only replica.",
        "FATAL: the database system is starting up",
        "FATAL: terminating connection due to administrator command",
        "CLUSTERDOWN The cluster is down",
        "org.apache.kafka.common.errors.NotLeaderOrFollowerException: For requests intended only for the leader",
        "EXT4-fs error (device nvme1n1): ext4_find_entry: reading directory",
        "The MySQL server is running with the --read-only option so it cannot execute this statement",
    ),
    F.CODE_DEFECT: (
        'java.lang.NullPointerException: Cannot invoke "String.length()" because "s" is null',
        "TypeError: Cannot read properties of undefined (reading 'id')",
        "panic: runtime error: invalid memory address or nil pointer dereference",
        "System.NullReferenceException: Object reference not set to an instance of an object.",
        "AttributeError: 'NoneType' object has no attribute 'id'",
        "KeyError: 'customer_id'",
        "IndexError: list index out of range",
        "ZeroDivisionError: division by zero",
        "RangeError: Maximum call stack size exceeded",
        "NoMethodError: undefined method `name' for nil:NilClass",
        "java.time.DateTimeException: Invalid date 'FEBRUARY 30'",
        "java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 5",
    ),
    F.DEPENDENCY: (
        "upstream connect error or disconnect/reset before headers. reset reason: connection termination",
        "POST https://api.example.com/v1/charges returned 503 Service Unavailable",
        "io.github.resilience4j.circuitbreaker.CallNotPermittedException: CircuitBreaker 'pay' is OPEN",
        "java.net.SocketTimeoutException: Read timed out",
        "context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
        "requests.exceptions.ReadTimeout: HTTPSConnectionPool(host='api.example.com', port=443): Read timed out. (read timeout=5)",
        "rpc error: code = Unavailable desc = no healthy upstream",
        "502 Bad Gateway",
    ),
    F.DEPLOYMENT: (
        "Back-off restarting failed container",
        "standard_init_linux.go:228: exec user process caused: exec format error",
        'Failed to pull image "app:1.2": ErrImagePull',
    ),
    F.GENERAL: ("2026-05-01T10:00:00Z 1b2c Task timed out after 3.00 seconds",),
}
ORDINARY = (
    "order 17 accepted",
    "GET /health 200 3ms",
    "processed batch of 429 records in 503 ms",
    "cache refreshed, 404 keys",
    "user 401 logged in",
)


@pytest.mark.parametrize(("text", "category"), [(text, category) for category, texts in LINES.items() for text in texts])
def test_a_fault_that_names_itself_has_its_category(text: str, category: F) -> None:
    found = signatures.signature_of(text)
    assert found is not None
    assert found.category is category


@pytest.mark.parametrize("text", ORDINARY)
def test_numbers_and_common_words_name_no_fault(text: str) -> None:
    assert signatures.signature_of(text) is None


def test_a_pool_that_times_out_is_no_dependency_fault() -> None:
    """Words that name a cause stand above those that name an effect."""
    found = [s.name for s in signatures.signatures_of("timed out waiting for a database connection")]
    assert found == ["connection pool", "dependency"]


def test_a_clients_pool_of_sockets_is_no_pool_that_ran_dry() -> None:
    found = signatures.signature_of("HTTPSConnectionPool(host='api.example.com', port=443): Read timed out. (read timeout=5)")
    assert found is not None
    assert found.seen is Seen.DEPENDENCY_FAILED


def test_every_step_names_the_resource() -> None:
    assert all("{resource}" in s.step for s in signatures.SIGNATURES)
