"""What a query that matched nothing lets a claim say: that it matched nothing, and nothing of the world."""

import pytest

from superbiz.domain import canonical
from superbiz.domain.claims import Claim, ClaimType
from superbiz.domain.entailment import Cited, Entailment, judge, known_in
from superbiz.domain.verification import CheckResult, Expressible

WINDOW = {"start": "2026-04-18T19:02:00Z", "end": "2026-04-18T19:27:00Z"}
ASKED = {"services": ["order-service"], "levels": ["ERROR"], "pattern": "connection pool timeout"}
LOGS = Cited("", canonical.dumps({}), {"matched": 0, "window": WINDOW}, ASKED, "query_logs")

OVERREACHING = """
No errors occurred
No errors occurred in order-service between 19:02 and 19:27
The database is not the cause
The query found no lines, so the database is not the cause
Everything else is healthy
query_logs matched nothing and everything else is healthy
The empty result rules out the network
query_logs found nothing, which rules the network out
Nothing is wrong with order-service
Nothing was found that is wrong with order-service
order-service never timed out
query_logs never matches ERROR lines of order-service
A connection pool timeout did not happen
The timeout did not occur, as no lines matched
The connection pool timeout is absent
The ERROR line is absent from the results
The search confirmed none
query_logs confirmed that there were no ERROR lines
There is no evidence of any problem
There is no evidence that order-service timed out
The logs are clean
The logs of order-service came back clean
No lines were not found
Nothing was not matched
order-service is healthy
order-service is healthy because no ERROR lines matched
order-service worked normally; no ERROR lines were found
No ERROR lines matched, therefore the pool is innocent
No ERROR lines matched, which means the pool was not exhausted
The lack of matching lines proves that order-service was fine
No matching lines exist anywhere
There were no errors at all in order-service
The query shows that order-service did not fail
No ERROR lines were found and customers were unaffected
All services are free of errors
There was no outage
No outage was found by query_logs
No incident matched the query
No impact was found
No fault was found in order-service
The search excluded a connection pool timeout
The search eliminates order-service as a suspect
query_logs returned nothing: order-service is cleared
query_logs returned nothing; the pool is stable
query_logs returned nothing, so order-service is not involved
No matching lines were found, hence the deploy is blameless
order-service had zero ERROR lines
order-service has no connection pool timeout
order-service did not log a connection pool timeout
order-service logged no errors
Only order-service returned no ERROR lines
No ERROR lines of any other service matched
query_logs matched 12 ERROR lines of order-service
query_logs found ERROR lines of order-service
No ERROR lines of payment-service matched
No ERROR lines of order-service matched at 2026-04-18T20:00:00Z
No ERROR lines of order-service were found, and the certificate of the gateway expired
query_logs found no trace of a connection pool timeout
It is impossible that order-service timed out, as the query matched nothing
The query found nothing, so nobody was harmed
Not a single request of order-service failed
order-service 没有问题
没有找到日志，说明 order-service 正常
没有找到日志，因此排除了数据库
query_logs 没有找到日志，网络没有问题
排除了网络故障
order-service 从未超时
没有发生任何错误
查询没有返回结果，证明服务健康
没有匹配的日志，所以不是 order-service 的原因
日志是干净的
其他服务一切正常
order-service 没有错误
未发生超时
""".strip().splitlines()

HONEST = """
The query for connection pool timeout over 2026-04-18T19:02:00Z to 2026-04-18T19:27:00Z matched nothing
No ERROR lines of order-service matched between 2026-04-18T19:02:00Z and 2026-04-18T19:27:00Z
query_logs found no ERROR lines of order-service in the queried window
query_logs matched 0 lines
query_logs returned no results for order-service
query_logs returned nothing for the pattern "connection pool timeout"
The search for connection pool timeout in order-service came back empty
No matching log lines were found for order-service between 19:02 and 19:27
No lines with level ERROR matched the query
No lines were returned by query_logs
Nothing matched the query for ERROR lines of order-service
Nothing was found by query_logs for order-service
The query did not match any lines of order-service
The query did not return any ERROR lines
query_logs has not found any lines of order-service
No ERROR events of order-service were retrieved for this window
The result of query_logs for order-service was empty
query_logs yielded no entries for order-service
Zero lines matched the pattern connection pool timeout
No matching evidence was found by query_logs over 2026-04-18T19:02:00Z to 2026-04-18T19:27:00Z.
No matching evidence was found by query_logs (services=["order-service"] levels=["ERROR"]) over the window that it asked for.
No matching evidence was found by query_logs (services=["order-service"] levels=["ERR) over 2026-04-18T19:02:00Z to 2026-04-18T19:27:00Z.
A search of order-service for ERROR lines found none
A query for ERROR lines in order-service returned none
In the window from 19:02 to 19:27 the query matched no lines
Between 19:02 and 19:27, query_logs found no ERROR entries for order-service
No log messages about a connection pool timeout were found in order-service
The ERROR filter on order-service matched no records
Lines of order-service with a connection pool timeout were not found
ERROR lines of order-service were not returned by query_logs
The query over order-service did not find a connection pool timeout
No hits for connection pool timeout in order-service
The log query for order-service returned an empty result
query_logs with level ERROR didn't match anything in order-service
We found no lines of order-service in the window 19:02 to 19:27
query_logs 没有找到 order-service 的日志
没有找到order-service的ERROR日志
query_logs 未返回 order-service 的结果
查询没有匹配 order-service 的 ERROR 日志
在该时间范围内未检索到 order-service 的日志
query_logs 查询 order-service 返回 0 条日志
19:02 到 19:27 之间没有匹配到 order-service 的 ERROR 日志
""".strip().splitlines()


def said(text: str) -> Entailment:
    claim = Claim(claim_id="c1", claim_text=text, claim_type=ClaimType.ABSENCE, critical=True)
    return judge(claim, [LOGS], known_in([LOGS]))


@pytest.mark.parametrize("text", OVERREACHING)
def test_silence_says_nothing_of_the_world(text: str) -> None:
    # REQ-046, REQ-224
    found = said(text)
    assert found.expressible is Expressible.NONE, found


@pytest.mark.parametrize("text", HONEST)
def test_a_query_that_matched_nothing_is_told_as_that_with_a_hedge(text: str) -> None:
    # REQ-045
    found = said(text)
    assert (found.result, found.expressible) == (CheckResult.PARTIAL, Expressible.HEDGED), found.reason


def test_what_the_query_asked_is_no_statement_of_the_claim() -> None:
    asked = {"query": "Alarm went from OK to ALARM, the cause is unknown. What is wrong?", "limit": 5}
    call = Cited("", canonical.dumps({}), {"window": None}, asked, "lookup_knowledge")
    echo = "No matching evidence was found by lookup_knowledge (query=Alarm went from OK to ALARM, the cause is unkn) over the window."
    claim = Claim(claim_id="c1", claim_text=echo, claim_type=ClaimType.ABSENCE, critical=True)
    assert judge(claim, [call]).expressible is Expressible.HEDGED
    other = claim.model_copy(update={"claim_text": echo.replace("unkn", "the database, which is healthy")})
    assert judge(other, [call]).expressible is Expressible.NONE
