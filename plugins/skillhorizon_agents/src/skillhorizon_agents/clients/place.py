"""The empty folder that a client works in: the task's text, and how to reach the server in each client's own words."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from skillhorizon import Host
    from skillhorizon_agents.clients.settings import ClientSettings

SERVER = "skillhorizon"
TASK = "TASK.md"
OWNER_ONLY = 0o700
HANDED_ON = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TERM", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS")
_ENDINGS = ("_API_KEY", "_BASE_URL", "_PROXY", "_proxy")
_BEFORE = """\
Carry out the task below with the tools of the MCP server `skillhorizon` and no others: every fact and every effect is
behind them. Nobody answers questions. Parts of the work may be done already; the tools tell. Go on until everything is
delivered, then call `finish` twice: the first call tells the conditions, the second submits.

"""


@attrs.frozen
class Place:
    """A client's folder and environment."""

    folder: Path
    environment: Mapping[str, str]

    @classmethod
    def laid(cls, folder: Path, host: Host, instruction: str, settings: ClientSettings) -> Place:
        """Write a client's files into an empty folder."""
        for name, text in files(host, instruction, home=settings.home == "folder").items():
            path = folder / name
            path.parent.mkdir(mode=OWNER_ONLY, parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        (folder / ".tmp").mkdir(mode=OWNER_ONLY)
        return cls(folder, _environment(folder, host, settings))


def files(host: Host, instruction: str, *, home: bool) -> dict[str, str]:
    """Return the files by name: TASK.md, and the configuration of clients that look for one.

    With `home` the folder is the client's home too, where Gemini CLI is told to pay by key: it asks otherwise.
    """
    bearer = {"Authorization": f"Bearer {host.token}"}
    http = {"type": "http", "url": host.url, "headers": bearer}
    gemini = {"httpUrl": host.url, "headers": bearer, "trust": True, "timeout": 600_000}
    keyed = {"security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False}}
    opencode = {"type": "remote", "url": host.url, "headers": bearer, "enabled": True, "oauth": False}
    return {
        TASK: _BEFORE + instruction + "\n",
        "mcp.json": _json({"mcpServers": {SERVER: http}}),
        "opencode.json": _json({"$schema": "https://opencode.ai/config.json", "mcp": {SERVER: opencode}}),
        ".gemini/settings.json": _json({"mcpServers": {SERVER: gemini}, **(keyed if home else {})}),
        ".codex/config.toml": _codex(host),
    }


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"


def _codex(host: Host) -> str:
    lines = [
        f"[mcp_servers.{SERVER}]",
        f'url = "{host.url}"',
        'bearer_token_env_var = "SHZ_TOKEN"',
        'default_tools_approval_mode = "approve"',
        "tool_timeout_sec = 600",
    ]
    return "\n".join(lines) + "\n"


def _environment(folder: Path, host: Host, settings: ClientSettings) -> dict[str, str]:
    """Return the client's environment: URL and token, and of the user's own what it needs to run and to pay."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in HANDED_ON or name in settings.environment or name.endswith(_ENDINGS)
    }
    own = {"SHZ_URL": host.url, "SHZ_TOKEN": host.token, "TMPDIR": str(folder / ".tmp")}
    home = str(folder) if settings.home == "folder" else os.environ.get("HOME", str(folder))
    homes = {"CODEX_HOME": str(folder / ".codex")} if settings.home == "folder" else {}
    return {**kept, **own, **homes, "HOME": home}
