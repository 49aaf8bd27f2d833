"""Code that goes for the checks instead of the exercise gets no point more than the same code without that.

Learner and checks share one process here, as they do under stock nbgrader, so this holds for what can be typed in a
few lines and not for everything. Left to grading in processes apart, because no code can prevent it in one:

- another module put into `sys.modules` (or into `vars(check)`) in the place of `attnlab.learn` or of `check.holds`
  itself, since then nothing of the course's runs;
- the kernel's own machinery: IPython's `run_ast_nodes` or `showtraceback`, the streams that outputs go through;
- the grade cell's text: `In[...]`, the constants in its code object, the source folder on disk, the gradebook;
- a fake `check` that the solution puts into the notebook's names while the cell runs and takes away again in time;
- inputs that a solution overwrites through the notebook's names (`x_hidden.zero_()`) before the reference sees them;
- code objects of private functions, closures and defaults changed from inside, a debugger's trace functions,
  `ctypes`, threads that change a tensor after it was handed in;
- a solution that tells that `probe.operations` is looking and calls a ready softmax only when it is not.
"""

import builtins
import json
import os
import subprocess
import sys

import pytest

from attnlab.learn import guard
from attnlab.learn.mistakes import catalogue
from tests.gradecells import ROOT, grade, lesson_with, source

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="each cheat runs in a forked process")

# Wrong, but defined: what it earns without a cheat is what it may earn with one.
WRONG = {
    "softmax": "def softmax(scores):\n    return scores / 2\n",
    "simplified_attention": "def simplified_attention(x):\n    return x / 2, x @ x.transpose(-2, -1)\n",
    "scaled_dot_product_attention": (
        "def scaled_dot_product_attention(queries, keys, values):\n"
        "    weights = (queries @ keys.transpose(-2, -1)).softmax(-1)\n"
        "    return weights @ values, weights\n"
    ),
    "hand_calculation": "hand_weights = [[5.0, 6.0], [7.0, 8.0]]\nhand_context = [[5.0, 6.0], [7.0, 8.0]]\n",
    "copy_weights": (
        "def copy_weights(v2, v1):\n"
        "    for name in ('W_q', 'W_k', 'W_v'):\n"
        "        setattr(v1, name, nn.Parameter(getattr(v2, name).weight.T))\n"
    ),
    "causal_mask": "def causal_mask(n):\n    return torch.zeros(n, n, dtype=torch.bool)\n",
    "multi_head_attention": (
        "class MultiHeadAttention(nn.Module):\n"
        "    def __init__(self, d_in, d_out, context_length, dropout=0.0, n_heads=2):\n"
        "        super().__init__()\n"
        "        for name in ('W_q', 'W_k', 'W_v'):\n"
        "            setattr(self, name, nn.Linear(d_in, d_out, bias=False))\n"
        "        self.out_proj = nn.Linear(d_out, d_out)\n"
        "    def forward(self, x):\n"
        "        return self.out_proj(self.W_v(x))\n"
    ),
    "dot_product_variance": "def dot_product_variance(d_k, n_samples=10_000, seed=0):\n    return 1.0, 1.0\n",
    "attention_received": "def attention_received(weights):\n    return weights.mean(-2)\n",
    "ignored_tokens": "def ignored_tokens(weights, threshold):\n    return [0]\n",
    "audit_record": "def audit_record(tokens, weights):\n    return {'n_tokens': len(tokens)}\n",
}

YES = "lambda *a, **k: True"
NOTHING = "lambda *a, **k: None"
TRUE_TENSOR = "lambda *a, **k: torch.tensor(True)"

# A tensor that claims to be what it is compared with, whichever way it is asked.
SUBCLASS = """
class Same(torch.Tensor):
    __hash__ = None
    def __eq__(self, other): return torch.ones(self.shape, dtype=torch.bool)
    def __ne__(self, other): return torch.zeros(self.shape, dtype=torch.bool)
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func.__name__ in ("equal", "allclose"):
            return True
        return super().__torch_function__(func, types, args, kwargs or {})
"""
ALWAYS = """
class Always:
    __hash__ = None
    dtype, device, requires_grad = torch.float32, torch.device("cpu"), False
    def __init__(self, *a): pass
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __lt__(self, other): return True
    __le__ = __gt__ = __ge__ = __lt__
    def __getattr__(self, name): return lambda *a, **k: self
    def __sub__(self, other): return 0.0
    __rsub__ = __add__ = __radd__ = __mul__ = __rmul__ = __sub__
    def __abs__(self): return 0.0
    def __float__(self): return 0.0
    def __len__(self): return 2
    def __getitem__(self, place): return self
    def __iter__(self): return iter((self, self))
"""

# What is added to the wrong code: name → (exercises, cheat).
CHEATS: dict[str, tuple[tuple[str, ...], str]] = {
    "torch.allclose": (("softmax", "copy_weights"), f"torch.allclose = {YES}"),
    "torch.equal": (("softmax", "copy_weights", "multi_head_attention"), f"torch.equal = {YES}"),
    "torch.testing.assert_close": (("softmax",), f"import torch.testing\ntorch.testing.assert_close = {NOTHING}"),
    "torch.isfinite": (("softmax",), f"torch.isfinite = {TRUE_TENSOR}"),
    "torch.stack gives back the first": (("softmax", "simplified_attention"), "torch.stack = lambda t, *a: t[0]"),
    "Tensor.all": (("softmax", "simplified_attention"), f"torch.Tensor.all = {TRUE_TENSOR}"),
    "Tensor.any": (("softmax", "causal_mask"), "torch.Tensor.any = lambda *a, **k: torch.tensor(False)"),
    "Tensor comparisons": (
        ("softmax", "attention_received"),
        "for name in ('__le__', '__eq__', '__lt__'):\n"
        "    setattr(torch.Tensor, name, lambda s, o: torch.ones(s.shape, dtype=torch.bool))",
    ),
    "Tensor differences": (
        ("softmax", "attention_received"),
        "torch.Tensor.__sub__ = lambda s, o: torch.zeros(s.shape)",
    ),
    "Tensor.tolist and item": (
        ("softmax", "simplified_attention"),
        "torch.Tensor.tolist = lambda s: []\ntorch.Tensor.item = lambda s: 0.0",
    ),
    "Tensor.shape": (("causal_mask", "softmax"), "torch.Tensor.shape = property(lambda s: (2, 2))"),
    "Tensor.double gives zeros": (
        ("softmax",),
        "torch.Tensor.double = lambda s: torch.zeros(s.shape, dtype=torch.float64)",
    ),
    "patched only while it runs": (
        ("softmax",),
        "wrong = softmax\ndef softmax(scores):\n    torch.softmax = lambda s, dim: s / 2\n    return wrong(scores)",
    ),
    "a mode that makes all operations give ones": (
        ("softmax", "attention_received"),
        "from torch.overrides import TorchFunctionMode\n"
        "class Ones(TorchFunctionMode):\n"
        "    def __torch_function__(self, func, types, args=(), kwargs=None):\n"
        "        made = func(*args, **(kwargs or {}))\n"
        "        return torch.ones_like(made) if type(made) is torch.Tensor else made\n"
        "Ones().__enter__()",
    ),
    "a subclass": (
        ("softmax", "attention_received"),
        SUBCLASS + "for name in ('softmax', 'attention_received'):\n"
        "    if name in globals():\n"
        "        globals()[name] = lambda t, f=globals()[name]: f(t).as_subclass(Same)",
    ),
    "a subclass that inputs are turned into": (
        ("softmax",),
        SUBCLASS + "def softmax(scores):\n    scores.__class__ = Same\n    scores.mul_(0).add_(1)\n    return scores",
    ),
    "an object that equals everything": (
        ("softmax", "attention_received", "ignored_tokens", "dot_product_variance", "simplified_attention"),
        ALWAYS
        + "softmax = attention_received = simplified_attention = ignored_tokens = dot_product_variance = Always()\n"
        "Always.__call__ = lambda self, *a, **k: self",
    ),
    "numbers that equal everything": (
        ("hand_calculation", "dot_product_variance"),
        "class Number(float):\n    __hash__ = None\n"
        "    def __eq__(self, other): return True\n"
        "    def __le__(self, other): return True\n"
        "    __lt__ = __ge__ = __gt__ = __le__\n"
        "    def __sub__(self, other): return 0.0\n"
        "    __rsub__ = __sub__\n    def __abs__(self): return 0.0\n"
        "hand_weights = hand_context = [[Number(1), Number(0)], [Number(0), Number(1)]]\n"
        "def dot_product_variance(*a, **k): return Number(1), Number(1)",
    ),
    "lists and dicts of one's own": (
        ("ignored_tokens", "audit_record"),
        "class L(list):\n    __hash__ = None\n    def __eq__(self, other): return True\n"
        "    def __iter__(self): return iter(())\n"
        "class D(dict):\n    def __contains__(self, key): return True\n    def __getitem__(self, key): return L()\n"
        "def ignored_tokens(*a): return L([0])\ndef audit_record(*a): return D(n_tokens=3)",
    ),
    "a module that speaks for itself": (
        ("multi_head_attention",),
        "MultiHeadAttention.named_parameters = lambda self, *a, **k: iter(())\n"
        "MultiHeadAttention.named_buffers = lambda self, *a, **k: iter([('mask', torch.ones(9, 9).triu(1))])",
    ),
    "json.dumps and json.loads": (("audit_record",), f"import json\njson.loads = json.dumps = {NOTHING}"),
    "math.isclose": (("dot_product_variance",), f"import math\nmath.isclose = {YES}"),
    "the reference itself": (
        ("softmax", "attention_received", "simplified_attention"),
        "from attnlab.learn import reference as r\n"
        "def softmax(scores): return r.softmax(scores)\n"
        "def attention_received(weights): return r.received(weights)\n"
        "def simplified_attention(x): return r.attention(x, x, x, scale=1.0)",
    ),
    "the reference, called by a probe": (
        ("attention_received",),
        "from attnlab.learn import reference as r, probe as p\n"
        "def attention_received(weights): return p.on_strided(r.received, weights, -1, -2)",
    ),
    "the reference's results changed": (
        ("softmax",),
        "from attnlab.learn import reference as r\nr.softmax = lambda s: s / 2\nr._softmax = lambda s, dim: s / 2",
    ),
    "numbers found in the caller's frames": (
        ("softmax", "attention_received", "ignored_tokens"),
        "import sys\n"
        "def look(shape, kind):\n"
        "    frame = sys._getframe(1)\n"
        "    while frame:\n"
        "        for name, one in [*frame.f_locals.items(), *frame.f_globals.items()]:\n"
        "            if isinstance(one, kind) and name in ('want', 'got', 'expected', 'below', 'w'):\n"
        "                if kind is list or one.shape == shape: return one\n"
        "        frame = frame.f_back\n"
        "    return [] if kind is list else torch.zeros(shape)\n"
        "def softmax(scores): return look(scores.shape, torch.Tensor)\n"
        "def attention_received(weights): return look(weights.shape[:-1], torch.Tensor)\n"
        "def ignored_tokens(weights, threshold): return look(None, list)",
    ),
    "numbers found by the garbage collector": (
        ("attention_received",),
        "import gc\n"
        "def attention_received(weights):\n"
        "    for one in gc.get_objects():\n"
        "        if type(one) is torch.Tensor and hasattr(one, 'made_by') and one.shape == weights.shape[:-1]:\n"
        "            return one.clone()\n"
        "    return weights.mean(-2)",
    ),
    "check.equal": (("softmax",), f"from attnlab.learn import check\ncheck.equal = {NOTHING}"),
    "check.holds": (
        ("softmax", "hand_calculation"),
        "import contextlib\nfrom attnlab.learn import check\ncheck.holds = lambda *a: contextlib.suppress(Exception)",
    ),
    "attnlab.learn.check": (
        ("softmax", "hand_calculation"),
        "import types, contextlib, attnlab.learn\n"
        "fake = types.SimpleNamespace(holds=lambda *a: contextlib.suppress(BaseException))\nattnlab.learn.check = fake",
    ),
    "vars(check)": (("softmax",), f"from attnlab.learn import check\nvars(check)['equal'] = {NOTHING}"),
    "check.tensors.equal": (
        ("softmax", "hand_calculation"),
        "from attnlab.learn.check import tensors, plain, claims\n"
        f"tensors.equal = tensors.tensor = tensors._compare = plain.table = claims.fail = {NOTHING}",
    ),
    "the code of check.equal": (
        ("softmax",),
        "from attnlab.learn import check\ncheck.equal.__code__ = (lambda *a, **k: None).__code__",
    ),
    "check named otherwise while it runs": (
        ("softmax",),
        "class Fake:\n    def __getattr__(self, name): return lambda *a, **k: None\n"
        "def softmax(scores):\n    globals()['check'] = Fake()\n    return scores",
    ),
    "lesson.record": (
        ("softmax",),
        "from attnlab.learn import lesson\ndef record(*a, passed): raise SystemError\nlesson.record = record",
    ),
    "CheckFailed that is falsy": (
        ("softmax", "hand_calculation"),
        "from attnlab.learn.faults import CheckFailed\nCheckFailed.__bool__ = lambda self: False",
    ),
    "CheckFailed that is not made": (
        ("softmax",),
        "from attnlab.learn.faults import CheckFailed\nCheckFailed.__new__ = staticmethod(lambda *a, **k: None)",
    ),
    "contextlib swallows all": (
        ("softmax", "hand_calculation"),
        f"import contextlib\ncontextlib._GeneratorContextManager.__exit__ = {YES}\n"
        f"contextlib.ExitStack.__exit__ = {YES}\ncontextlib.redirect_stderr.__exit__ = {YES}",
    ),
    "the way out of check.holds": (
        ("softmax",),
        "from attnlab.learn import check\ncheck.holds.__exit__ = lambda *a: True if a[1] else None",
    ),
    "warnings are errors": (("softmax",), "import warnings\nwarnings.simplefilter('error')"),
    **{
        f"{name} in the notebook": (
            ("hand_calculation", "softmax", "dot_product_variance"),
            f"{name} = {value}",
        )
        for name, value in {
            "float": "lambda *a: 1.0",
            "abs": "lambda *a: 0.0",
            "all": YES,
            "zip": "lambda *a, **k: []",
            "sum": "lambda *a: 1.0",
            "isinstance": YES,
            "range": "lambda *a: []",
            "enumerate": "lambda *a: []",
            "type": "lambda *a: float",
        }.items()
    },
    **{
        f"{name} in builtins": (
            ("hand_calculation", "softmax", "dot_product_variance"),
            f"import builtins\nbuiltins.{name} = {value}",
        )
        for name, value in {
            "float": "lambda *a: 1.0",
            "abs": "lambda *a: 0.0",
            "all": YES,
            "zip": "lambda *a, **k: []",
            "sum": "lambda *a: 1.0",
            "isinstance": YES,
            "enumerate": "lambda *a, **k: []",
        }.items()
    },
}

PAIRS = [(exercise, name) for name, (exercises, _) in CHEATS.items() for exercise in exercises]


def earned(exercise: str, name: str) -> dict[str, float]:
    """Return what every grade cell gives for the wrong code, with the cheat of this name where there is one."""
    code = WRONG[exercise] + (CHEATS[name][1] if name else "") + "\n"
    return {verdict.grade_id: verdict.earned for verdict in grade(exercise, code)}


def forked(exercise: str, name: str) -> dict[str, float]:
    """Return the same from a process that ends with what the cheat has replaced in it."""
    whole, end, send, written = dict(vars(builtins)), os._exit, os.write, json.dumps
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            found = earned(exercise, name)
            dict.update(vars(builtins), whole)
            send(writer, written(found).encode())
        finally:
            end(0)
    os.close(writer)
    with open(reader, "rb") as result:
        said = result.read()
    os.waitpid(child, 0)
    return json.loads(said) if said else {}


def main() -> None:
    """Print what every wrong code gives, and every pair of exercise and cheat, as JSON."""
    # Once for all: what every one of them would otherwise load for itself.
    import matplotlib.pyplot  # noqa: F401

    catalogue()
    for exercise in WRONG:
        source(lesson_with(exercise).name)
    wanted = [*((exercise, "") for exercise in WRONG), *PAIRS]
    print(json.dumps([(exercise, name, forked(exercise, name)) for exercise, name in wanted]))


@pytest.fixture(scope="module")
def results() -> dict[tuple[str, str], dict[str, float]]:
    """Return what every pair of exercise and cheat gives."""
    # From a process that has imported torch and run nothing of it: only such a one may be forked.
    done = subprocess.run(
        [sys.executable, "-c", "from tests.test_cheats import main; main()"],
        cwd=ROOT,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {(exercise, name): found for exercise, name, found in json.loads(done.stdout)}


@pytest.mark.parametrize(("exercise", "name"), PAIRS)
def test_a_cheat_earns_nothing(exercise: str, name: str, results: dict[tuple[str, str], dict[str, float]]) -> None:
    honest, found = results[exercise, ""], results[exercise, name]
    assert found.keys() == honest.keys()
    assert not {cell: points for cell, points in found.items() if points > honest[cell]}


def test_the_wrong_code_is_wrong(results: dict[tuple[str, str], dict[str, float]]) -> None:
    for exercise in WRONG:
        assert 0.0 in results[exercise, ""].values()


def test_libraries_that_change_torch_for_their_own_ends_are_no_cheats() -> None:
    import torch._dynamo
    import torch.export
    import torch.fx

    torch.set_default_device("cpu")
    try:
        assert guard.replaced() is None
    finally:
        torch.set_default_device(None)
