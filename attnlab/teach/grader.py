"""nbgrader, set up as the course's nbgrader_config.py says, for use from Python."""

import os
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from traitlets.config import Config, PyFileConfigLoader

from attnlab.folder import CONFIG
from attnlab.problem import Problem


def load_config(root: Path, language: str | None = None) -> Config:
    """Return what nbgrader_config.py in `root` sets, for `language` instead of its own where one is given."""
    before = os.environ.get("ATTNLAB_LANGUAGE")
    if language:
        os.environ["ATTNLAB_LANGUAGE"] = language
    try:
        return PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    except Exception as error:
        raise Problem(f"{root / CONFIG}: {type(error).__name__}: {error}") from error
    finally:
        if before is None:
            os.environ.pop("ATTNLAB_LANGUAGE", None)
        else:
            os.environ["ATTNLAB_LANGUAGE"] = before


def grader(config: Config) -> NbGraderAPI:
    """Return nbgrader with this configuration; it calls alembic by name, which the command line puts on the PATH."""
    return NbGraderAPI(config=config)


def release_grader(root: Path, made: Path, language: str, *, walls: bool = True) -> NbGraderAPI:
    """Return nbgrader, set up as in `root` but for `language`, releasing to `made`, with a gradebook of its own."""
    config = load_config(root, language)
    config.Isolated.walls = walls
    config.CourseDirectory.root = str(made)
    config.CourseDirectory.source_directory = str(root / "source")
    config.CourseDirectory.db_url = f"sqlite:///{made / f'{language}.db'}"
    return grader(config)


def succeed(result: dict, what: str) -> None:
    """Raise Problem with nbgrader's last line where one of its results is no success."""
    if not result["success"]:
        said = f"{result.get('log', '')}\n{result.get('error', '')}".strip().splitlines()
        raise Problem(f"{what}: {said[-1] if said else 'nbgrader did not say why'}")
