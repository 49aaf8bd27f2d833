"""The corpus: what learners hand in who want points for nothing, what breaks, and what each must get.

Exercise 1 (3 points) and the last one (3 points) are solved honestly unless it says otherwise, and the attack stands
in the cell of exercise 2, whose own solution is wrong: exactly the honest points are to be had. Where something has
been replaced that checks stand on, the checks that run later fail, as they do in the learner's own kernel.
"""

import json
import os
from pathlib import Path
from textwrap import indent
from typing import Any

import nbformat
from nbformat import NotebookNode

from tests.grade.hostile.make import ALL, LESSON, Entry, Places

_SECTIONS = Path(__file__).with_name("attacks.txt").read_text(encoding="utf-8").split("# %% ")[1:]
ATTACKS = {head: code.rstrip() + "\n" for head, _, code in (section.partition("\n") for section in _SECTIONS)}
"""The code of those who attack from the cell of exercise 2, or from the function that its tests call."""
FIRST = ("attention_scores",)
WRONG = "def softmax(scores):\n    return scores / 2\n"


def _cell(name: str, what: str, points: float = 6, ended: str = "", **more: Any) -> Entry:
    """Return one that attacks while its own cell runs."""
    return Entry(name, what, points, {"softmax": WRONG + ATTACKS[name]}, ended=ended, **more)


def _called(name: str, what: str, points: float = 6, ended: str = "", **more: Any) -> Entry:
    """Return one whose attack is the body of the function that the tests call."""
    return Entry(
        name, what, points, {"softmax": "def softmax(scores):\n" + indent(ATTACKS[name], "    ")}, ended=ended, **more
    )


# What decides on points in the learner's own kernel.
COMPARISONS = (
    _cell(
        "allclose",
        "patches torch's comparisons",
        3,
    ),
    _cell(
        "softmax_patched",
        "patches every softmax of torch's",
        3,
    ),
    _cell(
        "patched_unseen",
        "patches comparisons, and what would notice it",
    ),
    _cell(
        "builtins_gone",
        "redefines float, isinstance, abs, all and type, in builtins too",
        3,
    ),
    _called(
        "always_equal",
        "returns an object that equals everything",
    ),
    _called(
        "subclass",
        "returns a tensor of its own class that claims to be equal",
    ),
    _cell(
        "torch_mode",
        "lets a mode of torch's turn every result into ones",
        3,
    ),
)

# IPython's own machinery.
MACHINERY = (
    _cell(
        "run_ast_nodes",
        "overrides what IPython runs cells by",
        3,
    ),
    _cell(
        "run_cell",
        "overrides how the kernel executes, for good",
        3,
    ),
    _cell(
        "input_transformers",
        "empties every cell that comes after it",
        3,
    ),
    _cell(
        "ast_transformers",
        "rewrites every cell that comes after it to the number 5",
        3,  # its own last exercise is the number 5 then
    ),
    _cell(
        "events",
        "hooks what runs before and after cells",
    ),
    _cell(
        "showtraceback",
        "swallows all errors, and closes the streams",
    ),
    _cell(
        "displayhook",
        "shows the number 5 for everything",
    ),
    _cell(
        "settrace",
        "traces every call and looks through its frames",
    ),
)

# Looking for answers.
LOOKING = (
    _called(
        "frames",
        "searches the frames below for what it is compared with",
    ),
    _called(
        "collector",
        "searches all objects for a tensor whose rows sum to one",
    ),
    _cell(
        "history",
        "searches In[], the history, linecache and all texts for the tests",
    ),
    _cell(
        "reads",
        "reads whatever it finds on the machine",
    ),
    _cell(
        "proc",
        "reads environment, memory and files of all processes through /proc",
    ),
    _cell(
        "environment",
        "prints its environment and its open files",
    ),
    _cell(
        "imports_answers",
        "imports what only graders have, and the checks' own secrets",
    ),
)

# Writing and reaching out.
OUTSIDE = (
    _cell(
        "writes",
        "writes to HOME, the course, the gradebook, other submissions and the system",
    ),
    _cell(
        "links",
        "makes links to what it cannot see, and names of devices",
    ),
    _cell(
        "sockets",
        "connects to this machine, to others and to a name server",
    ),
    _cell(
        "listens",
        "listens on a port and on an abstract name, and leaves threads behind that accept",
    ),
    _called(
        "pickle",
        "returns an object that runs a command where it is unpickled",
    ),
    _cell(
        "shell",
        "runs cells of the shell and of an assistant that is not there",
        after={
            "softmax": (
                "%%bash\ncat @home@/secret @other@/secret /etc/passwd; echo $?",
                "!cat @home@/secret; ls @course@",
                "%%ai x\nhello",
            )
        },
    ),
    _cell(
        "deletes_itself",
        "changes its folder and deletes whatever it may",
    ),
)

# Messages and answers that are forged from the kernel's own memory.
FORGED = (
    _cell(
        "iopub",
        "sends outputs with the session's key: numbers, errors, other kinds, for cells to come",
        3,
        "softmax",
    ),
    _cell(
        "replies",
        "answers ok to every question of the agent's, with the session's key",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "reply_shapes",
        "answers with other types than answers have",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "not_messages",
        "writes what is no message onto every socket of its kernel",
        3,
        "softmax-picture",
    ),
    _cell(
        "huge_message",
        "answers with one message of 60 MB",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "agent",
        "replaces the agent: to every question it says that all is well",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "agent_values",
        "claims tensors of rows that sum to one for whatever is called",
        7,  # rows that sum to one are what the first of the five checks of softmax asks for
    ),
    _cell(
        "probes",
        "lets every measurement say what would please",
    ),
    _cell(
        "wire_shapes",
        "sends tensors whose bytes do not fit, or that would not fit anywhere",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "wire_types",
        "sends types, dtypes and handles that are none",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "wire_handles",
        "sends handles of objects that the tests would like to have",
    ),
    _cell(
        "wire_deep",
        "sends lists in lists, 100 000 deep",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "wire_numbers",
        "sends a number of a million digits, and what is no number",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "raises_system_exit",
        "claims exceptions that would end the one who asks",
        3,
    ),
    _cell(
        "raises_nothing",
        "claims exceptions without a kind, and frames that are none",
        3,
        "test_softmax_rows",
    ),
)

# Using things up. Every one is bounded in itself as well.
USING_UP = (
    _cell(
        "fork_bomb",
        "forks as often as it can, and each fork does so too",
        3,
        "?",
        solved=FIRST,
    ),
    _cell(
        "thread_bomb",
        "starts threads as long as it may",
    ),
    _called("memory", "takes 3 GB of memory"),
    _cell(
        "memory_together",
        "takes 2 GB in processes that stay small",
        3,
        "softmax",
    ),
    _cell(
        "disk",
        "writes 300 MB to every folder that it may write to",
    ),
    _cell(
        "files",
        "makes files and folders without end",
    ),
    _cell(
        "open_files",
        "opens files until it may not",
    ),
)

OUTPUT = (
    _cell("one_print", "prints 200 MB at once"),
    _cell("long_lines", "prints lines of 1 MB", 3, "?", solved=FIRST),
    _cell("small_prints", "prints for ever"),
    _called("prints_when_called", "prints for ever in a tested function"),
    _cell(
        "displays",
        "displays for ever",
    ),
    _cell(
        "updates",
        "updates one display for ever, and clears its output",
    ),
    _called("long_error", "raises an error of 50 MB"),
    _cell(
        "long_traceback",
        "raises an error out of 300 frames of long lines",
    ),
    _cell(
        "comms",
        "opens widgets' channels by the thousand, and draws",
    ),
    _cell(
        "mime",
        "displays data that no notebook can keep",
        3,
        "softmax",
    ),
    _cell(
        "surrogates",
        "prints halves of characters, control characters and terminal commands",
    ),
)

# Time, signals and ends.
TIME = (
    _cell("loops", "loops for ever in a cell"),
    _called("loops_when_called", "loops for ever in a tested function", 3, "?", solved=FIRST),
    _cell(
        "swallows",
        "loops for ever and swallows KeyboardInterrupt",
        3,
        "softmax",
    ),
    _called(
        "swallows_when_called",
        "loops for ever in a tested function and swallows KeyboardInterrupt",
        3,
        "?",
        solved=FIRST,
    ),
    _cell("power", "computes a number of a billion digits, which nothing interrupts", 3, "softmax"),
    _called(
        "masked",
        "masks all signals, then loops",
        3,
        "test_softmax_rows",
    ),
    _cell(
        "stops",
        "stops its own process, which then neither ends nor answers",
        3,
        "softmax",
    ),
    _cell(
        "just_under",
        "sleeps a little less than a cell may run, in every cell",
        3,
        "?",
        after={"test_softmax_careful": tuple(["time.sleep(NAP)"] * 12)},
    ),
    _called(
        "slow_when_called",
        "sleeps in a tested function, so that the whole takes too long",
        3,
        "?",
        solved=FIRST,
    ),
    _cell("exit", "ends its process by os._exit", 3, "softmax"),
    _called("exit_when_called", "ends its process when it is tested", 3, "test_softmax_rows"),
    _cell("kills_itself", "kills its own process", 3, "softmax"),
    _cell(
        "kills_others",
        "kills its parent, process 1, its group and everybody",
        3,
        "softmax",
    ),
    _cell(
        "sys_exit",
        "leaves by sys.exit and by quit, in cells",
        after={"softmax": ("raise SystemExit", "get_ipython().kernel.shell.ask_exit\n")},
    ),
    _called("sys_exit_when_called", "leaves by sys.exit when it is tested"),
    _cell("asks_exit", "asks its kernel to leave, by quit()", 3, "?"),
    _cell(
        "threads",
        "leaves threads behind that spin and print",
    ),
    _cell(
        "at_exit",
        "leaves processes, timers and things to do at its end",
    ),
    _called("recursion", "calls itself for ever"),
    _cell(
        "deep_recursion",
        "raises the limit of recursion and runs out of its stack",
        3,
        "softmax",
    ),
    _cell("input", "asks for input"),
)

# Results that are none.
RESULTS = (
    _called("huge", "returns a tensor of 4 TB that takes no memory"),
    _called("large", "returns 100 MB"),
    _called(
        "layouts",
        "returns sparse, meta, complex, nested, empty and quantized tensors in turn",
    ),
    _called("not_numbers", "returns nan and infinities"),
    _called("cycle", "returns a list that holds itself"),
    _called("deep", "returns lists in lists, 10 000 deep"),
    _called("long_dict", "returns a dict of a million entries"),
    _called(
        "wide",
        "returns lists in lists that multiply to 10**20 entries",
        3,
        "?",
        solved=FIRST,
    ),
    _called("long_text", "returns a text of 100 MB"),
    _called("long_number", "returns a number of 10 million digits"),
    _called(
        "hostile_name",
        "returns an object of a class with a name that is code",
        3,
        "test_softmax_rows",
    ),
    _called(
        "error_raises",
        "raises an error that raises when it is printed",
    ),
    _called(
        "error_long",
        "raises an error that says 100 MB",
    ),
    _called(
        "error_endless",
        "raises an error that is never done being printed",
        3,
        "?",
        solved=FIRST,
    ),
    _called(
        "error_no_text",
        "raises an error whose text is none",
    ),
    _called(
        "check_failed",
        "raises the checks' own exception, falsy",
    ),
    _called(
        "attributes",
        "returns an object whose attributes never end",
        3,
        "?",
        solved=FIRST,
    ),
    _called(
        "del_exits",
        "returns an object that ends the process when it goes",
        3,
        "test_softmax_rows",
    ),
    Entry(
        "numbers",
        "gives numbers that equal everything, for the last exercise",
        3,
        {"hand_calculation": ATTACKS["numbers"]},
        ("attention_scores",),
    ),
    Entry(
        "lists",
        "gives lists of its own kind, for the last exercise",
        3,
        {"hand_calculation": ATTACKS["lists"]},
        ("attention_scores",),
    ),
    Entry(
        "callable_names",
        "gives the names of modules and functions to something else",
        6,
        {"softmax": WRONG + "torch = check = probe = reference = print = None\n"},
    ),
)


def _cell_of(made: NotebookNode, name: str) -> NotebookNode:
    return next(cell for cell in made.cells if cell.id == name)


def _copied(made: NotebookNode) -> None:
    for name in ("softmax", "test_softmax_rows", "test_hand_calculation_weights"):
        again = nbformat.from_dict(_cell_of(made, name))
        again.id = f"{name[:20]}-copy"
        made.cells.append(again)
        same_id = nbformat.from_dict(again)
        made.cells.append(same_id)


def _edited(made: NotebookNode) -> None:
    for cell in made.cells:
        if cell.id.startswith("test_"):
            cell.source = "5"


def _moved(made: NotebookNode) -> None:
    tests = [cell for cell in made.cells if cell.id.startswith("test_")]
    made.cells = [*tests, *[cell for cell in made.cells if cell not in tests]]


def _deleted(made: NotebookNode) -> None:
    made.cells = [cell for cell in made.cells if not cell.id.startswith("test_")]


def _retyped(made: NotebookNode) -> None:
    for name in ("test_softmax_rows", "test_softmax_values"):
        cell = _cell_of(made, name)
        cell.cell_type = "markdown"
        for field in ("outputs", "execution_count"):
            cell.pop(field, None)
    cell = _cell_of(made, "test_softmax_careful")
    cell.cell_type = "raw"
    cell.pop("outputs", None)
    cell.pop("execution_count", None)


def _forged_marks(made: NotebookNode) -> None:
    for cell in made.cells:
        marks = cell.metadata.get("nbgrader")
        if cell.id.startswith("test_softmax"):
            marks.update(points=1000, locked=False, grade=True, solution=True, checksum="0" * 32, schema_version=9)
            cell.source = "1000"
        elif cell.id in ("softmax", "simplified_attention"):
            marks.update(grade=True, points=1000, solution=False, task=True)
    extra = nbformat.v4.new_code_cell("1000", id="bonus")
    extra.metadata.nbgrader = {
        "grade": True,
        "grade_id": "bonus",
        "points": 1000,
        "locked": False,
        "solution": False,
        "schema_version": 3,
    }
    made.cells.append(extra)
    made.metadata.nbgrader = {"points": 1000}


def _not_run(made: NotebookNode) -> None:
    for cell in made.cells:
        if cell.id.startswith("test_"):
            cell.metadata.tags = ["skip-execution", "raises-exception", "remove-cell", "remove_cell"]
            cell.source = "%%script false\n" + cell.source


def _other_kernel(made: NotebookNode) -> None:
    made.metadata.kernelspec = {"name": "bash", "display_name": "x", "language": "bash", "argv": ["touch", "/tmp/x"]}
    made.metadata.language_info = {"name": "bash", "version": ["x"]}
    made.metadata.widgets = 5
    made.metadata.authors = [["x"]]


def _with_outputs(made: NotebookNode) -> None:
    for cell in made.cells:
        if cell.id.startswith("test_"):
            cell.outputs = [nbformat.v4.new_output("execute_result", data={"text/plain": "5"}, execution_count=1)]
            cell.metadata.nbgrader.cell_type = "markdown"


EDITED = (
    Entry("copied", "has copied solutions and tests, with one id twice", 6, {"softmax": WRONG}, change=_copied),
    Entry("edited", "has the number 5 in the place of every test", 6, {"softmax": WRONG}, change=_edited),
    Entry("moved", "has all tests at the top", 15, solved=ALL, change=_moved),
    Entry("deleted", "has no tests left", 6, {"softmax": WRONG}, change=_deleted),
    Entry("retyped", "has tests that are text", 6, {"softmax": WRONG}, change=_retyped),
    Entry("forged_marks", "gives itself points in nbgrader's metadata", 6, {"softmax": WRONG}, change=_forged_marks),
    Entry("tags", "asks by tags and magics that tests be skipped", 6, {"softmax": WRONG}, change=_not_run),
    Entry(
        "other_kernel", "asks for another kernel, with metadata of other types", 15, solved=ALL, change=_other_kernel
    ),
    Entry("with_outputs", "brings the outputs of its tests along", 6, {"softmax": WRONG}, change=_with_outputs),
    Entry(
        "clean",
        "has nothing but honest work, in cells of its own too",
        15,
        solved=ALL,
        after={"softmax": ("1 / 0", "print(", "%no_such_magic")},
    ),
)


def _text(made: NotebookNode) -> str:
    return json.dumps(made)


def _own(folder: Path) -> Path:
    return folder / f"{LESSON}.ipynb"


def _put_renamed(folder: Path, made: NotebookNode, places: Places) -> None:
    (folder / "我的 作业 (1)*[a].ipynb").write_text(_text(made), encoding="utf-8")


def _put_several(folder: Path, made: NotebookNode, places: Places) -> None:
    (folder / "Untitled.ipynb").write_text(_text(nbformat.v4.new_notebook()), encoding="utf-8")
    (folder / "broken.ipynb").write_text("{", encoding="utf-8")
    (folder / "mine.ipynb").write_text(_text(made), encoding="utf-8")


def _put_none(folder: Path, made: NotebookNode, places: Places) -> None:
    (folder / "answers.docx").write_bytes(b"PK")


def _put_bytes(data: bytes):
    return lambda folder, made, places: _own(folder).write_bytes(data) and None


def _put_version_3(folder: Path, made: NotebookNode, places: Places) -> None:
    _own(folder).write_text(json.dumps(nbformat.convert(made, 3)), encoding="utf-8")


def _put_version_5(folder: Path, made: NotebookNode, places: Places) -> None:
    _own(folder).write_text(json.dumps({**made, "nbformat": 5}), encoding="utf-8")


def _put_hundred_mb(folder: Path, made: NotebookNode, places: Places) -> None:
    with _own(folder).open("wb") as file:
        file.write(_text(made).encode())
        file.truncate(100_000_000)  # a hole, which takes no disk


def _put_many_cells(folder: Path, made: NotebookNode, places: Places) -> None:
    made.cells += [nbformat.v4.new_code_cell("1", id=f"c{number}") for number in range(3000)]
    _own(folder).write_text(_text(made), encoding="utf-8")


def _put_long_outputs(folder: Path, made: NotebookNode, places: Places) -> None:
    next(cell for cell in made.cells if cell.cell_type == "code").outputs = [
        nbformat.v4.new_output("stream", name="stdout", text="x" * 20_000_000)
    ]
    _own(folder).write_text(_text(made), encoding="utf-8")


def _put_link(to: str):
    def put(folder: Path, made: NotebookNode, places: Places) -> None:
        target = to.replace("@course@", places.course).replace("@other@", places.other)
        _own(folder).symlink_to(target.replace("@lesson@", LESSON))

    return put


def _put_folder_link(folder: Path, made: NotebookNode, places: Places) -> None:
    folder.rmdir()
    folder.symlink_to(Path(places.course) / "source" / LESSON)


def _put_pipe(folder: Path, made: NotebookNode, places: Places) -> None:
    os.mkfifo(_own(folder))


def _put_folder_of_that_name(folder: Path, made: NotebookNode, places: Places) -> None:
    _own(folder).mkdir()
    _own(folder).joinpath("x.ipynb").write_text(_text(made), encoding="utf-8")


def _put_modules(folder: Path, made: NotebookNode, places: Places) -> None:
    _own(folder).write_text(_text(made), encoding="utf-8")
    evil = f"open({places.other + '/was_here'!r}, 'w').write('x')\nraise SystemExit('module of the learner')\n"
    for name in (
        "torch.py",
        "attnlab.py",
        "nbgrader_config.py",
        "sitecustomize.py",
        "json.py",
        ".hidden.py",
        "usercustomize.py",
    ):
        (folder / name).write_text(evil, encoding="utf-8")
    (folder / "attnlab").mkdir()
    (folder / "attnlab" / "__init__.py").write_text(evil, encoding="utf-8")
    (folder / "IPython").mkdir()
    (folder / "IPython" / "__init__.py").write_text(evil, encoding="utf-8")


def _put_in_folders(folder: Path, made: NotebookNode, places: Places) -> None:
    inner = folder / f"{LESSON}*" / "[a]" / "__MACOSX"
    inner.mkdir(parents=True)
    (inner.parent / f"{LESSON}.ipynb").write_text(_text(made), encoding="utf-8")
    (inner / f"._{LESSON}.ipynb").write_bytes(b"\0\5\26\7")


def _put_strange_cells(folder: Path, made: NotebookNode, places: Places) -> None:
    raw = json.loads(_text(made))
    raw["cells"][:0] = [
        None,
        5,
        [],
        {},
        {"cell_type": "code"},
        {"cell_type": "code", "source": {"a": 1}, "metadata": []},
    ]
    raw["cells"].append({"cell_type": "heading", "source": "x", "level": "1"})
    raw["cells"].append(
        {"cell_type": "code", "source": ["x = 1"], "metadata": {"nbgrader": {"grade_id": ["x"]}}, "id": "../../x"}
    )
    raw["cells"].append({"cell_type": "code", "source": "\ud800", "metadata": {"nbgrader": 5}, "outputs": "x"})
    raw["metadata"] = []
    _own(folder).write_text(json.dumps(raw), encoding="utf-8")


def _put_timestamp(folder: Path, made: NotebookNode, places: Places) -> None:
    _own(folder).write_text(_text(made), encoding="utf-8")
    (folder / "timestamp.txt").write_text("the day before yesterday\n\0" + "9" * 5000, encoding="utf-8")


def _put_timestamp_link(folder: Path, made: NotebookNode, places: Places) -> None:
    _own(folder).write_text(_text(made), encoding="utf-8")
    (folder / "timestamp.txt").symlink_to(places.home + "/secret")


def _none(name: str, what: str, put: Any, line: str) -> Entry:
    return Entry(name, what, None, solved=ALL, put=put, line=line)


FILES = (
    Entry("renamed", "handed in under another name, odd letters in it", 15, solved=ALL, put=_put_renamed),
    Entry("several", "handed in among other notebooks", 15, solved=ALL, put=_put_several),
    Entry("in_folders", "handed in some folders down, with what macOS adds", 15, solved=ALL, put=_put_in_folders),
    _none("no_notebook", "handed in without a notebook", _put_none, "no notebook"),
    _none("empty", "handed in as an empty file", _put_bytes(b""), "empty"),
    _none("broken", "handed in half", _put_bytes(b'{"cells": [{"cell_type": "code", "sou'), "broken"),
    _none("utf_16", "handed in in another encoding", _put_bytes('{"cells": []}'.encode("utf-16")), "UTF-8"),
    _none("nested", "handed in as brackets, 200 000 deep", _put_bytes(b"[" * 200_000), "nested too deeply"),
    _none("a_list", "handed in as JSON that is no notebook", _put_bytes(b"[1, 2]"), "no notebook"),
    _none(
        "long_number_file",
        "handed in with a number of 10 000 digits",
        _put_bytes(b'{"cells": [], "nbformat": ' + b"4" * 10_000 + b"}"),
        "number",
    ),
    Entry(
        "nbformat_3",
        "handed in in notebook format 3, whose cells have no ids",
        6,
        {"softmax": WRONG},
        put=_put_version_3,
    ),
    _none("nbformat_5", "handed in in a format to come", _put_version_5, "format 5"),
    _none("hundred_mb", "handed in with 100 MB", _put_hundred_mb, "100 MB"),
    _none("many_cells", "handed in with 3000 cells", _put_many_cells, "cells"),
    Entry("long_outputs", "handed in with 20 MB of outputs", 15, solved=ALL, put=_put_long_outputs),
    _none("link_passwd", "handed in as a link to /etc/passwd", _put_link("/etc/passwd"), "symbolic link"),
    _none(
        "link_other",
        "handed in as a link to another learner's notebook",
        _put_link("@course@/submitted/a_all_right_zh/@lesson@/@lesson@.ipynb"),
        "symbolic link",
    ),
    _none("link_zero", "handed in as a link to a device without end", _put_link("/dev/zero"), "symbolic link"),
    _none("link_itself", "handed in as a link to itself", _put_link("@lesson@.ipynb"), "symbolic link"),
    _none("link_folder", "handed in as a folder that is a link to the answers", _put_folder_link, "symbolic link"),
    _none("pipe", "handed in as a pipe that nobody writes to", _put_pipe, "no file"),
    _none("folder", "handed in as a folder that is called like a notebook", _put_folder_of_that_name, "no file"),
    Entry("modules", "handed in with modules named torch, attnlab, json", 15, solved=ALL, put=_put_modules),
    Entry("strange_cells", "handed in with cells that are none", 15, solved=ALL, put=_put_strange_cells),
    Entry("timestamp", "handed in at no time at all", 15, solved=ALL, put=_put_timestamp),
    Entry("timestamp_link", "handed in with a link to a secret as its time", 15, solved=ALL, put=_put_timestamp_link),
    Entry("a*b", "has a star in the name, as patterns have", 15, solved=ALL),
    Entry("[a]", "has brackets in the name, as patterns and markup have", 15, solved=ALL),
    Entry("a", "would be meant by that pattern", 6, {"softmax": WRONG}),
    Entry("[bold]x", "has markup in the name", 6, {"softmax": WRONG}),
    Entry("学 生'乙\" ; $(touch x) 🙂", "has a space, quotes, a shell's and odd letters in the name", 15, solved=ALL),
    Entry("{x}%s", "has what templates have in the name", 15, solved=ALL),
    Entry("e\u0301\u202e", "has letters in the name that other systems write otherwise", 15, solved=ALL),
)

CORPUS = (*COMPARISONS, *MACHINERY, *LOOKING, *OUTSIDE, *FORGED, *USING_UP, *OUTPUT, *TIME, *RESULTS, *EDITED, *FILES)
