"""What all tests share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent

# Derived, not random: a failure here is a failure everywhere. No deadline: machines differ.
settings.register_profile("house", derandomize=True, deadline=None, database=None)
settings.load_profile("house")


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return ROOT


@pytest.fixture(scope="session")
def design_data() -> Path:
    """The design's data: cases worked by hand, facts, recordings.

    The folder `AGENTSIM_DATA`, else `shared/data` beside the repository; a test that asks for it
    is skipped where neither is there.
    """
    folder = Path(os.environ.get("AGENTSIM_DATA") or ROOT.parent / "shared" / "data")
    if not folder.is_dir():
        pytest.skip(f"no design data in {folder}; AGENTSIM_DATA names another folder")
    return folder
