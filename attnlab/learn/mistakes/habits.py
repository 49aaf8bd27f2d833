"""Mistakes of habit, which can happen in any exercise: what comes back, precision, gradients, side effects."""

from typing import Any

import torch
from torch import Tensor

from attnlab.learn.faults import frames_of
from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence, Made
from attnlab.learn.mistakes.faulty import faulty

_PAIRS = ("simplified_attention", "scaled_dot_product_attention")
_MODULES = ("self_attention_v1", "self_attention_v2", "causal_attention", "multi_head_attention")
_WEIGHTS = ("softmax", "masked_softmax")
_HEADS = ("split_heads", "merge_heads")
_STATISTICS = ("softmax_entropy", "softmax_gradient_norm")
_AUDIT = ("attention_received", "injection_share")
_TENSORS = (*_PAIRS, *_MODULES, *_WEIGHTS, *_HEADS, *_STATISTICS, *_AUDIT, "attention_scores", "causal_mask")
_PLAIN = ("dot_product_variance", "scaling_experiment", "ignored_tokens", "audit_record")
_EVERYWHERE = (*_TENSORS, *_PLAIN)
_DRAWING = ("causal_attention", "multi_head_attention", "self_attention_v1", "self_attention_v2", "copy_weights")


def line_of(evidence: Evidence) -> str:
    """Return the last line of the learner's own code that the exception came through, or ""."""
    frames = frames_of(evidence.problem)
    return (frames[-1].line or "") if frames else ""


def close(one: Tensor, other: Tensor, within: float = 1e-4) -> bool:
    """Tell whether two tensors have one shape and, to within `within` of the larger numbers, the same values."""
    if one.shape != other.shape:
        return False
    one, other = one.detach().double(), other.detach().double()
    largest = max(1.0, float(torch.nan_to_num(other, posinf=0.0, neginf=0.0).abs().max())) if other.numel() else 1.0
    return bool(torch.allclose(one, other, rtol=0.0, atol=within * largest, equal_nan=True))


def _kind(*names: str) -> Any:
    return lambda evidence: type(evidence.got).__name__ in names


def _from_numpy(evidence: Evidence) -> bool:
    return type(evidence.got).__module__.partition(".")[0] == "numpy"


def _dtypes(got: torch.dtype, want: torch.dtype) -> Any:
    return lambda evidence: evidence.got.dtype == got and evidence.want.dtype == want


def _single_inside(evidence: Evidence) -> bool:
    got, want = evidence.got, evidence.want
    # Anything nearer than this comes from a small number added somewhere, not from seven digits.
    near = close(got, want, within=1e-6) and not close(got, want, within=4e-9)
    return bool(got.dtype == want.dtype == torch.float64) and near


def _keeps(got: Tensor, want: Tensor, coarse: Any) -> bool:
    """Tell whether `coarse` leaves what the learner found as it is, but not what is expected, and both are near."""
    got, want = got.detach().double(), want.detach().double()
    return (
        got.numel() > 2
        and close(got, want, within=0.06)
        and close(coarse(got), got, within=1e-7)
        and not close(coarse(want), want, within=1e-6)
    )


def _half(t: Tensor) -> Tensor:
    return t.to(torch.float16).to(t.dtype)


def _through_half(evidence: Evidence) -> bool:
    got, want = evidence.got, evidence.want
    if _keeps(got, want, _half):
        return True
    # Powers taken in half precision and normalised after it: in units of the row's largest they are such numbers.
    shares = [t.detach().double() / t.detach().double().amax(-1, keepdim=True) for t in (got, want)]
    return close(got, want, within=5e-3) and _keeps(shares[0], shares[1], _half)


def _rounded(evidence: Evidence) -> bool:
    def to_places(places: int) -> Any:
        return lambda t: (t * 10**places).round() / 10**places

    return any(_keeps(evidence.got, evidence.want, to_places(places)) for places in (1, 2, 3, 4))


def _first_of_batch(evidence: Evidence) -> bool:
    got, want = evidence.got, evidence.want
    if want.dim() < 3 or len(want) < 2 or close(want[1], want[0]):
        return False
    if got.shape == want.shape:
        return all(close(one, want[0]) for one in got)
    return close(got, want[0]) or close(got, want[:1])


def _changed_in_place(evidence: Evidence) -> bool:
    said = str(evidence.problem or "")
    return evidence.fault == "input_changed" or ("leaf Variable" in said and "in-place" in said)


def _all_axes(evidence: Evidence) -> bool:
    line = line_of(evidence).replace(" ", "")
    return isinstance(evidence.problem, RuntimeError) and (".t()" in line or (".T" in line and ".mT" not in line))


def _swapped(function: str) -> Any:
    def swapped(*arguments: Any, **options: Any) -> Any:
        first, second = faulty(Made(function, arguments, options), {})
        return second, first

    return swapped


def _corner(evidence: Evidence) -> bool:
    got, want = evidence.got, evidence.want
    if got.dim() != want.dim() or got.dim() < 2 or got.shape == want.shape or got.shape[:-2] != want.shape[:-2]:
        return False
    return got.numel() > 0 and close(got, want[tuple(slice(0, size) for size in got.shape)])


def _example(evidence: Evidence) -> bool:
    """The numbers of the lesson's example, where others are expected."""
    got = torch.tensor(evidence.got.tolist())
    examples = [torch.tensor(one) for one in _EXAMPLES[evidence.exercise]]
    return any(close(got, one, within=2e-4) for one in examples) and not close(got, evidence.want)


def _axes_fixed(evidence: Evidence) -> bool:
    said = str(evidence.problem or "")
    return any(part in said for part in ("values to unpack", "Dimension out of range", "must be a 3D tensor"))


def _tensors_left(evidence: Evidence) -> bool:
    found = evidence.got
    parts = list(found.values()) if isinstance(found, dict) else [found]
    parts += [one for part in parts if isinstance(part, list | tuple) for one in part]
    return any(isinstance(part, Tensor) for part in parts)


# What the visible example of an exercise gives.
_EXAMPLES: dict[str, list[Any]] = {
    "attention_scores": [[[1.0, 2.0], [2.0, 13.0]]],
    "softmax": [[0.0900, 0.2447, 0.6652], [[0.0900, 0.2447, 0.6652], [1 / 3, 1 / 3, 1 / 3]]],
    "simplified_attention": [
        [[1.5752, 0.7553], [1.9191, 0.9534], [1.0, 0.8446]],
        [[0.2447, 0.6652, 0.0900], [0.0466, 0.9362, 0.0171], [0.1554, 0.4223, 0.4223]],
    ],
    "scaled_dot_product_attention": [[[2.660]], [[0.6698, 0.3302]]],
}

MISTAKES = [
    Mistake(
        "returned_nothing",
        _EVERYWHERE,
        zh="没有 return 的函数返回 None；print 只是给人看的。\n看看最后一行，每一条分支也都要返回结果。",
        en="A function without return gives None; print only shows things to people.\n"
        "Look at the last line, and see that every branch returns.",
        faults=("returned_nothing",),
    ),
    Mistake(
        "list_returned",
        _TENSORS,
        zh="返回的是列表，不是张量：后面的矩阵乘法和梯度都用不了它。\n看看哪一步把张量变成了列表。",
        en="A list comes back: no matrix product and no gradient can go on from it.\n"
        "Look for the step that turns the tensor into a list.",
        faults=("not_a_tensor",),
        when=_kind("list"),
    ),
    Mistake(
        "tuple_returned",
        _TENSORS,
        zh="这里只要一个张量，你的代码返回了好几样东西。\n再看一遍任务里写的返回值。",
        en="One tensor is asked for here, and several things come back.\nRead again what the task says is returned.",
        faults=("not_a_tensor",),
        when=_kind("tuple"),
    ),
    Mistake(
        "numpy_returned",
        _TENSORS,
        zh="返回的是 numpy 的数组：计算图到 numpy 就断了，训练时收不到梯度。\n整条路都留在 torch 里。",
        en="A numpy array comes back: the graph ends at numpy, and training gets no\n"
        "gradient.\n"
        "Stay in torch all the way.",
        faults=("not_a_tensor",),
        when=_from_numpy,
    ),
    Mistake(
        "parameter_returned",
        _TENSORS,
        zh="返回的是 Parameter。\n参数是模块要学的数，算出来的结果不是。\n看看最后把结果包进了什么。",
        en="A Parameter comes back.\n"
        "Parameters are what a module learns; a result is not one.\n"
        "Look at what the result is wrapped in.",
        faults=("not_a_tensor",),
        when=_kind("Parameter"),
    ),
    Mistake(
        "float_returned",
        _TENSORS,
        zh="返回的是一个 Python 数，不是张量：梯度到它为止，批次也放不进去。\n看看哪一步取出了单个的数。",
        en="A Python number comes back, not a tensor: gradients end there, and a batch\n"
        "does not fit in.\n"
        "Look for the step that takes a single number out.",
        faults=("not_a_tensor",),
        when=_kind("float", "int"),
    ),
    Mistake(
        "one_result",
        _PAIRS,
        zh="只返回了一样东西。\n这里要两样：上下文，以及合成它所用的权重，后面要拿它画图、审计。",
        en="Only one thing comes back.\n"
        "Two are asked for: the context, and the weights it was mixed with, which\n"
        "will be drawn and audited.",
        faults=("not_a_pair",),
        when=_kind("Tensor"),
    ),
    Mistake(
        "results_swapped",
        _PAIRS,
        zh="两样东西都对，次序反了。\n先上下文，后权重；调用的人按这个次序拆开。",
        en="Both are right, in the wrong order.\nContext first, then weights: callers unpack them so.",
        gives={"attention": _swapped("attention"), "causal_attention": _swapped("causal_attention")},
    ),
    Mistake(
        "always_float32",
        (*_TENSORS, "copy_weights"),
        zh="输入是 float64，结果却成了 float32：有一步写死了类型，精度在那里丢了。\n让类型跟着输入走。",
        en="The input is float64 and the result float32: some step fixes the type, and\n"
        "digits are lost there.\n"
        "Let the type follow the input.",
        faults=("dtype",),
        when=_dtypes(torch.float32, torch.float64),
    ),
    Mistake(
        "always_float64",
        _TENSORS,
        zh="输入是 float32，结果却成了 float64：有一步把类型变宽了，接下去会和别的张量合不到一起。",
        en="The input is float32 and the result float64: some step widens the type,\n"
        "and the next product with another tensor will refuse it.",
        faults=("dtype",),
        when=_dtypes(torch.float64, torch.float32),
    ),
    Mistake(
        "float32_inside",
        (*_TENSORS, "copy_weights"),
        zh="类型对，数字却只有 float32 的精度：中间有一步经过了 float32，丢掉的位数回不来。",
        en="The type is right, the digits are those of float32: some step on the way\n"
        "went through float32, and lost digits do not come back.",
        faults=("value",),
        when=_single_inside,
    ),
    Mistake(
        "through_half_precision",
        (*_TENSORS, "copy_weights"),
        zh="这些数只有半精度（float16）的三四位：中间有一步经过了 float16，丢掉的位数回不来。",
        en="These numbers have the three or four digits of half precision: some step\n"
        "goes through float16, and lost digits do not come back.",
        faults=("value",),
        when=_through_half,
    ),
    Mistake(
        "rounded",
        (*_TENSORS, "copy_weights"),
        zh="结果被四舍五入到了几位小数。\n显示时取整无妨，计算时取整就把误差传给了后面的每一步。",
        en="The result is rounded to a few places.\n"
        "Round what is shown, not what is computed: every later step inherits the\n"
        "error.",
        faults=("value",),
        when=_rounded,
    ),
    Mistake(
        "input_changed",
        _EVERYWHERE,
        zh="你的代码就地改动了传进来的东西（+=、名字以下划线结尾的方法、对切片赋值）。\n调用的人还要用它：请造一个新的。",
        en="Your code changes in place what was handed in (+=, methods whose names end\n"
        "in _, slices set).\n"
        "The caller still needs it: make something new.",
        when=_changed_in_place,
    ),
    Mistake(
        "gradient_cut",
        _TENSORS,
        zh="计算图断了（detach、.data、item、numpy、no_grad），或者没有用到这个输入。\n没有梯度，训练时什么也学不到。",
        en="The numbers may be right, but the graph is cut (detach, .data, item,\n"
        "numpy, no_grad), or this input is not used.\n"
        "Without a gradient nothing is learned.",
        faults=("gradient_cut",),
    ),
    Mistake(
        "first_of_batch",
        _TENSORS,
        zh="只算了批次里的第一个，其余的丢了，或者也得到它的结果。\n批次轴照原样留着，每一个各算各的。",
        en="Only the first of the batch is computed; the others are lost, or get its\n"
        "result.\n"
        "Leave batch axes as they are: each one is computed for itself.",
        faults=("shape", "value"),
        when=_first_of_batch,
    ),
    Mistake(
        "all_axes_transposed",
        _TENSORS,
        zh="这种转置（.T、.t()）是给没有批次的矩阵用的：前面有批次轴时，它把批次轴也换了，或者报错。\n只该交换最后两个轴。",
        en="This transpose (.T, .t()) is for matrices alone: with a batch axis in\n"
        "front it moves that axis too, or fails.\n"
        "Only the last two axes should change places.",
        when=_all_axes,
    ),
    Mistake(
        "fixed_number_of_tokens",
        tuple(one for one in _TENSORS if one != "causal_mask"),
        zh="只算了前几个词元，其余的被丢了：长度写死了。\n句子有多长，要从输入的形状读出来。",
        en="Only the first few tokens are computed, the others are dropped: a length\n"
        "is fixed in the code.\n"
        "Read the sentence's length from the input's shape.",
        faults=("shape",),
        when=_corner,
    ),
    Mistake(
        "fixed_number_of_axes",
        _TENSORS,
        zh="代码认定输入有固定几个轴，前面多出或少了批次轴就报错。\n轴从后往前数，前面有几个都不影响。",
        en="The code takes the input to have a fixed number of axes, and fails with\n"
        "other batch axes in front.\n"
        "Count axes from the end, then it does not matter how many there are.",
        when=_axes_fixed,
    ),
    Mistake(
        "example_returned",
        tuple(_EXAMPLES),
        zh="这是例子里的数，与传进来的输入无关：数抄进了函数，或者函数读了笔记本里的变量。\n只用参数。",
        en="These are the example's numbers, whatever comes in: they are copied into\n"
        "the function, or it reads a variable of the notebook.\n"
        "Use the argument alone.",
        faults=("shape", "value"),
        when=_example,
    ),
    Mistake(
        "gradient_partly_cut",
        ("attention_scores", "softmax", *_PAIRS, "self_attention_v1", "self_attention_v2"),
        zh="数都对，梯度却少了一部分：有一步（detach、.data、no_grad）切断了其中一条路。\n输入从几处进来，就该从几处收到梯度。",
        en="The numbers are right, but part of the gradient is missing: detach, .data\n"
        "or no_grad cuts one of the ways.\n"
        "It should come back by every way the input goes in.",
        faults=("gradient_of",),
    ),
    Mistake(
        "tensors_left",
        ("hand_calculation", "dot_product_variance", "scaling_experiment"),
        zh="这里要普通的 Python 数和列表，你给的里面还有张量：记录、画图、写 JSON 时都用不了它。",
        en="Plain Python numbers and lists are asked for, and there are tensors among\n"
        "them: records, plots and JSON can't use those.",
        faults=("not_a_table", "not_floats", "columns_entry", "columns_length"),
        when=_tensors_left,
    ),
    Mistake(
        "reseeded",
        (*_DRAWING, *_PAIRS),
        zh="种子是全局的：你在这里重设它，别处本该各不相同的随机数就都一样了。\n要定种子，就在调用的地方定一次。",
        en="The seed is global: set here, it makes random numbers equal that should\n"
        "differ elsewhere.\n"
        "Seed once, where the code is called from.",
        faults=("reseeded",),
    ),
    Mistake(
        "left_on_the_cpu",
        ("causal_attention", "multi_head_attention", "self_attention_v1", "self_attention_v2"),
        zh="模块搬到 GPU 时，这个张量留在原处，两个设备上的张量不能相乘。\n模块带着走的只有参数、缓冲区和子模块。",
        en="When the module moves to a GPU this tensor stays behind, and the two\n"
        "cannot be combined.\n"
        "Only parameters, buffers and submodules move along.",
        faults=("left_behind", "device_clash"),
    ),
]
