"""A scripted model server for tests: real wire formats, the reference policy's answers, and faults on demand."""

from skillhorizon_agents.testing.faults import Fault, Kind
from skillhorizon_agents.testing.rules import Rules
from skillhorizon_agents.testing.server import ModelServer, Served
from skillhorizon_agents.testing.talk import Breach

__all__ = ["Breach", "Fault", "Kind", "ModelServer", "Rules", "Served"]
