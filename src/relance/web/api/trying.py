"""Looking ahead and trying out: forecasts, and test mails to an address of one's own."""

from datetime import date, datetime
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from relance.core.plan_document import plan_from_document
from relance.services import sequences
from relance.services.addresses import clean_address
from relance.services.refusals import RefusedError
from relance.web.api.call import SELF_NOTED, Looks, Works
from relance.web.api.leads import find
from relance.web.api.repeating import Repeatable
from relance.web.api.sequences import Name
from relance.web.api.shapes import Given, Shape, Word

routes = APIRouter(tags=["sequences"], route_class=Repeatable)
Share = Annotated[float, Field(ge=0, le=1)]


class ForecastQuestion(Given):
    """What is to be foreseen, and what is to be supposed."""

    sequence: Word | None = Field(default=None, description="Only this one; left out: all.")
    days: Annotated[int, Field(ge=1, le=3650)] = 365
    mailboxes: Annotated[int, Field(ge=1, le=10_000)] | None = Field(
        default=None, description="As if so many mailboxes were connected in all."
    )
    daily_cap: Annotated[int, Field(ge=0, le=10_000)] | None = None
    window: Annotated[str, Field(min_length=1, max_length=1_000)] | None = Field(
        default=None, description="As if the sequence had this window; words as in a sequence file."
    )
    reply_rate: Share = 0.0
    bounce_rate: Share = 0.0

    def options(self) -> dict[str, str]:
        """Return it as options of `relance forecast`."""
        given = {name: value for name, value in self.model_dump().items() if value is not None}
        return {name if name == "sequence" else name.replace("_", "-"): str(value) for name, value in given.items()}


class DayForecast(Shape):
    """What leaves on one day."""

    day: date
    sent: int
    mailboxes: dict[str, int]


class CourseForecast(Shape):
    """How one sequence goes on."""

    sequence: str
    sends: int
    ended: dict[str, int]
    unfinished: dict[str, int]
    done_at: datetime | None


class BottleneckForecast(Shape):
    """What people wait for, and until when."""

    sequence: str
    pool: str | None
    limit: str
    until: datetime
    days: int
    most: int


class ReliefForecast(Shape):
    """What more mailboxes would bring."""

    mailboxes: int
    done_at: datetime


class ForecastShape(Shape):
    """What will be sent when, played by the engine over a copy of the state."""

    since: datetime
    until: datetime
    done_at: datetime | None
    sends: int
    days: list[DayForecast]
    sequences: list[CourseForecast]
    bottlenecks: list[BottleneckForecast]
    relief: ReliefForecast | None


class TestMails(Given):
    """Where test mails are to go."""

    to: Word = Field(description="Who gets them: an address of yours.")
    lead: Word | None = Field(default=None, description="Whose values are filled in; else [field] stands for a value.")
    step: Word | None = Field(default=None, description="Only this step.")


class SentTestMails(Shape):
    """What went out."""

    mailbox: str
    steps: list[str]


@routes.post("/forecast", response_model=ForecastShape, openapi_extra={SELF_NOTED: True}, tags=["forecast"])
async def foresee(call: Looks, wanted: ForecastQuestion) -> Any:  # noqa: ANN401  # facts as `forecast --json` prints them
    """Say what will be sent when, and what holds it up. Nothing is changed or sent; may take a minute."""
    return await call.hands.foresee(call.workspace.name, wanted.options())


@routes.post("/sequences/{name}/test", response_model=SentTestMails)
async def send_test_mails(call: Works, name: Name, wanted: TestMails) -> Any:  # noqa: ANN401  # a value of the service
    """Send every e-mail of the running version to an address of yours, now; nobody is enrolled."""
    recipient = clean_address(wanted.to)
    lead = None if wanted.lead is None else await call.read(find, call.workspace_id, wanted.lead)
    found = await call.read(sequences.by_name, call.workspace_id, name)
    running = await call.read(sequences.running_version, found)
    if running is None:
        raise RefusedError(f"sequence {name!r} was never published; publish it first")
    return await call.hands.send_test(
        workspace=call.workspace,
        plan=plan_from_document(running.document),
        contents={},
        recipient=recipient,
        email=lead.email if lead else None,
        step=wanted.step,
    )
