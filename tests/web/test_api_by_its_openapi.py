"""The API is what its OpenAPI says: every operation called with what it allows and with what it does not.

A server of its own on the loopback, over one installation that has one of everything; what the calls before have done
stays. Each operation gets few examples here; the numbers that find more are for the night.
"""

import asyncio
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest
import schemathesis
import uvicorn
from hypothesis import HealthCheck, Phase, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)

from relance.app import init_installation, settle_installation
from relance.app.serving import surroundings, take_address
from relance.config import Config
from relance.core.people import Role
from relance.ports.domains import DomainAnswers, NoAnswer
from relance.ports.store import Transaction
from relance.services import api_keys
from relance.testing.fake_clock import MONDAY
from relance.web.api.application import api_application, openapi_document
from relance.web.security.tokens import KEY_PREFIX, Token, new_token
from web.test_every_api_route import fill

EXAMPLES = int(os.environ.get("RELANCE_API_EXAMPLES", "4"))
NEVER_TOO_MANY = 10**9
CHECKS = [
    not_a_server_error,
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
]
schema = schemathesis.openapi.from_dict(openapi_document())


class _Server(uvicorn.Server):
    """A server in a thread: signals are the main thread's."""

    def install_signal_handlers(self) -> None:
        """Take none."""


class _NoNameServer:
    """Implements `ports.domains.DomainInspector`: nobody answers."""

    async def inspect(self, domain: str, selectors: Sequence[str]) -> DomainAnswers:  # noqa: ARG002  # the port's
        """Answer nothing."""
        nothing = NoAnswer("this test asks nobody")
        return DomainAnswers(texts=nothing, exchangers=nothing, policies=nothing, keys={})


class _NothingAhead:
    """Foresees nothing: a forecast is a process of its own, which takes a second each time."""

    async def __call__(self, workspace: str, question: Mapping[str, str]) -> Mapping[str, object]:  # noqa: ARG002  # the hand's
        """Stand for the forecast, which is played in a process of its own and has its own tests."""
        lists: dict[str, list[object]] = {"days": [], "sequences": [], "bottlenecks": []}
        return {"since": MONDAY, "until": MONDAY, "done_at": None, "sends": 0, "relief": None, **lists}

    async def of_lead(self, _workspace: str, _email: str) -> Mapping[str, object]:
        """Say nothing of one person."""
        return {}


def _key(tx: Transaction, workspace, token: Token) -> None:
    api_keys.add(
        tx,
        workspace,
        name="the test's",
        shown=token.shown,
        digest=token.digest,
        role=Role.OWNER,
        by="a test",
        may=Role.OWNER,
        now=MONDAY,
    )


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Serve the API, and return where and with which key."""
    data = tmp_path_factory.mktemp("api") / "data"
    taken, token, started = take_address("127.0.0.1:0"), new_token(KEY_PREFIX), threading.Event()
    host, port = taken.getsockname()
    servers: list[_Server] = []

    async def serve() -> None:
        installation = init_installation(Config(data=data, master_key_file=data / "master.key", workspace="acme"))
        installation.domains = _NoNameServer()
        acme = await settle_installation(installation, timezone=None)
        await installation.write(fill, acme)
        await installation.write(_key, acme, token)
        around = surroundings(installation, base_url=f"http://{host}:{port}")
        around = replace(around, hands=replace(around.hands, foresee=_NothingAhead()))
        app = api_application(around, calls_at_once=NEVER_TOO_MANY)
        servers.append(_Server(uvicorn.Config(app, log_config=None, access_log=False, lifespan="off")))
        started.set()
        await servers[0].serve(sockets=[taken])
        await installation.close()

    thread = threading.Thread(target=lambda: asyncio.run(serve()), name="api")
    thread.start()
    assert started.wait(60)
    yield f"http://{host}:{port}", token.text
    servers[0].should_exit = True
    thread.join(60)


@schema.parametrize()
@settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_every_operation_answers_as_the_openapi_says(case, served: tuple[str, str]):
    """No call breaks anything inside, and every answer has a status, a type and a shape that are promised."""
    where, key = served
    case.call_and_validate(base_url=where, headers={"Authorization": f"Bearer {key}"}, checks=CHECKS)
