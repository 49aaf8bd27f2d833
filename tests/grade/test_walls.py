"""The walls hold, for root and for an ordinary user; what a kernel leaves behind is nothing."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import psutil
import pytest

from attnlab.grade import walls
from attnlab.grade.walls import attack, bubblewrap, warm
from attnlab.grade.walls.kernel import GradingKernelManager
from attnlab.problem import Problem
from tests.grade.running import as_user
from tests.gradecells import ROOT

REASON = walls.why_not()
walled = [pytest.mark.slow, pytest.mark.skipif(REASON is not None, reason=str(REASON))]
# Those that do no harm where there are no walls.
HARMLESS = {
    *("read_files", "read_system", "import_the_answers", "read_the_environment", "reach_out"),
    *("look_at_processes", "be_somebody", "hide_memory"),
}


@pytest.fixture(scope="module", autouse=True)
def warm_process():
    """All tests of this module share one warm process."""
    yield
    walls.shut_down()


@pytest.fixture(scope="module")
def outside():
    with attack.bait() as found:
        yield found


def run(code, **limits):
    """Run a cell behind the walls; return what it printed and why its kernel ended."""
    return attack.execute(code, walls.settings(walls.Limits(**limits)))


def waits(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def family():
    """The processes behind this process's walls."""
    return psutil.Process(warm._warm._process.pid).children(recursive=True)


def runs():
    return list((warm._warm.folder / "runs").iterdir())


def attack_names(attacks):
    return [one.code.__name__ for one in attacks]


@pytest.mark.usefixtures("outside")
class TestAttacks:
    pytestmark = walled

    @pytest.mark.parametrize("one", attack.ATTACKS, ids=attack_names(attack.ATTACKS))
    def test_the_wall_holds(self, one, outside):
        assert attack.attempt(one, outside) is None

    def test_without_walls_the_same_attacks_get_through(self, outside):
        """Or they would prove nothing."""
        cold = walls.without_walls()
        for one in attack.ATTACKS:
            if one.code.__name__ in HARMLESS:
                assert attack.attempt(one, outside, cold), one.wall

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="runs as an ordinary user already")
    def test_every_wall_holds_for_an_ordinary_user(self, ordinary):
        program = (
            "import json\n"
            "from attnlab.grade.walls import attack, warm, why_not\n"
            "assert why_not() is None, why_not()\n"
            "with attack.bait() as outside:\n"
            "    print(json.dumps({one.wall: attack.attempt(one, outside) for one in attack.ATTACKS}))\n"
        )
        done = ordinary(program)
        assert json.loads(done) == {one.wall: None for one in attack.ATTACKS}


@pytest.fixture
def ordinary(tmp_path):
    """Run a program as somebody who is not root and whom root's HOME is open to as far as this Python lies in it."""
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, 54321, 54321)
    for folder in (tmp_path, *tmp_path.parents):
        if str(folder).startswith(f"{os.environ.get('TMPDIR', '/tmp')}/"):
            folder.chmod(0o755)

    def run_there(program):
        done = subprocess.run(
            as_user(54321, tmp_path / "held", [sys.executable, "-c", program]),
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "PYTHONPATH": str(ROOT),
                "PYTHONDONTWRITEBYTECODE": "1",
                "OMP_NUM_THREADS": "1",
            },
            cwd=home,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout.strip().splitlines()[-1]

    return run_there


class TestAKernel:
    pytestmark = walled

    def test_prints(self):
        assert run("print(1)") == attack.Outcome("1\n", None)

    def test_computes_and_draws_without_a_word_on_stderr(self):
        notebook = nbformat.v4.new_notebook(
            cells=[
                nbformat.v4.new_code_cell(
                    "import torch, attnlab.learn\n"
                    "x = torch.randn(64, 64, requires_grad=True)\n"
                    "torch.nn.MultiheadAttention(64, 4)(x, x, x)[0].sum().backward()\n"
                    "print(x.grad.shape)"
                ),
                nbformat.v4.new_code_cell("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3]);"),
            ]
        )
        first, second = graded(notebook).cells
        assert first.outputs[0].text == "torch.Size([64, 64])\n"
        assert [output.output_type for output in second.outputs] == ["display_data"]
        assert "image/png" in second.outputs[0].data
        assert not [o for cell in (first, second) for o in cell.outputs if o.get("name") == "stderr"]

    def test_nothing_stays_from_one_to_the_next(self):
        run("x = 1; import torch; torch.allclose = None; open('left', 'w').close(); open('/tmp/left', 'w').close()")
        said = run("import os, torch; print('x' in globals(), torch.allclose, os.listdir('.'), os.listdir('/tmp'))")
        assert said.printed.startswith("False <built-in method allclose")
        assert "left" not in said.printed

    def test_each_draws_numbers_of_its_own(self):
        code = "import random, numpy, torch; print(random.random(), numpy.random.rand(), torch.rand(1).item())"
        one, other = (run(code).printed.split() for _ in range(2))
        assert all(a != b for a, b in zip(one, other, strict=True))
        assert random.random()  # and the one here is nobody's business

    def test_a_limit_that_was_passed_is_named(self):
        assert run("while True: pass", wall_seconds=3).ended == "ran longer than 3 s"
        assert run("while True: pass", cpu_seconds=2).ended == "used more than 2 s of processor time"
        code = "import os, time\nfor _ in range(4):\n    if not os.fork(): x = b'1' * (150 << 20); time.sleep(60)\n"
        assert run(code + "time.sleep(60)", memory_mb=512).ended == "used more than 0.5 GB of memory"

    def test_one_that_cannot_start_is_a_problem(self):
        with pytest.raises(Problem, match="no kernel behind the walls"):
            run("print(1)", open_files=3)
        assert runs() == []

    def test_an_end_of_its_own_making_is_named(self):
        assert run("import os; os._exit(3)").ended == "ended by its own code (status 3)"
        assert run("import os; os.kill(os.getpid(), 9)").ended == "ended by signal 9 (SIGKILL)"

    def test_too_much_in_one_process_is_an_error_that_can_be_read(self):
        said = run("import torch\ntry: torch.zeros(10**9)\nexcept RuntimeError: print('refused')", memory_mb=512)
        assert (said.printed, said.ended) == ("refused\n", None)

    def test_an_interrupted_cell_leaves_the_rest_to_run(self):
        cells = ["x = 1", "while True: pass", "print(x)"]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        _, endless, last = graded(notebook, timeout=2).cells
        assert "KeyboardInterrupt" in {output.get("ename") for output in endless.outputs}
        assert last.outputs[0].text == "1\n"


def graded(notebook, **traits):
    from nbgrader.preprocessors import Execute

    return Execute(config=walls.settings(), **traits).preprocess(notebook, {"metadata": {}})[0]


class TestTidiness:
    pytestmark = walled

    def test_an_ended_kernel_leaves_nothing(self):
        run("print(1)")
        before = len(family())
        run("import subprocess; subprocess.Popen(['sleep', '1000'])")
        run("import os, subprocess; subprocess.Popen(['sleep', '1000'], start_new_session=True); os._exit(0)")
        assert waits(lambda: len(family()) == before)
        assert runs() == []

    def test_the_warm_process_leaves_nothing(self):
        run("print(1)")
        folder, processes = warm._warm.folder, family()
        walls.shut_down()
        assert not folder.exists()
        assert waits(lambda: not any(process.is_running() for process in processes))

    def test_a_dead_warm_process_is_replaced(self):
        run("print(1)")
        max(family(), key=lambda process: process.memory_info().rss).kill()
        assert run("print(2)").printed == "2\n"

    def test_a_killed_grading_process_leaves_nothing(self, tmp_path):
        program = (
            "import asyncio, json\n"
            "from attnlab.grade import walls\n"
            "from attnlab.grade.walls import warm\n"
            "from attnlab.grade.walls.kernel import GradingKernelManager\n"
            "async def main():\n"
            "    manager = GradingKernelManager(kernel_name='attnlab-walled', config=walls.settings())\n"
            "    await manager.start_kernel()\n"
            "    print(json.dumps([str(warm._warm.folder), warm._warm._process.pid]), flush=True)\n"
            "    await asyncio.sleep(1000)\n"
            "asyncio.run(main())\n"
        )
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        driver = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=tmp_path, env=environment
        )
        folder, shell = json.loads(driver.stdout.readline())
        processes = [psutil.Process(shell), *psutil.Process(shell).children(recursive=True)]
        assert len(processes) >= 5
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        driver.stdout.close()
        assert waits(lambda: not any(process.is_running() for process in processes))
        assert waits(lambda: not Path(folder).exists())

    def test_a_forked_grading_process_has_walls_of_its_own(self):
        run("print(1)")
        mine = warm._warm
        child = os.fork()
        if child == 0:
            try:
                gone = warm._warm is None
            finally:
                os._exit(0 if gone else 1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        assert mine.alive
        assert run("print(2)").printed == "2\n"

    def test_what_a_power_cut_left_is_swept_away(self):
        left = Path(warm._short_folder()) / f"{warm._PREFIX}test"
        left.mkdir()
        (left / "lock").touch()
        warm._sweep()
        assert not left.exists()


@pytest.mark.slow
def test_without_walls_a_kernel_has_a_folder_of_its_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = attack.execute("import os, attnlab; print(os.getcwd())", walls.without_walls())
    folder = Path(said.printed.strip())
    assert folder != tmp_path
    assert not folder.exists()


def test_the_kernels_are_found_whatever_else_is_installed():
    for config in (walls.settings(), walls.without_walls()):
        name = config.Execute.kernel_name
        assert GradingKernelManager(kernel_name=name).kernel_spec.metadata["kernel_provisioner"]


def test_where_there_are_no_walls_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    if sys.platform.startswith("linux"):
        assert bubblewrap.why_not.__wrapped__().endswith("sudo apt install bubblewrap")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "Linux" in bubblewrap.why_not.__wrapped__()


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="no walls on Windows")
def test_what_must_not_be_seen_is_covered_wherever_it_lies(monkeypatch, tmp_path):
    python = tmp_path / "python" / "lib"
    course = python / "a course"
    packages = course / "venv" / "lib"
    packages.mkdir(parents=True)
    (tmp_path / "python" / "lib64").symlink_to("lib")
    monkeypatch.setattr(bubblewrap, "python_folders", lambda: [str(python.parent / "lib64"), str(packages)])
    options = bubblewrap.view([str(course)])
    mounts = [options[at + 1] for at, one in enumerate(options) if one in ("--ro-bind", "--tmpfs")]
    ours = [path for path in mounts if path.startswith(str(tmp_path))]
    assert ours == [str(python), str(course), str(packages)]
    assert options[options.index(str(course)) - 1] == "--tmpfs"
    assert ["--symlink", "lib", str(python.parent / "lib64")] == options[options.index("lib") - 1 :][:3]


def test_limits_reach_the_kernel():
    config = walls.settings(walls.Limits(memory_mb=7), hide=[Path("/secret")])
    assert config.WalledKernel.limits["memory_mb"] == 7
    assert config.WalledKernel.hide == ["/secret"]


def test_systems_without_walls_can_import_them():
    missing = "import sys; sys.modules |= dict.fromkeys(('fcntl', 'resource', 'pwd', 'grp', 'termios'))"
    program = f"{missing}\nfrom attnlab.grade import walls\nfrom attnlab.grade.walls import kernel, attack"
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
