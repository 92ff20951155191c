"""Loaded once by the process that workers are forked from: what each of them needs, ready at its start."""

from __future__ import annotations

import networkx  # noqa: F401  # 100 ms, once instead of in every worker

from skillhorizon.construction import validate  # noqa: F401
from skillhorizon.model import tokens

tokens.count("")  # builds the tokenizer
