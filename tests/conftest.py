"""What tests share: the rules in force, and where shared material lies if it is there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from diagnose.pipelines.rulebook import Rulebook, rulebook

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests neither use nor fill the user's cache."""
    os.environ["DECODEDOCTOR_CACHE"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session")
def book(_own_cache: None) -> Rulebook:
    return rulebook()
