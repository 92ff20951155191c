"""One execution of one task: dispatch, transaction, updates, journal, replay."""
