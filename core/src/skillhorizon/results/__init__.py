"""Results: runs, executions and scores in a database."""
