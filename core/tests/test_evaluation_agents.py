from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import strange_agents
from distributions import PLUGINS, install

from skillhorizon.errors import PluginError, UnknownName, UsageError
from skillhorizon.evaluation.agents import as_agent, load_agent, name_of

if TYPE_CHECKING:
    from pathlib import Path

PLUGIN = """
from skillhorizon import hookimpl
from skillhorizon.hookspecs import Contribution
from strange_agents import Baker


class Named:
    def __init__(self, options):
        self.name = options

    def run(self, execution):
        execution.submit()


class Plugin:
    @hookimpl
    def shz_agents(self):
        given = {"baker": Baker(), "named": Named, "strange_agents/": Named}
        return [Contribution(role="agent", environment="*", name=n, value=v) for n, v in given.items()]


plugin = Plugin()
"""


@pytest.fixture
def plugged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "test-agents", {PLUGINS: {"agents": "agents_plugin:plugin"}}, modules={"agents_plugin": PLUGIN})
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("name", ["reference", "null"])
def test_own_agents_have_names(name: str) -> None:
    assert load_agent(name).name == name


@pytest.mark.parametrize("attribute", ["bake_first", "Baker", "make_baker"])
def test_a_function_a_class_and_a_factory_are_agents(attribute: str) -> None:
    assert load_agent(f"strange_agents:{attribute}").name == f"strange_agents:{attribute}"


def test_objects_are_agents_under_their_name() -> None:
    assert name_of(strange_agents.Baker()) == "baker"
    assert name_of(strange_agents.bake_first) == "strange_agents:bake_first"
    assert as_agent(strange_agents.Baker(), "baker").name == "baker"


def test_plugins_bring_agents_with_and_without_options(plugged: None) -> None:
    assert load_agent("baker").name == "baker"
    assert load_agent("named:x=1").name == "named:x=1"
    with pytest.raises(UsageError, match="the agent baker takes no options"):
        load_agent("baker:fast")


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("nobody", "of plugins .*baker, .*named, .*strange_agents/MODEL, or name your own"),
        ("no_such_module:agent", "of plugins .*baker, .*named, .*strange_agents/MODEL, and a module must lie"),
        ("strange_agents:large-2", "name the agent as MODULE:ATTRIBUTE, or a model as strange_agents/large-2$"),
    ],
)
def test_who_names_no_agent_is_told_what_plugins_bring(plugged: None, spec: str, says: str) -> None:
    with pytest.raises(UnknownName, match=says):
        load_agent(spec)


@pytest.mark.parametrize(
    ("spec", "error", "says"),
    [
        (
            "nobody",
            UnknownName,
            "the agents are careless, early-stop, forgetful, no-recheck, null, read-only, reference",
        ),
        ("no_such_module:agent", UnknownName, "neither an agent nor a module"),
        ("strange_agents:missing", UnknownName, "has no 'missing'"),
        ("strange_agents:NOTHING", UsageError, "is no agent"),
        ("strange_agents:Costly", UsageError, "no key is set"),
        ("null:soon", UsageError, "takes no options"),
    ],
)
def test_what_is_no_agent_is_named(spec: str, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        load_agent(spec)


def test_a_module_that_breaks_on_import_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_agent_module.py").write_text("import no_such_library\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(PluginError, match="'broken_agent_module' fails on import"):
        load_agent("broken_agent_module:agent")
