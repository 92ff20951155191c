"""`shz replay JOURNAL`: the state after any call of an execution."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from skillhorizon.cli.output import emit, json_option
from skillhorizon.cli.show import findings, tell_score


@click.command("replay")
@click.argument("journal", type=click.Path(path_type=Path))
@click.option("--at", type=click.IntRange(min=0), help="Stop after this call; 0 is the start, the end by default.")
@click.option("--suite", type=click.Path(path_type=Path), help="The journal's suite; its run tells by default.")
@json_option
def replay(*, journal: Path, at: int | None, suite: Path | None, as_json: bool) -> None:
    """Repeat a journal and score its state.

    Every call is repeated on a rebuilt world and compared with the journal, byte for byte.
    """
    document = _replayed(journal, at, suite)
    if as_json:
        emit(document)
        return
    click.echo(f"{document['task']}, trial {document['trial']}: {document['kind'] or 'not ended'}")
    click.echo(f"state after call {document['at']} of {document['calls']}; all observations are the same")
    tell_score(document, document["unmet"])


def _replayed(path: Path, at: int | None, suite: Path | None) -> dict[str, Any]:
    from skillhorizon.evaluation.metrics import figures  # noqa: PLC0415  # imports the whole machinery
    from skillhorizon.evaluation.reading import rebuilt, score_at, suite_of, task_of_journal  # noqa: PLC0415
    from skillhorizon.session.files import read_journal  # noqa: PLC0415

    found = read_journal(path)
    task = task_of_journal(found.header, suite or suite_of(path))
    with rebuilt(task, found, path) as built:
        score = score_at(built, found, at)
    calls = len(found.records)
    about = {"task": task.id, "agent": found.header.agent, "trial": found.header.trial}
    where = {"calls": calls, "at": calls if at is None else at, "kind": found.footer.kind if found.footer else None}
    return about | where | figures(score) | {"unmet": findings(score.unmet)}
