"""Mistakes in the scaling experiment: entropy, the norm of softmax's gradient, and averages over random draws."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.habits import close

_DRAWS = ("dot_product_variance", "scaling_experiment")
_COLUMNS = ("raw_entropy", "scaled_entropy", "raw_gradient", "scaled_gradient")
_RUNS = 8


def _entropy(weights: Tensor) -> Tensor:
    return torch.special.entr(weights).sum(-1)


def _jacobian(scores: Tensor) -> Tensor:
    weights = scores.softmax(-1)
    return torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2)


def _norm(jacobian: Tensor) -> Tensor:
    return jacobian.square().sum((-2, -1)).sqrt()


def _gradient(scores: Tensor) -> Tensor:
    weights = scores.double().softmax(-1)
    squares, cubes = (weights**2).sum(-1), (weights**3).sum(-1)
    return (squares - 2 * cubes + squares**2).clamp(min=0).sqrt()


def _without_diagonal(jacobian: Tensor) -> Tensor:
    return jacobian - torch.diag_embed(jacobian.diagonal(dim1=-2, dim2=-1))


def _with_a_plus(scores: Tensor) -> Tensor:
    weights = scores.softmax(-1)
    return _norm(torch.diag_embed(weights) + weights.unsqueeze(-1) * weights.unsqueeze(-2))


def _of_the_input(weights: Tensor) -> Tensor:
    return _norm(torch.diag_embed(weights) - weights.unsqueeze(-1) * weights.unsqueeze(-2))


def _of_the_largest(scores: Tensor) -> Tensor:
    weights = scores.softmax(-1)
    largest = (weights == weights.amax(-1, keepdim=True)).to(weights.dtype)
    shared = largest / largest.sum(-1, keepdim=True)  # as torch does among equals
    return (_jacobian(scores) * shared.unsqueeze(-1)).sum(-2).norm(dim=-1)


def _of_log_softmax(scores: Tensor) -> Tensor:
    return _norm(torch.eye(scores.shape[-1], dtype=scores.dtype) - scores.softmax(-1).unsqueeze(-2))


def _all_rows(one_a_row: Callable[[Tensor], Tensor], together: Callable[[Tensor], Tensor]) -> Any:
    def result(given: Tensor) -> Tensor:
        if given.dim() < 2:
            raise ValueError("with one row there is nothing to throw together")
        return together(one_a_row(given))

    return result


def _root_of_negative(evidence: Evidence) -> bool:
    """Nothing but nan where the norm is close to 0, everything else right."""
    got, want = evidence.got.detach().double(), evidence.want.double()
    lost = got.isnan()
    return bool(lost.any()) and bool((want[lost] < 0.02).all()) and close(got[~lost], want[~lost], within=3e-3)


def _large_epsilon(evidence: Evidence) -> bool:
    assert evidence.made is not None
    weights = evidence.made.arguments[0].double()
    tried = (-(weights * (weights + 10.0**-digits).log()).sum(-1) for digits in (1, 2, 3, 4, 5))
    return not close(evidence.got, evidence.want, within=1e-5) and any(
        close(evidence.got, one, within=2e-6) for one in tried
    )


# What is found of dot_product_variance is a dict of d_k, n_samples, raw and scaled.


def _variances(raw: Callable[[float], float], scaled: Callable[[float], float]) -> Any:
    """Recognise the two variances, given as functions of d_k, to within sampling error."""

    def found(evidence: Evidence) -> bool:
        got = evidence.got
        d_k = got["d_k"]
        within = 6 * math.sqrt((2 + 6 / d_k) / got["n_samples"])
        pairs = ((got["raw"], raw(d_k)), (got["scaled"], scaled(d_k)))
        return d_k > 1 and all(abs(one - expected) <= within * expected for one, expected in pairs)

    return found


def _fixed_divisor(evidence: Evidence) -> bool:
    got = evidence.got
    return got["d_k"] != 64 and abs(got["scaled"] - got["raw"] / 64) < 1e-4 * got["raw"]


# What is found of scaling_experiment is a dict of its lists, n_keys and n_samples.


def _bits(entropies: Tensor) -> Tensor:
    return entropies / math.log(2.0)


class _Simulated:
    """What the experiment gives with a mistake: each column's statistic over the samples, and how far it scatters."""

    def __init__(
        self,
        *,
        raw: Callable[..., Tensor] = lambda scores, d_k: scores,
        scaled: Callable[..., Tensor] = lambda scores, d_k: scores / math.sqrt(d_k),
        weights: Callable[[Tensor], Tensor] = lambda scores: scores.softmax(-1),
        entropy: Callable[[Tensor], Tensor] = _entropy,
        gradient: Callable[[Tensor], Tensor] = _gradient,
        reduce: Callable[[Tensor], Tensor] = lambda values: values.mean(-1),
        draw: Callable[..., Tensor] | None = None,
        columns: Sequence[str] = _COLUMNS,
        n_keys: int | None = None,
    ) -> None:
        self.raw, self.scaled, self.weights, self.entropy = raw, scaled, weights, entropy
        self.gradient, self.reduce, self.columns, self.n_keys = gradient, reduce, columns, n_keys
        self.draw = draw or _normal
        self.expected = cache(self._expected)

    def _expected(self, d_k: int, n_keys: int, n_samples: int) -> dict[str, tuple[float, float]]:
        source = torch.Generator().manual_seed(d_k)
        scores = self.draw(source, _RUNS * n_samples, self.n_keys or n_keys, d_k)
        made = []
        for one in (self.raw(scores, d_k), self.scaled(scores, d_k)):
            by_run = one.reshape(_RUNS, n_samples, -1)
            made.append(self.reduce(self.entropy(self.weights(by_run))))
            made.append(self.reduce(self.gradient(by_run)))
        order = (made[0], made[2], made[1], made[3])
        return {
            name: (float(values.mean()), float(values.std()))
            for name, values in zip(self.columns, order, strict=True)
            if name
        }

    def __call__(self, evidence: Evidence) -> bool:
        """Tell whether every number of the learner's is the simulated one, to within sampling error."""
        got = evidence.got
        found = [self._agrees(got, place, int(d_k)) for place, d_k in enumerate(got["d_k"])]
        return bool(found) and all(found) and not (self is not _RIGHT and _RIGHT(evidence))

    def _agrees(self, got: dict[str, Any], place: int, d_k: int) -> bool:
        expected = self.expected(d_k, got["n_keys"], got["n_samples"])
        return all(
            abs(got[name][place] - mean) <= 5 * spread + 0.002 * abs(mean) + 5e-4
            for name, (mean, spread) in expected.items()
        )


def _normal(source: torch.Generator, count: int, n_keys: int, d_k: int) -> Tensor:
    # With a query given, scores with standard normal keys are normal, with the query's length as deviation.
    lengths = torch.randn(count, d_k, generator=source).norm(dim=-1, keepdim=True)
    return lengths * torch.randn(count, n_keys, generator=source)


def _uniform(source: torch.Generator, count: int, n_keys: int, d_k: int) -> Tensor:
    # Sums of many uniform numbers are as good as normal.
    queries = torch.rand(count, d_k, generator=source)
    means, lengths = queries.sum(-1, keepdim=True) / 2, queries.norm(dim=-1, keepdim=True)
    return means + lengths / math.sqrt(12) * torch.randn(count, n_keys, generator=source)


def _unit(source: torch.Generator, count: int, n_keys: int, d_k: int) -> Tensor:
    # A component of a random direction: one normal number over the length of d_k of them.
    one, other = torch.randn(2, count, n_keys, generator=source)
    rest = (d_k - 1) + math.sqrt(2 * d_k - 2) * other  # the other components' squares, whose sum is nearly normal
    return one / (one**2 + rest.clamp(min=0)).sqrt()


def _with_itself(source: torch.Generator, count: int, n_keys: int, d_k: int) -> Tensor:
    lengths = torch.randn(count, d_k, generator=source).norm(dim=-1, keepdim=True)
    scores = lengths * torch.randn(count, n_keys, generator=source)
    scores[:, :1] = lengths**2
    return scores


def _over_samples(scores: Tensor) -> Tensor:
    return scores.softmax(-2)


def _entropy_of_mean(weights: Tensor) -> Tensor:
    return _entropy(weights.mean(-2, keepdim=True)).expand(weights.shape[:-1])


def _mean_score(scores: Tensor, d_k: int) -> Tensor:
    by_run = scores.reshape(_RUNS, -1, scores.shape[-1])
    return by_run.mean(1, keepdim=True).expand_as(by_run).reshape(scores.shape)


def _averaged_too_early(evidence: Evidence) -> bool:
    by_size = sorted(zip(evidence.got["d_k"], evidence.got["raw_entropy"], strict=True))
    falling = all(one[1] > other[1] for one, other in itertools.pairwise(by_size))  # unlike that of unit vectors
    return falling and (_OF_MEAN_WEIGHTS(evidence) or _OF_MEAN_SCORES(evidence))


def _divided_after(evidence: Evidence) -> bool:
    """Entropies of weights that are divided by √d_k: (H + ln √d_k) / √d_k."""
    got = evidence.got
    expected = [
        (entropy + math.log(math.sqrt(d_k))) / math.sqrt(d_k)
        for d_k, entropy in zip(got["d_k"], got["raw_entropy"], strict=True)
    ]
    return all(abs(one - other) < 1e-3 for one, other in zip(got["scaled_entropy"], expected, strict=True))


def _unscaled(evidence: Evidence) -> bool:
    got = evidence.got
    if evidence.exercise == "dot_product_variance":
        return got["d_k"] > 1 and math.isclose(got["raw"], got["scaled"], rel_tol=1e-4)
    pairs = [*zip(got["raw_entropy"], got["scaled_entropy"], strict=True)]
    return all(math.isclose(one, other, rel_tol=1e-4) for one, other in pairs)


def _by_d_k(evidence: Evidence) -> bool:
    if evidence.exercise == "dot_product_variance":
        return bool(_variances(lambda d: d, lambda d: 1 / d)(evidence))
    return _BY_D_K(evidence)


def _by_raw_scores(evidence: Evidence) -> bool:
    """The gradient at the scaled scores, divided by √d_k once more."""
    got = evidence.got
    again = [one * math.sqrt(d_k) for one, d_k in zip(got["scaled_gradient"], got["d_k"], strict=True)]
    return not _RIGHT(evidence) and _RIGHT(replace(evidence, got=got | {"scaled_gradient": again}))


_RIGHT = _Simulated()
_BY_D_K = _Simulated(scaled=lambda scores, d_k: scores / d_k)
_64_KEYS = _Simulated(n_keys=64)
_OF_MEAN_WEIGHTS = _Simulated(entropy=_entropy_of_mean)
_OF_MEAN_SCORES = _Simulated(raw=_mean_score, scaled=lambda scores, d_k: _mean_score(scores, d_k) / math.sqrt(d_k))
_UNIT = _Simulated(draw=_unit)
_UNIFORM = _Simulated(draw=_uniform)
_SWAPPED = (
    _Simulated(columns=("scaled_entropy", "raw_entropy", "", "")),
    _Simulated(columns=("", "", "scaled_gradient", "raw_gradient")),
)


def _either(variance: Callable[[Evidence], bool], *experiments: Callable[[Evidence], bool]) -> Any:
    def found(evidence: Evidence) -> bool:
        ways = (variance,) if evidence.exercise == "dot_product_variance" else experiments
        return any(way(evidence) for way in ways)

    return found


def _theory(evidence: Evidence) -> bool:
    return [float(one) for one in evidence.got][1] == 1.0 and float(evidence.got[0]).is_integer()


def _plausible(evidence: Evidence) -> bool:
    """Runs whose mean is right: how far they scatter then speaks of the samples, and of nothing else."""
    if evidence.exercise == "dot_product_variance":  # another check has seen to it
        return True
    expected = _RIGHT.expected(2, 64, 200)["raw_entropy"][0]
    return abs(float(torch.tensor(evidence.got).mean()) - expected) < 0.15 * expected


def _too_steady(evidence: Evidence) -> bool:
    return _plausible(evidence) and float(torch.tensor(evidence.got).std()) < 0.3 * evidence.want


def _too_unsteady(evidence: Evidence) -> bool:
    got = evidence.got
    if evidence.fault == "spread":
        return _plausible(evidence) and float(torch.tensor(got).std()) > evidence.want
    within = 6 * math.sqrt(2 * (2 + 6 / got["d_k"]) / got["n_samples"]) * got["d_k"]
    related = math.isclose(got["raw"], got["scaled"] * got["d_k"], rel_tol=1e-3)
    return related and abs(got["raw"] - got["other_raw"]) > within


def _same_for_all_seeds(evidence: Evidence) -> bool:
    if evidence.exercise == "dot_product_variance":
        return not _theory(evidence)
    rounded = all(abs(one * 10 - round(one * 10)) < 1e-9 for one in evidence.got)
    return evidence.got == evidence.want and not rounded


def _with_lists(evidence: Evidence) -> bool:
    return any(isinstance(one, list) for name in _COLUMNS for one in evidence.got[name])


def _begun_anew(evidence: Evidence) -> bool:
    lengths = {len(evidence.got[name]) for name in ("d_k", *_COLUMNS)}
    return lengths == {1}


def _no_repeats(evidence: Evidence) -> bool:
    dims = evidence.got["d_k"]
    return isinstance(dims, list) and len(dims) > 1 and len(set(dims)) == len(dims)


def _lesson_dims(evidence: Evidence) -> bool:
    dims = evidence.got["d_k"] if isinstance(evidence.got, dict) else evidence.got
    return [int(one) for one in dims] in ([4, 16, 64], [16, 64], [4, 64])


def _sorted(evidence: Evidence) -> bool:
    return list(evidence.got) == sorted(evidence.got) and not _lesson_dims(evidence)


def _one_decimal(evidence: Evidence) -> bool:
    numbers = [one for name in _COLUMNS for one in evidence.got[name]]
    return all(abs(one * 10 - round(one * 10)) < 1e-9 for one in numbers)


MISTAKES = [
    Mistake(
        "zero_times_log_of_zero",
        ("softmax_entropy",),
        zh="权重为 0 时，ln 0 是 −∞，0 乘以它是 nan，一行里有一个，整行的和就是 nan。\n0·ln 0 约定为 0。",
        en="For a weight of 0, ln 0 is −∞, and 0 times that is nan; one of them spoils\n"
        "the row's whole sum.\n"
        "By convention 0·ln 0 is 0.",
        gives={"entropy": lambda w: -(w * w.log()).sum(-1)},
    ),
    Mistake(
        "nan_replaced_after_sum",
        ("softmax_entropy",),
        zh="nan 换得太晚：求和之后，整行已经是 nan，换成 0 就连别的项也丢了。\n该在求和之前处理。",
        en="The nan is replaced too late: after the sum the whole row is nan, and a 0\n"
        "in its place loses the other terms as well.\n"
        "Deal with it before the sum.",
        gives={"entropy": lambda w: (-(w * w.log()).sum(-1)).nan_to_num(0.0)},
    ),
    Mistake(
        "entropy_in_bits",
        ("softmax_entropy", "scaling_experiment"),
        zh="单位是比特：对数以 2 为底，每个数都是奈特的 1/ln 2 ≈ 1.44 倍。\n这里用自然对数。",
        en="These are bits: logarithms to base 2, every number 1/ln 2 ≈ 1.44 times as\n"
        "large as in nats.\n"
        "Here logarithms are natural.",
        gives={"entropy": lambda w: _bits(_entropy(w))},
        when=_Simulated(entropy=lambda w: _bits(_entropy(w))),
    ),
    Mistake(
        "decimal_logarithm",
        ("softmax_entropy",),
        zh="对数以 10 为底，每个数都小了 ln 10 ≈ 2.30 倍。\n这里用自然对数。",
        en="The logarithms are to base 10, and every number is smaller by ln 10 ≈\n2.30.\nHere logarithms are natural.",
        gives={"entropy": lambda w: _entropy(w) / math.log(10.0)},
    ),
    Mistake(
        "sign_of_entropy",
        ("softmax_entropy",),
        zh="少了一个负号：权重不大于 1，对数不大于 0，而熵从不为负。",
        en="A minus sign is missing: weights are at most 1 and their logarithms at\n"
        "most 0, yet entropy is never negative.",
        gives={"entropy": lambda w: -_entropy(w)},
    ),
    Mistake(
        "mean_over_keys",
        ("softmax_entropy",),
        zh="取了平均，没有求和：熵是各项之和，权重已经在里面，不必再除以键数。",
        en="A mean is taken instead of a sum: entropy adds the terms up, and the\n"
        "weights are in them already.\n"
        "No division by the number of keys.",
        gives={"entropy": lambda w: _entropy(w) / w.shape[-1]},
    ),
    Mistake(
        "rows_thrown_together",
        ("softmax_entropy", "softmax_gradient_norm"),
        zh="所有行并成了一个数：求和（求范数）没有写明轴，或者用布尔下标把行压平了。\n每一行各得一个数。",
        en="All rows have become one number: a sum or norm without an axis, or rows\n"
        "flattened by a boolean index.\n"
        "Every row gets a number of its own.",
        gives={
            "entropy": _all_rows(_entropy, lambda rows: rows.sum()),
            "softmax_gradient_norm": _all_rows(_gradient, lambda rows: rows.norm()),
        },
    ),
    Mistake(
        "averaged_over_rows",
        ("softmax_entropy",),
        zh="各行的熵又取了平均，只剩一个数。\n平均是后面实验的事，这里每一行各得一个数。",
        en="The rows' entropies are averaged, and one number is left.\n"
        "Averages come later, in the experiment: here every row gets its own.",
        gives={"entropy": _all_rows(_entropy, lambda rows: rows.mean())},
    ),
    Mistake(
        "entropy_over_first_axis",
        ("softmax_entropy",),
        zh="求和沿了第一个轴：加到一起的是不同的行。\n一行权重在最后一个轴上，从后往前数。",
        en="The sum runs along the first axis, and adds up different rows.\n"
        "A row of weights lies along the last axis; count from the end.",
        gives={"entropy": lambda w: torch.special.entr(w).sum(0)},
    ),
    Mistake(
        "last_axis_kept",
        ("softmax_entropy", "softmax_gradient_norm"),
        zh="最后一个轴还在，长度是 1。\n每一行得到一个数，那个轴该消失。",
        en="The last axis is still there, with length 1.\nA row gives one number, and its axis should be gone.",
        gives={
            "entropy": lambda w: _entropy(w).unsqueeze(-1),
            "softmax_gradient_norm": lambda s: _gradient(s).unsqueeze(-1),
        },
    ),
    Mistake(
        "entropy_as_a_share",
        ("softmax_entropy",),
        zh="熵又除以了 ln n，成了 0 到 1 之间的比例。\n这里要的是奈特，键多的时候熵可以更大。",
        en="The entropy is divided by ln n, which makes it a share between 0 and 1.\n"
        "Asked for are nats, where more keys allow more entropy.",
        gives={"entropy": lambda w: _entropy(w) / max(math.log(w.shape[-1]), 1e-9)},
    ),
    Mistake(
        "epsilon_too_large",
        ("softmax_entropy",),
        zh="对数里加的数太大：不为 0 的权重也被它改了。\n只该影响恰好是 0 的位置，至少要小得看不出来。",
        en="The number added inside the logarithm is too large: it changes weights\n"
        "that are not 0 as well.\n"
        "Only exact zeros should feel it.",
        when=_large_epsilon,
    ),
    Mistake(
        "e_to_the_entropy",
        ("softmax_entropy",),
        zh="这是 e 的熵次方，也就是“同时在看几个键”。\n这里要的是熵本身。",
        en="This is e to the entropy, the number of keys that are looked at.\nAsked for is the entropy itself.",
        gives={"entropy": lambda w: _entropy(w).exp()},
    ),
    Mistake(
        "logarithms_without_weights",
        ("softmax_entropy",),
        zh="加起来的只有对数，没有乘上权重。\n看看公式：每一项是 w 与 ln w 的乘积。",
        en="Only the logarithms are added up, without their weights.\nLook at the formula: every term is w times ln w.",
        gives={"entropy": lambda w: -w.clamp(min=1e-12).log().sum(-1)},
    ),
    Mistake(
        "root_of_a_negative",
        ("softmax_gradient_norm",),
        zh="真值接近 0 时，几个几乎相等的数相减，可能得到一个很小的负数，它的平方根是 nan。\n开方之前先挡住负数。",
        en="Where the true value is near 0, nearly equal numbers are taken from each\n"
        "other; a tiny negative one may be left, and its root is nan.\n"
        "Guard the root.",
        faults=("not_finite",),
        when=_root_of_negative,
    ),
    Mistake(
        "root_forgotten",
        ("softmax_gradient_norm", "scaling_experiment"),
        zh="这是平方和，还没有开方：小于 1 的数于是显得更小。\n范数的定义里最后一步是平方根。",
        en="This is the sum of squares, before the root: numbers below 1 look smaller\n"
        "than they are.\n"
        "The last step of a norm is a square root.",
        gives={"softmax_gradient_norm": lambda s: _gradient(s) ** 2},
        when=_Simulated(gradient=lambda s: _gradient(s) ** 2),
    ),
    Mistake(
        "diagonal_only",
        ("softmax_gradient_norm",),
        zh="只有对角线：一个权重对自己的分数。\n别的分数变了，它也会变，那些元素也算在内。",
        en="Only the diagonal is counted: a weight against its own score.\n"
        "It moves with the other scores too, and those entries belong to the norm.",
        gives={"softmax_gradient_norm": lambda s: _jacobian(s).diagonal(dim1=-2, dim2=-1).norm(dim=-1)},
    ),
    Mistake(
        "off_diagonal_only",
        ("softmax_gradient_norm",),
        zh="缺了对角线：一个权重对自己的分数，往往正是最大的元素。",
        en="The diagonal is missing: a weight against its own score, often the largest\nentry of all.",
        gives={"softmax_gradient_norm": lambda s: _norm(_without_diagonal(_jacobian(s)))},
    ),
    Mistake(
        "plus_for_minus",
        ("softmax_gradient_norm",),
        zh="外积是加上去的：雅可比矩阵里是减去。\n别的分数升高，这个权重该变小。",
        en="The outer product is added; the Jacobian takes it off.\nWhen another score rises, this weight has to fall.",
        gives={"softmax_gradient_norm": _with_a_plus},
    ),
    Mistake(
        "spectral_norm",
        ("softmax_gradient_norm",),
        zh="这是谱范数，即最大的奇异值。\n这里要弗罗贝尼乌斯范数：所有元素的平方和，再开方。",
        en="This is the spectral norm, the largest singular value.\n"
        "Asked for is the Frobenius norm: square all entries, add, take the root.",
        gives={"softmax_gradient_norm": lambda s: torch.linalg.matrix_norm(_jacobian(s), ord=2)},
    ),
    Mistake(
        "largest_entry",
        ("softmax_gradient_norm",),
        zh="这是最大的一个元素。\n范数要把所有元素都算进去：平方和，再开方。",
        en="This is the largest entry alone.\nThe norm counts all of them: square, add, take the root.",
        gives={"softmax_gradient_norm": lambda s: _jacobian(s).abs().amax((-2, -1))},
    ),
    Mistake(
        "sum_of_absolute_values",
        ("softmax_gradient_norm",),
        zh="这是绝对值之和。\n弗罗贝尼乌斯范数是平方和，再开方。",
        en="This is the sum of absolute values.\nThe Frobenius norm squares, adds and takes the root.",
        gives={"softmax_gradient_norm": lambda s: _jacobian(s).abs().sum((-2, -1))},
    ),
    Mistake(
        "root_mean_square",
        ("softmax_gradient_norm",),
        zh="开方之前取了平均，而不是求和：结果小了 n 倍。",
        en="A mean is taken before the root instead of a sum: the result is smaller by\na factor of n.",
        gives={"softmax_gradient_norm": lambda s: _gradient(s) / s.shape[-1]},
    ),
    Mistake(
        "scores_taken_for_weights",
        ("softmax_gradient_norm",),
        zh="传进来的是分数，你把它当成了权重：还差一步 softmax。",
        en="What comes in are scores, and they are taken for weights: softmax is\nmissing.",
        gives={"softmax_gradient_norm": _of_the_input},
    ),
    Mistake(
        "gradient_of_the_sum",
        ("softmax_gradient_norm",),
        zh="处处是 0：权重之和恒为 1，对它求梯度当然是 0。\n要的是每一个权重对每一个分数。",
        en="All zeros: the weights always add up to 1, so the gradient of their sum is\n"
        "0.\n"
        "Asked for is every weight by every score.",
        gives={"softmax_gradient_norm": lambda s: torch.zeros_like(s[..., 0])},
    ),
    Mistake(
        "gradient_of_the_largest",
        ("softmax_gradient_norm",),
        zh="只求了最大的那个权重的梯度，是雅可比矩阵的一行。\n范数要所有的行。",
        en="Only the gradient of the largest weight is taken, one row of the Jacobian.\nThe norm needs all rows.",
        gives={"softmax_gradient_norm": _of_the_largest},
    ),
    Mistake(
        "jacobian_of_log_softmax",
        ("softmax_gradient_norm",),
        zh="这是 log softmax 的雅可比矩阵：每一行少乘了自己的权重。",
        en="This is the Jacobian of log softmax: each row still has to be multiplied\nby its weight.",
        gives={"softmax_gradient_norm": _of_log_softmax},
    ),
    Mistake(
        "norm_of_the_weights",
        ("softmax_gradient_norm",),
        zh="这是权重自己的长度，不是它随分数变化的快慢。",
        en="This is the length of the weights themselves, not how fast they move with\nthe scores.",
        gives={"softmax_gradient_norm": lambda s: s.softmax(-1).norm(dim=-1)},
    ),
    Mistake(
        "scale_left_out",
        _DRAWS,
        zh="缩放前后是同样的数：第二份没有除以 √d_k，或者除过的结果没有用上。",
        en="Both come out the same: the second was not divided by √d_k, or the divided\nscores are not the ones used.",
        when=_unscaled,
    ),
    Mistake(
        "divided_by_d_k",
        _DRAWS,
        zh="分数除以了 d_k 本身，或者除了两次根：方差成了 1/d_k，维数越大越小。\n典型的大小是 √d_k。",
        en="The scores are divided by d_k itself, or twice by its root: the variance\n"
        "becomes 1/d_k, which shrinks with d_k.\n"
        "Their typical size is √d_k.",
        when=_by_d_k,
    ),
    Mistake(
        "variance_divided_by_root",
        ("dot_product_variance",),
        zh="除的是方差，不是分数。\n分数除以 √d_k，方差就要除以它的平方。",
        en="It is the variance that was divided, not the scores.\n"
        "Scores divided by √d_k have a variance divided by its square.",
        when=_variances(lambda d: d, math.sqrt),
    ),
    Mistake(
        "divided_by_root_of_n_keys",
        ("scaling_experiment",),
        zh="分数除以了键数的平方根。\n点积有多大，看向量有多长，与有几个键无关。",
        en="The scores are divided by the root of the number of keys.\n"
        "How large a dot product gets depends on the length of the vectors, not on\n"
        "how many keys there are.",
        when=_Simulated(scaled=lambda scores, d_k: scores / math.sqrt(scores.shape[-1])),
    ),
    Mistake(
        "divisor_of_the_example",
        ("dot_product_variance",),
        zh="除数写死了，是 d_k = 64 的那一个。\nd_k 变了，它也要跟着变。",
        en="The divisor is fixed: it is the one of d_k = 64.\nIt has to follow d_k.",
        when=_fixed_divisor,
    ),
    Mistake(
        "divided_after_softmax",
        ("scaling_experiment",),
        zh="除得太晚：softmax 之后才除，每一行的和成了 1/√d_k，不再是权重。\n要缩小的是分数。",
        en="Divided too late: after softmax each row sums to 1/√d_k, and is no row of\n"
        "weights any more.\n"
        "It is the scores that should shrink.",
        when=_divided_after,
    ),
    Mistake(
        "raw_and_scaled_swapped",
        _DRAWS,
        zh="两份写反了：缩放过的在 raw 那里，没有缩放的在 scaled 那里。",
        en="The two have changed places: the scaled one stands under raw, the raw one\nunder scaled.",
        when=_either(_variances(lambda d: 1.0, lambda d: d), *_SWAPPED),
    ),
    Mistake(
        "standard_deviation",
        ("dot_product_variance",),
        zh="这是标准差，方差的平方根。\n要的是方差：raw 应在 d_k 附近，而不是 √d_k。",
        en="This is the standard deviation, the root of the variance.\n"
        "Asked for is the variance: raw should be near d_k, not near √d_k.",
        when=_variances(math.sqrt, lambda d: 1.0),
    ),
    Mistake(
        "products_not_summed",
        ("dot_product_variance",),
        zh="这是单个乘积的方差，还没有沿最后一个轴加起来：点积是 d_k 个乘积之和。",
        en="This is the variance of single products, before they are added up along\n"
        "the last axis: a dot product is the sum of d_k of them.",
        when=_variances(lambda d: 1.0, lambda d: 1 / d),
    ),
    Mistake(
        "same_draws_for_q_and_k",
        ("dot_product_variance",),
        zh="方差约是 2·d_k：q 和 k 是同一批随机数，这是 q·q。\n两者要独立，种子只定一次，接着往下抽。",
        en="The variance is about 2·d_k: q and k are the same random numbers, this is\n"
        "q·q.\n"
        "They have to be independent: seed once, then go on drawing.",
        when=_variances(lambda d: 2 * d, lambda d: 2.0),
    ),
    Mistake(
        "uniform_for_normal",
        _DRAWS,
        zh="随机数在 0 与 1 之间均匀分布：均值不是 0，方差也不是 1。\n要的是标准正态。",
        en="The random numbers are uniform between 0 and 1: their mean is not 0 and\n"
        "their variance not 1.\n"
        "Asked for are standard normal ones.",
        when=_either(_variances(lambda d: 7 * d / 144, lambda d: 7 / 144), _UNIFORM),
    ),
    Mistake(
        "unit_vectors",
        _DRAWS,
        zh="q 和 k 被归一到长度 1：点积成了余弦，大小与 d_k 的关系就看不到了。",
        en="q and k are brought to length 1: their dot product is a cosine, and how it\n"
        "grows with d_k can't be seen any more.",
        when=_either(_variances(lambda d: 1 / d, lambda d: 1.0), _UNIT),
    ),
    Mistake(
        "theory_for_measurement",
        ("dot_product_variance",),
        zh="这是公式里的数，不是量出来的：没有随机数，换了种子也一样。\n抽样，再算方差。",
        en="These are the formula's numbers, not measured ones: nothing is drawn, and\n"
        "no seed changes them.\n"
        "Draw samples, then take their variance.",
        faults=("seed_ignored",),
        when=_theory,
    ),
    Mistake(
        "seed_argument_ignored",
        _DRAWS,
        zh="换了 seed，数却不变：种子写死了，或者没有用到这个参数。",
        en="Another seed, the same numbers: a seed is fixed in the code, or the\nargument is not used.",
        faults=("seed_ignored",),
        when=_same_for_all_seeds,
    ),
    Mistake(
        "drawn_without_seed",
        _DRAWS,
        zh="同样的 seed，两次的数不同：抽随机数的那一步没有用到它。\n看看生成器有没有交给每一次抽取。",
        en="The same seed gave other numbers: some draw does not use it.\n"
        "See that the generator is handed to each of them.",
        faults=("seed_differs",),
    ),
    Mistake(
        "n_samples_ignored",
        _DRAWS,
        zh="不同种子的结果太一致了：样本比 n_samples 多得多，个数写死了，没有用到这个参数。",
        en="Different seeds agree far too well: there are many more samples than\n"
        "n_samples.\n"
        "Their number is fixed in the code, and the argument is not used.",
        faults=("spread",),
        when=_too_steady,
    ),
    Mistake(
        "too_few_draws",
        _DRAWS,
        zh="不同种子的结果差得太远：样本比 n_samples 少，或者它们并不独立，比如共用一个查询。",
        en="Different seeds lie too far apart: there are fewer samples than n_samples,\n"
        "or they are not independent, as when they share one query.",
        faults=("spread", "not_near"),
        when=_too_unsteady,
    ),
    Mistake(
        "one_number_for_two",
        ("dot_product_variance",),
        zh="只返回了一个数。\n要两个：缩放前的方差，缩放后的方差。",
        en="Only one number comes back.\nTwo are asked for: the variance without the scale, and the variance with\nit.",
        faults=("not_floats",),
        when=lambda evidence: isinstance(evidence.got, float),
    ),
    Mistake(
        "entropy_and_gradient_swapped",
        ("scaling_experiment",),
        zh="熵和梯度范数放错了列表：raw_entropy 里是梯度范数。\n看看每个名字下面添的是什么。",
        en="Entropy and gradient norm are in each other's lists: raw_entropy holds\n"
        "gradient norms.\n"
        "Look at what is appended under each name.",
        when=_either(
            lambda evidence: False,
            _Simulated(columns=("raw_gradient", "", "raw_entropy", "")),
            _Simulated(columns=("", "scaled_gradient", "", "scaled_entropy")),
        ),
    ),
    Mistake(
        "gradient_by_raw_scores",
        ("scaling_experiment",),
        zh="scaled_gradient 又除以了 √d_k：那是对未缩放的分数求的梯度。\n这里要的是在缩放后的分数处的值。",
        en="scaled_gradient is divided by √d_k again: that is the gradient by the raw\n"
        "scores.\n"
        "Asked for is its value at the scaled ones, as it is.",
        when=_by_raw_scores,
    ),
    Mistake(
        "weights_taken_for_scores",
        ("scaling_experiment",),
        zh="给 softmax_gradient_norm 的是权重，它要的是分数：softmax 于是做了两次。",
        en="softmax_gradient_norm was given weights, and it takes scores: softmax is\ndone twice.",
        when=_either(
            lambda evidence: False,
            _Simulated(gradient=lambda s: _gradient(s.softmax(-1))),
            _Simulated(gradient=lambda s: _gradient(s.softmax(-1)), columns=("", "", "raw_gradient", "")),
        ),
    ),
    Mistake(
        "softmax_over_samples",
        ("scaling_experiment",),
        zh="softmax 沿样本的轴做了：一个查询的键不再分 1 份注意力。\n要沿键的轴，也就是最后一个。",
        en="Softmax runs along the samples: the keys of one query no longer share 1\n"
        "unit.\n"
        "It belongs along the keys, the last axis.",
        when=_Simulated(weights=_over_samples),
    ),
    Mistake(
        "n_keys_ignored",
        ("scaling_experiment",),
        zh="这些是 64 个键的数：n_keys 这个参数没有用到。",
        en="These are the numbers of 64 keys: the argument n_keys is not used.",
        when=lambda evidence: evidence.got["n_keys"] != 64 and _64_KEYS(evidence),
    ),
    Mistake(
        "averaged_too_early",
        ("scaling_experiment",),
        zh="先平均了权重或分数，再求熵：平均之后几乎一样大，熵就偏高。\n先对每个样本求熵，最后平均。",
        en="Weights or scores are averaged first, and entropy is taken of the mean,\n"
        "which is nearly even: too high.\n"
        "Entropy of each sample first, the mean last.",
        when=_averaged_too_early,
    ),
    Mistake(
        "median_for_mean",
        ("scaling_experiment",),
        zh="这是中位数，不是平均：分布是偏的，两者差得不少。",
        en="This is the median, not the mean: the distribution is lopsided, and the\ntwo differ a good deal.",
        when=_Simulated(reduce=lambda values: values.median(-1).values),
    ),
    Mistake(
        "samples_summed",
        ("scaling_experiment",),
        zh="求了和，没有除以样本数：熵不可能大于 ln n_keys。",
        en="This is the sum over the samples, not their mean: entropy can't be larger\nthan ln n_keys.",
        when=_Simulated(reduce=lambda values: values.sum(-1)),
    ),
    Mistake(
        "largest_sample",
        ("scaling_experiment",),
        zh="取了最大的一个样本，不是平均：样本越多，它越极端。",
        en="This is the largest sample, not the mean: the more samples, the more\nextreme it gets.",
        when=_Simulated(reduce=lambda values: values.amax(-1)),
    ),
    Mistake(
        "query_among_its_keys",
        ("scaling_experiment",),
        zh="查询自己也在它的键里：q·q 约是 d_k，比别的分数大得多，注意力都给了它。\n键要另外抽。",
        en="The query is one of its own keys: q·q is about d_k, far above all other\n"
        "scores, and takes the attention.\n"
        "Keys are drawn apart from it.",
        when=_Simulated(draw=_with_itself),
    ),
    Mistake(
        "rounded_means",
        ("scaling_experiment",),
        zh="平均值被取整了。\n显示时取整无妨，返回的要原样。",
        en="The means are rounded.\nRound what is shown, not what is returned.",
        when=_one_decimal,
    ),
    Mistake(
        "list_of_rows",
        ("scaling_experiment",),
        zh="返回的是一行一个字典的列表；要的是一个字典，每个名字下面一个列表，画图时直接可用。",
        en="A list with one dict a row comes back; asked for is one dict with a list\n"
        "under each name, ready to be drawn.",
        faults=("columns_kind",),
        when=lambda evidence: isinstance(evidence.got, list),
    ),
    Mistake(
        "not_averaged",
        ("scaling_experiment",),
        zh="列表里放的是所有样本，还没有取平均。\n每个 d_k 在每个列表里只占一个数。",
        en="The lists hold all samples, not yet their mean.\nEach d_k has one number in each list.",
        faults=("columns_entry",),
        when=_with_lists,
    ),
    Mistake(
        "only_the_last_d_k",
        ("scaling_experiment",),
        zh="只剩最后一个 d_k：每一圈循环都从空的列表重新开始。\n看看列表在循环里面还是外面造的。",
        en="Only the last d_k is left: every turn of the loop begins with empty lists\n"
        "again.\n"
        "Are they made inside the loop or before it?",
        faults=("columns_length",),
        when=_begun_anew,
    ),
    Mistake(
        "dims_without_repeats",
        ("scaling_experiment",),
        zh="重复的 d_k 只算了一次。\ndims 里有几项，列表就有几项，次序也一样。",
        en="A d_k that occurs twice is run once.\nThe lists have as many entries as dims, in the same order.",
        faults=("columns_length",),
        when=lambda evidence: _no_repeats(evidence) and not _lesson_dims(evidence),
    ),
    Mistake(
        "dims_sorted",
        ("scaling_experiment",),
        zh="d_k 被排了序。\n结果要按 dims 给的次序，不然与调用的人手里的对不上。",
        en="The d_k are sorted.\nResults go in the order of dims, or they don't fit what the caller holds.",
        faults=("columns_dims",),
        when=_sorted,
    ),
    Mistake(
        "dims_of_the_example",
        ("scaling_experiment",),
        zh="d_k 是例子里的那几个，不是传进来的：循环里用的不是参数 dims。",
        en="These are the d_k of an example, not those handed in: the loop does not\nrun over the argument dims.",
        faults=("columns_dims", "columns_length"),
        when=_lesson_dims,
    ),
]
