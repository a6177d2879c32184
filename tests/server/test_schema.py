"""Schemathesis: requests made from the OpenAPI schema, right and wrong. Each is answered as the schema says, and never with 5xx."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, seed, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance
from tests.server.conftest import World

from podium.server.rates import Limits

CHECKS = [not_a_server_error, response_schema_conformance, status_code_conformance, content_type_conformance]
NO_LIMITS = Limits(rate=1e9, burst=10**9, address_rate=1e9, address_burst=10**9, failures=10**9)


@pytest.mark.parametrize(("name", "role"), [("root", "admin"), ("ann", "judge")])
def test_no_request_that_the_schema_allows_or_forbids_breaks_the_server(make_world: Callable[..., World], name: str, role: str) -> None:
    world = make_world(limits=NO_LIMITS)
    token, _ = world.office.people.token(world.people[name], role=role)
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", world.app, headers={"host": "127.0.0.1"})
    operations = [result.ok() for result in schema.get_all_operations()]
    assert len(operations) > 40
    for operation in operations:
        _try(operation, {"authorization": f"Bearer {token}", "host": "127.0.0.1"})


def _try(operation: Any, headers: dict[str, str]) -> None:
    @seed(6)
    @settings(
        max_examples=8, database=None, deadline=None, phases=[Phase.explicit, Phase.generate], derandomize=False,
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(case=operation.as_strategy())
    def ask(case: Any) -> None:
        case.call_and_validate(headers=headers, checks=CHECKS)

    ask()
