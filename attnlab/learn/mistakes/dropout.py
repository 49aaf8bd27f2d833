"""Mistakes in dropping weights while a model is trained.

The symptoms look at what `check.dropped_weights` leaves: `got`, the weights of every draw (draws, ..., n, n), and
`want`, the weights without dropout, made from the contexts and the values with probability `p`.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.habits import close

_MODULES = ("causal_attention", "multi_head_attention")
_NEAR = 1e-3


def _p(evidence: Evidence) -> float:
    assert evidence.made is not None
    return float(evidence.made.options["p"])


def _zero_or(found: Tensor, wanted: Tensor) -> bool:
    """Tell whether every number is 0 or the wanted one, with some of each."""
    zero, kept = found.abs() < _NEAR, (found - wanted).abs() < _NEAR
    return bool((zero | kept).all() and (zero & ~kept).any() and (kept & ~zero).any())


def _kept_as(factor: Callable[[float], float]) -> Callable[[Evidence], bool]:
    """Return a symptom: the weights that are left stand at `factor(p)` times what they were."""
    return lambda evidence: _zero_or(evidence.got, evidence.want * factor(_p(evidence)))


def _on_context(evidence: Evidence) -> bool:
    assert evidence.made is not None
    contexts, values = evidence.made.arguments
    return _zero_or(contexts, evidence.want @ values / (1 - _p(evidence)))


def _on_values(evidence: Evidence) -> bool:
    # The first token sees itself alone: its context is its value vector, single features of which are gone.
    assert evidence.made is not None
    contexts, values = evidence.made.arguments
    first = _zero_or(contexts[..., 0, :], values[..., 0, :] / (1 - _p(evidence)))
    return first and not _on_context(evidence)


def _sum_to_one(weights: Tensor) -> bool:
    sums = weights.sum(-1)
    return close(sums, torch.ones_like(sums))


def _varies(evidence: Evidence) -> bool:
    return not close(evidence.got, evidence.got[:1].expand_as(evidence.got))


def _on_scores(evidence: Evidence) -> bool:
    # No weight that could be seen is ever 0, and rows add up to 1.
    seen = evidence.want > _NEAR
    return _varies(evidence) and _sum_to_one(evidence.got) and bool((evidence.got[:, seen] > 1e-6).all())


def _always_the_same(evidence: Evidence) -> bool:
    changed = (evidence.got[0] - evidence.want).abs() > _NEAR
    return bool(changed.any()) and not _varies(evidence) and not _sum_to_one(evidence.got)


def _switched(evidence: Evidence) -> bool:
    """Tell whether the weights are whole in training, and in evaluation are not."""
    return not _varies(evidence) and _sum_to_one(evidence.got) and not _sum_to_one(evidence.want)


def _in_evaluation(evidence: Evidence) -> bool:
    """Tell whether two calls in evaluation differ as dropout makes them: the first token's is gone in some."""
    if evidence.made is not None or evidence.got.shape != evidence.want.shape or evidence.got.dim() != 3:
        return False
    one, two = evidence.got[:, 0].detach(), evidence.want[:, 0].detach()
    gone = [bool((t == 0).all()) for pair in zip(one, two, strict=True) for t in pair]
    alike = [close(a, b) or bool((a == 0).all() or (b == 0).all()) for a, b in zip(one, two, strict=True)]
    return all(alike) and any(gone)


def _shrunk(evidence: Evidence) -> bool:
    """Tell whether the output in evaluation is the right one times one number below 1."""
    if evidence.made is None or evidence.got.shape != evidence.want.shape:
        return False
    got, want = evidence.got.detach().double(), evidence.want.detach().double()
    ratio = float((got * want).sum() / (want * want).sum())
    return 0.05 < ratio < 0.97 and close(got, want * ratio)


def _unasked(evidence: Evidence) -> bool:
    """Tell whether, with no dropout asked for, the first token is gone or larger by one factor above 1."""
    if evidence.claim != "evaluation" or evidence.made is None or evidence.got.shape != evidence.want.shape:
        return False
    got, want = evidence.got[:, 0].detach().double(), evidence.want[:, 0].detach().double()
    ratios = [float((a * b).sum() / (b * b).sum()) for a, b in zip(got, want, strict=True)]
    factors = [ratio for ratio in ratios if ratio]
    fits = all(close(a, b * ratio) for a, b, ratio in zip(got, want, ratios, strict=True))
    return fits and (not factors or (min(factors) > 1.01 and max(factors) < 1.001 * min(factors)))


MISTAKES = [
    Mistake(
        "dropout_forgotten",
        _MODULES,
        zh="训练时什么也没丢：丢弃没有用上，或者 forward 里用的是丢弃之前的权重。\n新建了 Dropout 还要调用它。",
        en="Nothing is dropped in training: dropout is not called, or forward goes on\n"
        "with the weights from before it.\n"
        "Making a Dropout is not yet using it.",
        faults=("dropout_none",),
    ),
    Mistake(
        "dropout_on_scores",
        _MODULES,
        zh="丢弃作用在了分数上：分数为 0 时 e⁰ = 1，它照样分走一份，没有一个权重真的消失。\n丢弃要在 softmax 之后。",
        en="Dropout acted on the scores: with a score of 0, e⁰ = 1 takes its share,\n"
        "and no weight really goes away.\n"
        "It belongs after softmax.",
        faults=("dropout_renormalised",),
        when=_on_scores,
    ),
    Mistake(
        "dropout_renormalised",
        _MODULES,
        zh="丢弃之后又归一化了：留下的权重分走了丢掉的那一份，而不是除以 1 − p。\n丢弃之后什么都不用再做。",
        en="Rows were normalised after dropout: what is left takes the share of what\n"
        "is gone, in place of the division by 1 − p.\n"
        "After dropout, leave the weights alone.",
        faults=("dropout_renormalised",),
        when=lambda evidence: _varies(evidence) and not _on_scores(evidence),
    ),
    Mistake(
        "dropout_on_context",
        _MODULES,
        zh="丢弃作用在了上下文向量上：消失的是单个特征，而不是对某个词元的注意力。\n它应紧跟在 softmax 后面。",
        en="Dropout acted on the context vectors: single features are gone, not the\n"
        "attention to a token.\n"
        "It should come right after softmax.",
        faults=("dropout_elsewhere",),
        when=_on_context,
    ),
    Mistake(
        "dropout_on_values",
        _MODULES,
        zh="丢弃作用在了值向量上：消失的是单个特征，所有查询同时受影响。\n要丢的是权重。",
        en="Dropout acted on the values: single features are gone, for all queries at\n"
        "once.\n"
        "It is the weights that should be dropped.",
        faults=("dropout_elsewhere",),
        when=_on_values,
    ),
    Mistake(
        "dropout_always_on",
        _MODULES,
        zh="评估时也在丢弃：同一句话每次结果都不同。\n丢弃要知道模块此刻在 train() 还是 eval()；子模块会自己知道。",
        en="Dropout goes on in evaluation: one sentence comes out differently each\n"
        "time.\n"
        "It has to know whether the module is in train() or eval(); a submodule\n"
        "does.",
        when=_in_evaluation,
    ),
    Mistake(
        "dropout_switch_inverted",
        _MODULES,
        zh="训练时不丢，评估时反而丢：开关反了。\n丢弃是训练时的练习，评估时要用上全部。",
        en="Nothing is dropped in training, and something in evaluation: the switch is\n"
        "the wrong way round.\n"
        "Dropout is an exercise for training alone.",
        faults=("dropout_value", "dropout_rate", "dropout_unscaled", "dropout_renormalised", "dropout_none"),
        when=_switched,
    ),
    Mistake(
        "dropout_not_rescaled",
        _MODULES,
        zh="留下的权重没有除以 1 − p：训练时的上下文平均变小了，评估时又变回来，模型没有学过那样的大小。",
        en="What is left was not divided by 1 − p: in training the context shrinks on\n"
        "average, and in evaluation it has a size that the model never learned.",
        faults=("dropout_unscaled",),
    ),
    Mistake(
        "rescaled_in_evaluation",
        _MODULES,
        zh="评估时的输出整体缩小了：这里的约定是训练时除以 1 − p，评估时什么也不乘。",
        en="The whole output is smaller in evaluation: the rule here is to divide by\n"
        "1 − p in training, and to multiply by nothing in evaluation.",
        when=lambda evidence: evidence.claim in ("evaluation", "dropout") and _shrunk(evidence),
    ),
    Mistake(
        "dropout_twice",
        _MODULES,
        zh="丢弃做了两次：留下的权重被 1 − p 除了两遍，消失的也太多。",
        en="Dropout ran twice: what is left was divided by 1 − p two times, and too\nmuch is gone.",
        faults=("dropout_value",),
        when=_kept_as(lambda p: (1 - p) ** -2),
    ),
    Mistake(
        "p_as_part_to_keep",
        _MODULES,
        zh="把 p 当成了保留的比例：留下的除以了 p，丢掉的占 1 − p。\n这里的 p 是丢掉的概率。",
        en="p was taken for the part to keep: what is left was divided by p, and 1 − p\n"
        "of the weights are gone.\n"
        "Here p is the part that goes.",
        faults=("dropout_value",),
        when=lambda evidence: _p(evidence) != 0.5 and _kept_as(lambda p: 1 / p)(evidence),
    ),
    Mistake(
        "dropout_p_fixed",
        _MODULES,
        zh="丢弃的概率是写死的 0.5，不是参数 dropout 给的那个数。",
        en="The probability of dropout is fixed at 0.5, whatever the argument dropout\nsays.",
        faults=("dropout_value",),
        when=lambda evidence: _p(evidence) != 0.5 and _kept_as(lambda p: 2.0)(evidence),
    ),
    Mistake(
        "dropout_by_default",
        _MODULES,
        zh="没有给 dropout 时也在丢弃：默认值应是 0，要丢多少由用的人说。",
        en="Something is dropped although no dropout was asked for: by default it\n"
        "should be 0, and the caller says how much.",
        when=_unasked,
    ),
    Mistake(
        "dropout_pattern_fixed",
        _MODULES,
        zh="每次丢的都是同样几个权重：丢弃的图样只抽了一次，留在了模块里。\n每次调用都应重新抽。",
        en="The same weights are dropped every time: the pattern was drawn once and\n"
        "kept in the module.\n"
        "Every call should draw anew.",
        faults=("dropout_value", "dropout_rate", "dropout_unscaled"),
        when=_always_the_same,
    ),
    Mistake(
        "dropout_not_independent",
        _MODULES,
        zh="有些权重总是同生同灭：丢弃的图样少了一个轴（批次、查询或键），靠广播补上。\n每个权重都应自己抽一次。",
        en="Some weights always go together: the pattern lacks an axis (batch, queries\n"
        "or keys), and broadcasting fills it in.\n"
        "Every weight should have a draw of its own.",
        faults=("dropout_together",),
    ),
]
