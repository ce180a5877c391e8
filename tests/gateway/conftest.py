"""APIs, a catalogue and a store for the gateway, all made up."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proctor.catalog.index import Catalog
from proctor.gateway.gateway import Gateway, GatewayOptions
from proctor.records.queries import ApiId, ApiSpec, Parameter, ToolSpec
from proctor.store.responses import ResponseStore, open_responses

FORECAST = ApiSpec(
    ApiId("Weather, Sea", "Sky Report", "Get Forecast"),
    "Wind and waves at a port.",
    (Parameter("portName", "STRING", "Name of the port", "Kiel"),),
    (Parameter("days", "NUMBER", "", "3"),),
    template_response={"wind": 5, "port": "Kiel", "days": 3},
)
PORTS = ApiSpec(ApiId("Weather, Sea", "Sky Report", "List Ports"), "All ports.")
TRAVEL = ApiSpec(ApiId("Travel", "Tickets_for_Trains", "Find_for_Day"), "Trains of a day.")

MakeGateway = Callable[..., Gateway]


@pytest.fixture
def forecast() -> ApiSpec:
    return FORECAST


@pytest.fixture
def catalog() -> Catalog:
    weather = ToolSpec("Weather, Sea", "Sky Report", "Weather for sailors.", (FORECAST, PORTS))
    return Catalog([weather, ToolSpec("Travel", "Tickets_for_Trains", "Trains.", (TRAVEL,))])


@pytest.fixture
def store_path(tmp_path: Path) -> Path:
    return tmp_path / "answers.db"


@pytest.fixture
def store(store_path: Path) -> Iterator[ResponseStore]:
    opened = open_responses(store_path)
    yield opened
    opened.close()


@pytest.fixture
def make_gateway(catalog: Catalog, store: ResponseStore) -> MakeGateway:
    """A gateway over the catalogue and the store, at twelve o'clock."""

    def make(**more: object) -> Gateway:
        known = {"store": store, "options": GatewayOptions(clock=lambda: 12.0, wait=0.005), **more}
        return Gateway(known.pop("catalog", catalog), **known)  # type: ignore[arg-type]

    return make
