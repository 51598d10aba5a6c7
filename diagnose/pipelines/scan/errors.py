"""What ends a scan before or while it works."""

from __future__ import annotations


class ScanError(Exception):
    """What was asked cannot be done: a pattern, a list, a ledger or a machine that is not as it must be."""
