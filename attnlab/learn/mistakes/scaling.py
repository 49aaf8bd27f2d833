"""Mistakes in scaling the scores of attention."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.faulty import FAMILY, State, faulty
from attnlab.learn.mistakes.habits import close

_MODULES = ("self_attention_v1", "self_attention_v2", "causal_attention", "multi_head_attention")
_ATTENTION = ("scaled_dot_product_attention", *_MODULES)
_LIMITS = (10, 20, 30, 50, 60, 80, 88, 100)

Scale = Callable[[Tensor, State], Tensor]


def _by_root(size: Callable[[State], int]) -> Scale:
    return lambda scores, state: scores / math.sqrt(size(state))


def _tokens(state: State) -> int:
    assert state.keys is not None
    return state.keys.shape[-2]


def _d_v(state: State) -> int:
    assert state.values is not None
    return state.values.shape[-1]


def _d_in(state: State) -> int:
    assert state.x is not None
    return state.x.shape[-1]


def _heads(state: State) -> int:
    assert state.n_heads is not None
    return state.n_heads


def _d_out(state: State) -> int:
    return state.d_k * _heads(state)


def _result(evidence: Evidence, scale: Scale) -> Tensor:
    assert evidence.made is not None
    found = faulty(evidence.made, {"scale": scale})
    return found if evidence.made.index is None else found[evidence.made.index]


def _another_number(evidence: Evidence) -> bool:
    """Look for a single number that, in the place of 1/√d_k, would give what the learner found."""
    got = evidence.got.detach().double()
    if evidence.made is None or evidence.made.function not in FAMILY or evidence.made.options.get("scale"):
        return False
    if got.numel() < 4 or got.shape != evidence.want.shape:
        return False

    # All numbers are tried at once, along a new first axis.
    low, high = math.log(0.02), math.log(50.0)
    for _ in range(6):
        tried = torch.linspace(low, high, 101, dtype=torch.float64)
        factors = tried.exp().reshape(-1, *(1,) * max(got.dim() + 1, 4))

        def scale(scores: Tensor, state: State, factors: Tensor = factors) -> Tensor:
            shape = (-1, *(1,) * scores.dim())
            return scores * factors.reshape(shape) / math.sqrt(state.d_k)

        away = (_result(evidence, scale) - got).abs().flatten(1).amax(-1)
        best = int(away.argmin())
        low, high = float(tried[max(best - 1, 0)]), float(tried[min(best + 1, 100)])
    found = math.exp((low + high) / 2)
    one = _result(evidence, lambda scores, state: scores * found / math.sqrt(state.d_k))
    return abs(found - 1) > 0.03 and close(one, got, within=1e-5) and not close(evidence.want, got, within=1e-3)


def _clamped(evidence: Evidence) -> bool:
    def clamped(limit: int) -> Scale:
        return lambda scores, state: (scores / math.sqrt(state.d_k)).clamp(-limit, limit)

    return not close(evidence.got, evidence.want) and any(
        close(_result(evidence, clamped(limit)), evidence.got) for limit in _LIMITS
    )


MISTAKES = [
    Mistake(
        "no_scale",
        _ATTENTION,
        zh="这正是没有缩放的结果：q·k 直接进了 softmax。\n"
        "向量越长，分数越大，权重就越偏向一个键。\n"
        "看看分数在哪里缩小。",
        en="That is what comes out without a scale: q·k went into softmax as it is.\n"
        "Longer vectors then mean larger scores, and one key gets nearly all.",
        attention={"scale": lambda scores, state: scores},
    ),
    Mistake(
        "scaled_by_d_k",
        _ATTENTION,
        zh="分数除以了 d_k 本身：少了平方根，或者除了两次 √d_k。\n这样分得太平均。\n标准差是 d_k 的平方根，不是 d_k。",
        en="The scores are divided by d_k itself: the root is missing, or √d_k divides\n"
        "them twice.\n"
        "Weights come out too even; the spread of q·k is √d_k.",
        attention={"scale": lambda scores, state: scores / state.d_k},
    ),
    Mistake(
        "scaled_by_root_d_in",
        _MODULES,
        zh="分数除以了 √d_in。\n相加的是查询与键的各个数，看它们有多长，而不是输入有多长。",
        en="The scores are divided by √d_in.\n"
        "What is added up are the numbers of queries and keys: their length counts,\n"
        "not that of the input.",
        attention={"scale": _by_root(_d_in)},
    ),
    Mistake(
        "scaled_by_root_d_out",
        ("multi_head_attention",),
        zh="分数除以了 √d_out。\n每个头只用 head_dim 个数做点积，起伏由这个长度决定，与别的头无关。",
        en="The scores are divided by √d_out.\n"
        "Each head's dot product adds up only head_dim numbers; that length sets\n"
        "its spread.",
        attention={"scale": _by_root(_d_out)},
    ),
    Mistake(
        "scaled_by_root_n",
        _ATTENTION,
        zh="分数除以了词元数的平方根。\n有几个词元，与一个点积的大小无关；该看的是向量的长度，也就是最后一个轴。",
        en="The scores are divided by the root of the number of tokens.\n"
        "How many there are does not make a dot product larger; the length of the\n"
        "vectors does.",
        attention={"scale": _by_root(_tokens)},
    ),
    Mistake(
        "scaled_by_root_d_v",
        ("scaled_dot_product_attention",),
        zh="分数除以了值的长度的平方根。\n点积只用到查询和键，该看的是它们的长度 d_k。",
        en="The scores are divided by the root of the length of the values.\n"
        "Only queries and keys are in the dot product: it is their length d_k that\n"
        "counts.",
        attention={"scale": _by_root(_d_v)},
    ),
    Mistake(
        "scaled_by_root_n_heads",
        ("multi_head_attention",),
        zh="分数除以了头数的平方根。\n该看的是一个头里查询的长度 head_dim，不是有几个头。",
        en="The scores are divided by the root of the number of heads.\n"
        "What counts is the length of a query within a head, not how many heads\n"
        "there are.",
        attention={"scale": _by_root(_heads)},
    ),
    Mistake(
        "scale_multiplied",
        _ATTENTION,
        zh="分数乘上了 √d_k，方向反了：本来就太大的分数变得更大。\n看看是乘还是除，指数的正负号对不对。",
        en="The scores are multiplied by √d_k, the wrong way round: what was too large\n"
        "grows larger.\n"
        "Look at the operator, or at the sign of the exponent.",
        attention={"scale": lambda scores, state: scores * math.sqrt(state.d_k)},
    ),
    Mistake(
        "scaled_after_softmax",
        _ATTENTION,
        zh="缩放来得太晚：softmax 之后才除，每一行之和成了 1/√d_k。\n要缩小的是分数，不是权重。",
        en="The scale comes too late: divided after softmax, each row sums to 1/√d_k.\n"
        "It is the scores that should shrink, not the weights.",
        attention={
            "scale": lambda scores, state: scores,
            "weigh": lambda weights, state: weights / math.sqrt(state.d_k),
        },
    ),
    Mistake(
        "scaled_by_another_number",
        _ATTENTION,
        zh="分数除以了另一个数，不是 √d_k；其余都对。\n"
        "是不是写成了固定的数，或者用了别的变量？\n"
        "查询换了长度，它也要跟着变。",
        en="The scores are divided by some other number than √d_k; the rest is right.\n"
        "A fixed number, or another variable?\n"
        "It has to follow the length of a query.",
        faults=("value",),
        when=_another_number,
    ),
    Mistake(
        "scores_clamped",
        _ATTENTION,
        zh="分数被截在一个范围里：超出的都成了同样大，谁大谁小就看不出来了。\n"
        "torch.softmax 自己就能算这样大的分数，不必截断。",
        en="The scores are cut off at a limit: all beyond it become equal, and which\n"
        "was larger is lost.\n"
        "No need for it: torch.softmax copes with scores this large.",
        faults=("value",),
        when=_clamped,
    ),
]
