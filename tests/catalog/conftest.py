"""Tools that we made up, in the shapes in which tools are handed around."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from proctor.records.queries import ApiId, ApiSpec, Parameter


@pytest.fixture
def weather_tool() -> dict[str, Any]:
    """The file of a tool, with everything that such files hold."""
    return {
        "product_id": "1",
        "tool_name": "Sky Report",
        "title": "Sky Report!",
        "tool_description": "Weather for sailors.",
        "host": "sky.example",
        "pricing": "FREE",
        "api_list": [
            {
                "name": "Get Forecast",
                "url": "https://sky.example/forecast/{port}",
                "description": "Wind and waves at a port.",
                "method": "GET",
                "required_parameters": [
                    {"name": "port", "type": "STRING", "description": "Name of the port", "default": "Kiel"}
                ],
                "optional_parameters": [{"name": "days", "type": "NUMBER", "description": "", "default": "3"}],
                "code": "import requests",
                "convert_code": "import requests",
                "test_endpoint": {"wind": 5},
            },
            {"name": "List Ports", "description": None, "method": "GET", "required_parameters": []},
        ],
    }


@pytest.fixture
def forecast() -> ApiSpec:
    return ApiSpec(
        id=ApiId("Weather", "Sky Report", "Get Forecast"),
        description="Wind and waves at a port.",
        required=(Parameter("port", "STRING", "Name of the port", "Kiel"),),
        optional=(Parameter("days", "NUMBER", "", "3"),),
        template_response={"wind": 5},
        url="https://sky.example/forecast/{port}",
    )


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, Any], Path]:
    """Writes a document below a folder `tools` and returns that folder."""

    def written(path: str, content: Any) -> Path:
        file = tmp_path / "tools" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        file.write_bytes(data)
        return tmp_path / "tools"

    return written
