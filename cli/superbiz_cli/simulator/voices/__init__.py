"""How services word what they log: one voice a framework, plain and JSON mixed, as a real account has them."""

from collections.abc import Mapping

from superbiz_cli.simulator.voices import aws_lambda, frameworks, proxies, shop
from superbiz_cli.simulator.voices.happening import Happening, Voice, stamp

VOICES: Mapping[str, Voice] = {
    "gateway": shop.gateway,
    "spring": shop.spring,
    "pino": shop.pino,
    "python": shop.python,
    "logfmt": shop.logfmt,
    "nginx": proxies.nginx,
    "envoy": proxies.envoy,
    "logback": frameworks.logback,
    "winston": frameworks.winston,
    "gunicorn": frameworks.gunicorn,
    "zap": frameworks.zap,
    "fluentbit": frameworks.fluentbit,
    "lambda": aws_lambda.function,
}

__all__ = ["VOICES", "Happening", "Voice", "stamp"]
