"""`python -m skillhorizon_agents.testing TASK...`: the scripted model, for trying out a client without a provider."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from skillhorizon import dumps, load_task
from skillhorizon_agents.testing.rules import Rules
from skillhorizon_agents.testing.server import ModelServer


def main() -> None:
    """Print where the server is, then serve until Ctrl-C."""
    about = "Serve a model that answers as the reference would, on 127.0.0.1."
    parser = argparse.ArgumentParser(prog="python -m skillhorizon_agents.testing", description=about)
    parser.add_argument("tasks", nargs="+", type=Path, metavar="TASK", help="task files")
    parser.add_argument("--port", type=int, default=0, help="port to listen at; 0 takes a free one")
    parser.add_argument("--model", default="scripted", help="the model's name")
    parser.add_argument("--strict", action="store_true", help="hold requests to what the own loop promises")
    given = parser.parse_args()
    rules = Rules.of_loop() if given.strict else Rules.of_clients()
    tasks = [load_task(path) for path in given.tasks]
    server = ModelServer(tasks, rules.named(given.model), port=given.port)
    sys.stdout.write(dumps({"openai": server.url, "anthropic": server.root, "gemini": server.root}) + "\n")
    sys.stdout.flush()
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        return


main()
