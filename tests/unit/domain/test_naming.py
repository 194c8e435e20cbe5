"""Whether a text names a resource, and whose a made name is."""

import pytest

from superbiz.domain.naming import names, own_words, owner_of

ARN = "arn:aws:rds:eu-west-1:111122223333:db:payments-prod"


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        ("order-service failed.", "order-service"),
        ("ORDER-SERVICE: failed", "order-service"),
        ("(order-service)", "order-service"),
        ("order-service/pod-1 failed", "order-service"),
        ("order-service出现错误", "order-service"),
        ("订单服务出现错误", "订单服务"),
        ("payments-prod is full", ARN),
        (f"{ARN} is full", ARN),
        ("queue orders is long", "shop/orders"),
        ("PetSearch_AWS::ECS::Fargate is slow", "PetSearch_AWS::ECS::Fargate"),
        ("a [b](c) d", "[b](c)"),
    ],
)
def test_a_whole_name_counts(text: str, resource: str) -> None:
    assert names(text, resource)


@pytest.mark.parametrize(
    ("text", "resource"),
    [
        ("order-service-2 failed", "order-service"),
        ("my-order-service failed", "order-service"),
        ("order-service.prod failed", "order-service"),
        ("eu.order-service failed", "order-service"),
        ("order-service::Function failed", "order-service"),
        ("AWS::order-service failed", "order-service"),
        ("Lambda is slow", "lambda_step_AWS::Lambda"),
        ("version 3 failed", "arn:aws:lambda:eu-west-1:111122223333:function:pay:3"),
        ("db failed", "a/db"),
        ("anything", ""),
        ("anything", "  "),
    ],
)
def test_a_part_of_a_longer_name_does_not(text: str, resource: str) -> None:
    assert not names(text, resource)


@pytest.mark.parametrize(
    ("name", "known", "owner"),
    [
        ("orders-7d9f4c8b6d-x2x4q", [], "orders"),
        ("shop/pod/orders-7d9f-abc12", [], "orders"),
        ("shop/orders-7d9f4c8b6d-x2x4q", ["orders"], "orders"),
        ("shop/deployment/orders", ["orders"], "orders"),
        ("orders-7d9f-abc", ["orders"], "orders"),
        ("redis-0", ["redis"], "redis"),
        ("ecs/orders/0f1e2d3c4b5a69788796a5b4c3d2e1f0", ["orders"], "orders"),
        ("app/shop-alb/50dc6c495c0c9188", ["shop-alb"], "shop-alb"),
        ("targetgroup/orders/8be1c0aa91d2e7f3", ["orders"], "orders"),
        ("arn:aws:lambda:eu-west-1:111122223333:function:pay:3", ["pay"], "pay"),
        ("orders-config", ["orders"], "orders"),
        ("shop/orders-tls-4", ["shop/deployment/orders"], "orders"),
        ("orders-db.c1x2y3.eu-west-1.rds.amazonaws.com", ["orders-db"], "orders-db"),
        ("ORDERS-7D9F-ABC", ["orders"], "orders"),
    ],
)
def test_what_a_platform_made_belongs_to_its_workload(name: str, known: list[str], owner: str) -> None:
    assert owner_of(name, known) == owner


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("orders-db", ["orders"]),
        ("orders-db-replica-1", ["orders-db"]),
        ("orders", ["orders"]),
        ("orders-api-canary", ["orders"]),
        ("reorders", ["orders"]),
        ("shop/pod/orders", []),
        ("node/ip-10-0-0-1.ec2.internal", ["orders"]),
        ("shop/orders/pay", ["orders"]),
        ("", ["orders"]),
    ],
)
def test_what_stands_by_itself_has_no_owner(name: str, known: list[str]) -> None:
    assert owner_of(name, known) is None


def test_own_words_are_those_that_may_tell_a_workload_from_others() -> None:
    assert own_words("/prod/statements/db-app-user") == {"statement", "user"}
    assert own_words("InvoiceRenderer-config") == {"invoice", "renderer"}
    assert own_words("prod-db-1") == frozenset()
