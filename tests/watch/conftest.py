import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "report")]  # runs, status_pages; made_up

from runs import begin_run, finish  # noqa: E402


@pytest.fixture(scope="session")
def finished(tmp_path_factory) -> Path:
    """The folder of a run that has ended."""
    folder = tmp_path_factory.mktemp("runs") / "finished"
    return finish(begin_run(folder), folder)


@pytest.fixture(scope="session")
def shifted(tmp_path_factory) -> Path:
    """That of another one, all of whose values are larger by 0.25."""
    folder = tmp_path_factory.mktemp("runs") / "shifted"
    return finish(begin_run(folder, shift="0.25"), folder)
