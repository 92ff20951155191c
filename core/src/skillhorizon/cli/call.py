"""`shz call TOOL JSON`: one call on a running server, for agents that have a terminal and nothing else."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from skillhorizon.cli.output import json_option


@click.command("call")
@click.argument("tool", required=False)
@click.argument("arguments", metavar="[JSON]", default="{}")
@click.option("--number", type=click.IntRange(min=1), help="Which call it is; given again, it is answered again.")
@click.option("--url", envvar="SHZ_URL", default="", help="The session's URL; $SHZ_URL by default.")
@click.option("--token", envvar="SHZ_TOKEN", default="", help="The server's token; $SHZ_TOKEN by default.")
@json_option
def call(*, tool: str | None, arguments: str, number: int | None, url: str, token: str, as_json: bool) -> None:
    """Make one call on a running `shz serve`.

    Prints the answer, which is JSON, and exits with 1 when the call was not accepted. JSON is an object, or `-` to read
    it from stdin. Without a TOOL, prints what is to be done and the tools.
    """
    if not url:
        raise click.UsageError("SHZ_URL is not set; set it to the URL that `shz serve` printed, or give --url")
    if tool is None:
        _tell_task(url, token, as_json=as_json)
        return
    result = _called(url, token, {"name": tool, "arguments": _arguments(arguments)}, number)
    click.echo(result["content"][0]["text"])
    if result.get("isError"):
        click.get_current_context().exit(1)


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(sys.stdin.read() if text == "-" else text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"the arguments are no JSON ({error}); quote them for your shell: '{{...}}'") from error
    if not isinstance(value, dict):
        raise click.UsageError('the arguments are a JSON object, such as \'{"topic": "stages"}\'')
    return value


def _called(url: str, token: str, params: dict[str, Any], number: int | None) -> dict[str, Any]:
    from skillhorizon.serve.remote import NUMBER, ask  # noqa: PLC0415  # HTTP's modules, for this command only

    meta = {} if number is None else {"_meta": {NUMBER: number}}
    return ask(url, token, "tools/call", params | meta)


def _tell_task(url: str, token: str, *, as_json: bool) -> None:
    instruction, tools = _task(url, token)
    if as_json:
        click.echo(json.dumps({"instruction": instruction, "tools": tools}, ensure_ascii=False, sort_keys=True))
        return
    click.echo(instruction)
    for tool in tools:
        about = json.dumps(tool["inputSchema"]["properties"], ensure_ascii=False, sort_keys=True)
        click.echo(f"\n{tool['name']}: {tool.get('description', '')}\n  {about}")


def _task(url: str, token: str) -> tuple[str, list[dict[str, Any]]]:
    """Return the instruction, and the tools of all pages."""
    from skillhorizon.serve.remote import ask  # noqa: PLC0415

    prompt = ask(url, token, "prompts/get", {"name": "task"})
    tools: list[dict[str, Any]] = []
    page: dict[str, Any] = {}
    while not tools or "nextCursor" in page:
        page = ask(url, token, "tools/list", {"cursor": page["nextCursor"]} if page else {})
        tools += page["tools"]
    return prompt["messages"][0]["content"]["text"], tools
