"""Whether a text names a resource."""

import pytest

from superbiz.domain.naming import names

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
