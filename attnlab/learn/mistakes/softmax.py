"""Mistakes in turning scores into weights."""

import math
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence, Made
from attnlab.learn.mistakes.faulty import faulty
from attnlab.learn.mistakes.habits import close

_UNMASKED = ("scaled_dot_product_attention", "self_attention_v1", "self_attention_v2")
_WEIGHTS = ("softmax", "masked_softmax")
_PLAIN = ("simplified_attention", "scaled_dot_product_attention", "self_attention_v1", "self_attention_v2")
_ATTENTION = (*_PLAIN, "causal_attention", "multi_head_attention")
_BOUNDS = (5, 10, 20, 30, 50, 60, 80, 88, 100)


def _shares(scores: Tensor, shift: Tensor | float = 0.0) -> Tensor:
    powers = (scores - shift).exp()
    return powers / powers.sum(-1, keepdim=True)


def _first_axis(scores: Tensor) -> Tensor:
    if scores.dim() < 3:
        raise ValueError("with two axes, the first one is that of the queries")
    return torch.softmax(scores, dim=0)


def _over_queries(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> tuple[Any, Tensor]:
    normalise = {"normalise": lambda s, state: torch.softmax(s, dim=-2)}
    context, weights = faulty(Made("attention", (queries, keys, values), options), normalise)
    # With symmetric scores the context is that of the weights transposed, and only the weights tell which it was.
    return (None if torch.equal(queries, keys) else context), weights


def _norm_at(weights: Tensor) -> Tensor:
    jacobian = torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)
    return jacobian.square().sum((-2, -1)).sqrt()


def _entropy(weights: Tensor) -> Tensor:
    return torch.special.entr(weights).sum(-1)


def _by_column(evidence: Evidence) -> bool:
    """Columns that sum to one, in weights whose rows do not."""
    got = evidence.got
    if isinstance(got, list):  # by hand: those of the exercise on paper
        got = torch.tensor(got)
        return close(got, torch.tensor([[0.731, 0.018], [0.269, 0.982]]), within=6e-3)
    return evidence.fault == "row_sum" and got.dim() > 1 and close(got.sum(-2), torch.ones_like(got.sum(-2)))


def _not_normalised(evidence: Evidence) -> bool:
    """Rows that are the right weights but for a factor of their own."""
    got, want = evidence.got.detach().double(), evidence.want.double()
    sums = got.sum(-1, keepdim=True)
    return not close(sums, torch.ones_like(sums), within=1e-2) and close(got / sums, want, within=1e-3)


def _axis_lost(evidence: Evidence) -> bool:
    return isinstance(evidence.problem, RuntimeError) and "must match the size of tensor" in str(evidence.problem)


def _clamped(evidence: Evidence) -> bool:
    assert evidence.made is not None
    function = {"softmax": _shares, "softmax_gradient_norm": lambda s: _norm_at(_shares(s))}[evidence.made.function]
    scores = evidence.made.arguments[0].double()
    if not bool(scores.isfinite().all()) or close(evidence.got, evidence.want):
        return False
    return any(close(function(scores.clamp(-bound, bound)), evidence.got) for bound in _BOUNDS)


def _as_on_paper(*rows: list[float]) -> Tensor:
    return torch.tensor(rows)


def _by_the_sum_on_paper(evidence: Evidence) -> bool:
    return any(
        close(torch.tensor(evidence.got), one, within=6e-3)
        for one in (_as_on_paper([1.0, 0.0], [0.0, 1.0]), _as_on_paper([1.0, 0.0], [0.0, 2.0]))
    )


MISTAKES = [
    Mistake(
        "softmax_over_queries",
        (*_WEIGHTS, *_ATTENTION, "softmax_gradient_norm", "hand_calculation"),
        zh="这正是沿查询轴（dim=-2）做 softmax 的结果：和为 1 的是每一列。\n想一想：一个词元把 1 份注意力分给谁？",
        en="That is softmax along the query axis (dim=-2): it is the columns that add\n"
        "up to 1.\n"
        "Ask: among whom does one token share out its attention?",
        gives={
            "softmax": lambda s: torch.softmax(s, dim=-2),
            "softmax_gradient_norm": lambda s: _norm_at(torch.softmax(s, dim=-2)),
            "attention": _over_queries,
        },
        attention={"normalise": lambda s, state: torch.softmax(s, dim=-2)},
        when=_by_column,
    ),
    Mistake(
        "softmax_over_first_axis",
        (*_WEIGHTS, *_ATTENTION, "softmax_gradient_norm"),
        zh="这是沿第一个轴（dim=0）做 softmax：有批次时，第一个轴是批次，各个句子互相抢份额。\n该从后往前数轴。",
        en="That is softmax along the first axis (dim=0): with a batch, sentences\n"
        "compete with each other for shares.\n"
        "Count axes from the end.",
        gives={
            "softmax": _first_axis,
            "softmax_gradient_norm": lambda s: _norm_at(_first_axis(s)),
        },
        attention={"normalise": lambda s, state: _first_axis(s)},
    ),
    Mistake(
        "softmax_over_everything",
        (*_WEIGHTS, "simplified_attention", "scaled_dot_product_attention"),
        zh="除数是整个张量的和：所有行合起来才是 1。\n每个词元自己有 1 份注意力可分，看看求和沿哪个轴。",
        en="The divisor is the sum over the whole tensor: only all rows together add\n"
        "up to 1.\n"
        "Each token has 1 unit to share out: along which axis is the sum?",
        gives={"softmax": lambda s: torch.softmax(s.flatten(), dim=0).reshape(s.shape)},
        attention={"normalise": lambda s, state: torch.softmax(s.flatten(), dim=0).reshape(s.shape)},
    ),
    Mistake(
        "no_shift",
        (*_WEIGHTS, "softmax_gradient_norm", *_UNMASKED, "causal_attention"),
        zh="大的分数直接进了 exp：inf / inf 就是 nan；很小的则成了 0 / 0。\n给一整行减去同一个数，权重不变。",
        en="Large scores went into exp as they are: it overflows, and inf / inf is\n"
        "nan; very small ones end as 0 / 0.\n"
        "Taking one number off a whole row changes no weight.",
        gives={"softmax": _shares, "softmax_gradient_norm": lambda s: _norm_at(_shares(s))},
        attention={"normalise": lambda s, state: _shares(s.float()).double()},  # it overflows at 88, not at 709
    ),
    Mistake(
        "nan_hidden",
        (*_WEIGHTS, "causal_attention"),
        zh="nan 被换成了 0，溢出却还在：权重没有了，和也不是 1。\n该让 exp 不再溢出，而不是事后把 nan 盖住。",
        en="The nan is replaced by 0, but the overflow is still there: weights are\n"
        "lost and rows don't add up to 1.\n"
        "Keep exp from overflowing instead.",
        gives={"softmax": lambda s: torch.nan_to_num(_shares(s))},
        attention={"normalise": lambda s, state: torch.nan_to_num(_shares(s.float())).double()},
    ),
    Mistake(
        "shifted_by_largest_of_all",
        (*_WEIGHTS, *_UNMASKED),
        zh="所有行减去了同一个数，整个张量的最大值：分数都很小的那一行，exp 全成了 0，0 / 0 就是 nan。\n"
        "每一行该减自己的。",
        en="One number, the largest of the whole tensor, is taken off every row: in a\n"
        "row of small scores all of exp is 0, and 0 / 0 is nan.\n"
        "Each row needs its own.",
        gives={"softmax": lambda s: _shares(s, s.max())},
        attention={"normalise": lambda s, state: _shares(s.float(), s.float().max()).double()},
    ),
    Mistake(
        "shifted_by_mean",
        _WEIGHTS,
        zh="减去的是每行的平均值：离平均值很远的大分数照样溢出。\n减去哪个数，能保证 exp 里再没有正数？",
        en="The row's mean is taken off: a score far above the mean still overflows.\n"
        "Which number makes sure that exp never sees a positive one?",
        gives={"softmax": lambda s: _shares(s, s.mean(-1, keepdim=True))},
    ),
    Mistake(
        "shifted_by_smallest",
        _WEIGHTS,
        zh="减去的是每行的最小值：exp 里都成了正数，更容易溢出。\n减去哪个数，能保证 exp 里再没有正数？",
        en="The row's smallest score is taken off: exp now sees nothing but positive\n"
        "numbers, and overflows sooner.\n"
        "Which number makes sure that it sees none?",
        gives={"softmax": lambda s: _shares(s, s.amin(-1, keepdim=True))},
    ),
    Mistake(
        "clamped_for_shifted",
        ("softmax", "softmax_gradient_norm"),
        zh="分数被截在一个范围里：超出的都成了同样大，谁大谁小就看不出来了。\n"
        "softmax 本身就能算大的分数，只要先减去一个数。",
        en="The scores are cut off at a limit: all beyond it become equal, and which\n"
        "was larger is lost.\n"
        "Taking one number off the whole row loses nothing.",
        when=_clamped,
    ),
    Mistake(
        "not_normalised",
        _WEIGHTS,
        zh="每个数都取了 exp，却没有除以这一行的和：比例对，份额不对。\n看看公式里的分母。",
        en="Every score went through exp, but is not divided by the row's sum: right\n"
        "in proportion, no shares yet.\n"
        "Look at the formula's denominator.",
        faults=("row_sum", "value"),
        when=_not_normalised,
    ),
    Mistake(
        "sum_instead_of_softmax",
        ("softmax", "simplified_attention", "hand_calculation"),
        zh="分数直接除以了这一行的和，没有经过 exp：和是 1，但负的分数成了负的权重，和为 0 的行除不了。",
        en="The scores are divided by the row's sum without exp: they add up to 1, but\n"
        "negative scores give negative weights, and a row that sums to 0 fails.",
        gives={"softmax": lambda s: s / s.sum(-1, keepdim=True)},
        attention={"normalise": lambda s, state: s / s.sum(-1, keepdim=True)},
        when=_by_the_sum_on_paper,
    ),
    Mistake(
        "absolute_instead_of_exp",
        ("softmax",),
        zh="这里用绝对值代替了 exp：很小的（很负的）分数于是得到很大的份额。\nexp 既让数变正，又不打乱大小次序。",
        en="Absolute values stand where exp should: a very negative score then gets a\n"
        "large share. exp makes numbers positive and keeps their order.",
        gives={"softmax": lambda s: s.abs() / s.abs().sum(-1, keepdim=True)},
    ),
    Mistake(
        "base_two",
        ("softmax",),
        zh="底数是 2，不是 e：次序对，份额太平均。\n公式里是哪个底？",
        en="The base is 2, not e: the order is right, the shares are too even.\nWhich base does the formula have?",
        gives={"softmax": lambda s: torch.softmax(s * math.log(2.0), dim=-1)},
    ),
    Mistake(
        "sign_turned",
        ("softmax",),
        zh="符号反了：最大的分数得到了最小的份额。\n看看 exp 里是谁减谁。",
        en="The sign is turned round: the largest score gets the smallest share.\n"
        "Look inside exp: what is taken off what?",
        gives={"softmax": lambda s: torch.softmax(-s, dim=-1)},
    ),
    Mistake(
        "log_weights",
        ("softmax",),
        zh="这些是权重的对数，都不大于 0。\n权重本身是份额，还差最后一步。",
        en="These are the logarithms of the weights, none above 0.\n"
        "Weights themselves are shares: one last step is missing.",
        gives={"softmax": lambda s: torch.log_softmax(s, dim=-1)},
    ),
    Mistake(
        "axis_not_kept",
        ("softmax",),
        zh="求和（或取最大值）时那个轴不见了：(n, m) 与 (n,) 按列对齐，而不是按行，或者根本对不上。\n把那个轴留住。",
        en="The sum (or the maximum) dropped its axis: (n, m) and (n,) line up by\n"
        "columns instead of rows, or not at all.\n"
        "Keep that axis.",
        gives={"softmax": lambda s: s.exp() / s.exp().sum(-1)},
        when=_axis_lost,
    ),
    Mistake(
        "nearly_zero",
        ("softmax",),
        zh="这个权重很小，却不是 0：某处加了一个小数，或把 −∞ 换成了有限的数。\n"
        "第 3 课里，被遮住的词元会从这里漏过来。",
        en="This weight is tiny, not 0: a small number is added somewhere, or −∞\n"
        "became a finite score.\n"
        "In lesson 3 hidden tokens would leak through here.",
        faults=("not_zero",),
        gives={
            "softmax": lambda s: (
                ((s - s.amax(-1, keepdim=True)).exp() + 1e-6)
                / ((s - s.amax(-1, keepdim=True)).exp() + 1e-6).sum(-1, keepdim=True)
            )
        },
    ),
    Mistake(
        "ready_made",
        ("softmax", "masked_softmax"),
        zh="换个名字调用现成的 softmax（别名、方法、log_softmax），算出来的一样，练习的却不是它。\n"
        "要写的是其中的两步。",
        en="A ready-made softmax under another name (an alias, a method, log_softmax)\n"
        "gives the same numbers; what this exercise is about are the steps inside.",
        faults=("ready_made",),
    ),
    Mistake(
        "softmax_twice",
        (*_ATTENTION, "softmax_entropy"),
        zh="softmax 做了两次：第二次把权重当成分数，而它们都在 0 与 1 之间，于是几乎平分。\n看看传进来的已经是什么。",
        en="Softmax is taken twice: the second takes weights for scores, and as they\n"
        "all lie between 0 and 1, shares come out nearly even.\n"
        "Look at what came in.",
        gives={"entropy": lambda w: _entropy(torch.softmax(w, dim=-1))},
        attention={"normalise": lambda s, state: torch.softmax(torch.softmax(s, dim=-1), dim=-1)},
    ),
    Mistake(
        "no_softmax",
        ("scaled_dot_product_attention", "self_attention_v1", "self_attention_v2"),
        zh="分数没有经过 softmax 就拿去求和：它们有正有负，加起来不是 1，合不成平均。",
        en="The sum uses scores that never went through softmax: some are negative,\n"
        "and they don't add up to 1, so that no average comes out.",
        attention={"normalise": lambda s, state: s},
    ),
    Mistake(
        "uniform_weights",
        (*_PLAIN, "masked_softmax"),
        zh="每个词元都分得一样多：这是所有词元的平均，分数根本没有起作用。",
        en="Every token gets the same share: that is the mean of all tokens, and the\nscores play no part in it.",
        attention={"normalise": lambda s, state: torch.softmax(s.masked_fill(s.isfinite(), 0.0), dim=-1)},
    ),
    Mistake(
        "only_the_strongest",
        _PLAIN,
        zh="每一行都只取了分数最大的那一个词元。\nsoftmax 让其余的也分到一点；全有全无的选择没有梯度可学。",
        en="Each row takes the one token with the largest score.\n"
        "Softmax leaves the others a share too; from all or nothing there is no\n"
        "gradient to learn by.",
        attention={"normalise": lambda s, state: torch.softmax(1e6 * s, dim=-1)},
    ),
]
