"""The kit itself: profiles, choices, processes, and environments that do everything wrong at once."""

from __future__ import annotations

import signal
import time
from typing import TYPE_CHECKING

import attrs
import pytest
from bakery import bakery

from skillhorizon.conformance.findings import Severity
from skillhorizon.conformance.guard import Overdue, deadline, overheard
from skillhorizon.conformance.kit import Job, examine
from skillhorizon.conformance.origin import bundle_of, components_of
from skillhorizon.conformance.scaling import residuals
from skillhorizon.conformance.subject import Subject
from skillhorizon.conformance.tools import schema_faults
from skillhorizon.errors import UnknownName
from skillhorizon.testing import FAST, Finding, check_environment

if TYPE_CHECKING:
    from pathlib import Path

    from skillhorizon.construction.components import Components

HURRIED = attrs.evolve(FAST, patience=2, limit=20)


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ({"origin": "nowhere"}, "no environment 'nowhere' is installed"),
        ({"origin": "bakery:bakery", "profile": "thorough"}, "no profile 'thorough'; the profiles are fast, full"),
        ({"origin": "bakery:bakery", "only": ["beauty"]}, "no check 'beauty'; the checks are repeatable"),
    ],
)
def test_unknown_names_are_refused(words: dict[str, str], says: str) -> None:
    with pytest.raises(UnknownName, match=says):
        check_environment(**words)  # type: ignore[arg-type]  # some of them are wrong


def test_checks_run_in_processes_of_their_own() -> None:
    told: list[str] = []
    only = ["start", "instruction", "reading"]
    report = check_environment("bakery:bakery", only=only, workers=2, progress=told.append)
    assert (report.findings, sorted(told)) == ((), sorted(only))
    assert [checked.check for checked in report.checked] == ["start", "reading", "instruction"]


LOST = """
import os

from bakery import bakery


def compose(config, rng):
    os._exit(9)


environment = bakery(compose=compose)
"""


def test_an_environment_that_ends_the_process_is_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath("suicidal_bakery.py").write_text(LOST)
    monkeypatch.syspath_prepend(str(tmp_path))
    report = check_environment("suicidal_bakery:environment", only=["start", "reading"], workers=2)
    assert {finding.message for finding in report.findings} == {"the environment ends or blocks the process"}


def test_a_report_tells_everything_as_text_and_as_json() -> None:
    report = check_environment("broken_bakeries:names_a_skill", only=["instruction"])
    assert not report.sound
    assert "error [instruction] the instruction names a skill" in str(report)
    assert "\n    count-loaves" in str(report)
    told = report.as_json()
    assert (told["sound"], told["findings"][0]["severity"]) == (False, "error")


def test_warnings_alone_leave_a_report_sound() -> None:
    report = check_environment("bakery:bakery", only=["instruction"])
    warning = Finding(check="tools", message="a long name", severity=Severity.WARNING)
    assert attrs.evolve(report, findings=(warning,)).sound


def test_a_deadline_interrupts_and_gives_the_alarm_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(Overdue, match="test_check_kit"), deadline(0.05):
        time.sleep(5)
    assert signal.getsignal(signal.SIGALRM) == before


def test_an_outer_deadline_goes_on_after_an_inner_one() -> None:
    def nested() -> None:
        with deadline(0.2):
            with deadline(10):
                pass
            time.sleep(5)

    with pytest.raises(Overdue):
        nested()


def test_what_is_printed_is_kept_with_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    with overheard() as ear:
        print("hot loaves")  # noqa: T201  # what is heard
    ((where, text),) = ear.said.items()
    assert ("tests/test_check_kit.py" in where, text) == (True, "hot loaves\n")
    assert capsys.readouterr().out == ""


def test_a_hang_in_one_check_does_not_keep_the_others() -> None:
    examined = examine(Job(0, "broken_bakeries:hangs", "mutations", HURRIED))
    assert examined.findings == ()
    assert [text.partition("\n")[0] for _, (_, text) in examined.unproven] == ["it hangs: no end after 2 s"] * 2


def test_after_two_hangs_no_further_task_is_tried() -> None:
    subject = Subject("broken_bakeries:hangs", components("broken_bakeries:hangs"), attrs.evolve(HURRIED, patience=0.1))
    assert list(subject.proven(subject.spots(["smoke"], 2))) == []
    assert [text for _, text in subject.unproven.values()][2:] == ["not tried, since others hang"] * 2


def components(origin: str) -> Components:
    return components_of(origin, bundle_of(origin))


def test_the_line_is_judged_by_shares() -> None:
    shares = residuals({1: 100.0, 2: 200.0, 3: 300.0, 4: 1000.0, 5: 500.0})
    assert max(shares.values()) > 0.1


@pytest.mark.parametrize(
    ("schema", "fault"),
    [
        ({"type": "array"}, "the arguments are no object"),
        ({"type": "object", "oneOf": []}, "the keyword oneOf"),
        ({"type": "object", "anyOf": [{"type": "string"}]}, "a choice at the top"),
        ({"type": "object", "properties": {"a b": {"type": "string"}}}, "the name 'a b'"),
    ],
)
def test_schemas_that_a_provider_refuses(schema: dict[str, object], fault: str) -> None:
    assert fault in [told for _, told in schema_faults(schema)]


def test_every_schema_of_the_bakery_is_accepted() -> None:
    assert [list(schema_faults(tool.schema)) for tool in bakery().tools] == [[]] * 4
