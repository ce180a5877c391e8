"""A server built as upstream's is: for every request the whole cache file of the API is read and parsed.

FastAPI with a validated model, run by the peer's interpreter. The folder of cache files is the only argument.
"""

import json
import re
import sys
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel

FOLDER = sys.argv[1]
application = FastAPI()


class Info(BaseModel):
    """A request."""

    category: str
    tool_name: str
    api_name: str
    tool_input: str | dict
    strip: str
    toolbench_key: str


def standardised(name: str) -> str:
    name = re.sub(r"_+", "_", re.sub(r"[^0-9a-zA-Z_\u4e00-\u9fa5^]", "_", name)).strip("_").lower()
    return f"get_{name}" if name[:1].isdigit() else name


@application.post("/virtual")
def virtual(info: Info) -> dict[str, object]:
    category = re.sub(r"_+", "_", re.sub(r"[ ,/]", "_", info.category))
    tool = standardised(info.tool_name.removesuffix(f"_for_{category}"))
    api = standardised(info.api_name)
    try:
        asked = json.loads(info.tool_input or "{}") if isinstance(info.tool_input, str) else info.tool_input
    except ValueError as error:
        return {"error": f"Tool input parse error: {error}", "response": ""}
    path = Path(FOLDER) / category / f"{tool}_for_{category}" / f"{api}.json"
    if path.exists():
        with path.open() as file:
            recorded: dict[str, dict[str, object]] = json.load(file)
        if str(asked) in recorded:
            return recorded[str(asked)]
    return {"error": "no answer is recorded", "response": ""}


if __name__ == "__main__":
    config = uvicorn.Config(application, port=0, log_level="warning", access_log=False)
    listening = config.bind_socket()
    listening.listen(128)
    print(f"listening on http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
    uvicorn.Server(config).run(sockets=[listening])
