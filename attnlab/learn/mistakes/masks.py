"""Mistakes in hiding the tokens that a query may not see."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.faulty import State, faulty
from attnlab.learn.mistakes.habits import close, line_of

_MASK = ("causal_mask",)
_MODULES = ("causal_attention", "multi_head_attention")
_HIDING = ("masked_softmax", *_MODULES)

Step = Callable[[Tensor, State], Tensor]


def _square(n: int) -> Tensor:
    return torch.ones(n, n, dtype=torch.bool)


def _made_of(change: Callable[[Tensor], Tensor]) -> Callable[[int], Tensor]:
    """Return a twin of `reference.causal_mask` that changes a full square of True."""
    return lambda n: change(_square(n))


def _hidden(state: State) -> Tensor:
    assert state.hidden is not None
    return state.hidden


def _hide(change: Callable[[Tensor], Tensor]) -> Step:
    """Return a step that hides with a changed mask."""
    return lambda s, state: s.masked_fill(change(_hidden(state)), -math.inf)


def _fill(number: float) -> Step:
    return lambda s, state: s.masked_fill(_hidden(state), number)


def _added(number: float) -> Step:
    return lambda s, state: s + number * _hidden(state)


def _nothing(s: Tensor, state: State) -> Tensor:
    return s


def _first_sentence(s: Tensor, state: State) -> Tensor:
    if s.dim() < 3:
        raise ValueError("no batch")
    return torch.cat([_fill(-math.inf)(s[:1], state), s[1:]])


def _renormalised(weights: Tensor, state: State, little: float = 0.0) -> Tensor:
    left = weights.masked_fill(_hidden(state), 0.0)
    return left / (left.sum(-1, keepdim=True) + little)


def _row_by_sentence(s: Tensor, state: State) -> Tensor:
    if s.dim() < 3:
        raise ValueError("no batch")
    return torch.stack([one.masked_fill(row, -math.inf) for one, row in zip(s, _hidden(state)[: len(s)], strict=True)])


def _fits(evidence: Evidence, **replaced: Step) -> bool:
    """Tell whether attention with these steps gives what the learner's code gave, and not what is expected."""
    made = evidence.made
    if made is None:
        return False
    result = faulty(made, replaced)
    result = result if made.index is None else result[made.index]
    if not close(evidence.got, result):
        return False
    got, want, result = (one.detach().double().nan_to_num() for one in (evidence.got, evidence.want, result))
    return bool((result - got).abs().max() <= 0.1 * (got - want).abs().max())


def _finite(evidence: Evidence) -> bool:
    """Tell whether hidden scores took some finite number: a usual one, written before or after the scale."""
    made = evidence.made
    if made is None:
        return False
    if evidence.fault == "not_zero":
        return _small_but_there(evidence.got, made.arguments[1].expand_as(evidence.got))
    for number in (-1.0, -2.0, -5.0, -10.0, -20.0, -50.0, -100.0, -1e3, -1e4):
        if _fits(evidence, hide=_fill(number)) or _fits(evidence, hide=_added(number)):
            return True
        if made.function != "masked_softmax" and _fits(evidence, scale=_fill(number), hide=_scale_late):
            return True
    return False


def _scale_late(s: Tensor, state: State) -> Tensor:
    return s / math.sqrt(state.d_k)


def _small_but_there(weights: Tensor, hidden: Tensor) -> bool:
    """Tell whether the hidden weights of a row are small and alike, and those of another row not the same."""
    weights = weights.detach().double().flatten(0, -2)
    rows = [row[mask] for row, mask in zip(weights, hidden.flatten(0, -2), strict=True) if mask.any()]
    alike = all(bool((row > 0).all() and row.max() <= 1.001 * row.min()) for row in rows)
    firsts = torch.stack([row[0] for row in rows])
    return alike and bool(1.01 * firsts.min() < firsts.max() < 1e-2)


def _renormalised_by_more(evidence: Evidence) -> bool:
    """Tell whether rows were hidden late and divided by their sums and a little more."""

    def weigh(little: float) -> Step:
        return lambda w, state: _renormalised(w, state, little)

    return any(_fits(evidence, hide=_nothing, weigh=weigh(10.0**-digits)) for digits in range(5, 13))


def _too_far_ahead(evidence: Evidence) -> bool:
    """Tell whether every query sees two or more tokens ahead."""

    def cut(ahead: int) -> Step:
        return _hide(lambda hidden: hidden.triu(ahead + 1))

    return any(_fits(evidence, hide=cut(ahead)) for ahead in range(2, 6))


def _axes_flattened(evidence: Evidence) -> bool:
    n = evidence.want.shape[-1]
    shape = tuple(evidence.got.shape)
    return shape == (evidence.want.numel() // n**2, n, n) and shape != tuple(evidence.want.shape)


def _cells_removed(evidence: Evidence) -> bool:
    """Tell whether as many numbers came back as the mask leaves open, in one row for each table of scores."""
    assert evidence.made is not None
    left = int(evidence.made.arguments[1].logical_not().sum())
    return tuple(evidence.got.shape) == (*evidence.want.shape[:-2], left)


def _wrong_size(evidence: Evidence) -> bool:
    """Tell whether the learner's code stopped at a line about the mask because two sizes differ."""
    said = str(evidence.problem or "")
    differ = "must match the size of tensor" in said or "doesn't match the broadcast shape" in said
    return isinstance(evidence.problem, RuntimeError) and differ and "mask" in line_of(evidence)


def _tokens(evidence: Evidence) -> int:
    """Return for how many tokens a mask was asked for."""
    return len(evidence.want) if isinstance(evidence.want, Tensor) else int(evidence.want[-1])


def _shape_of(wanted: Callable[[int], tuple[int, ...]]) -> Callable[[Evidence], bool]:
    """Return a symptom: the mask for n tokens has the shape `wanted(n)`."""
    return lambda evidence: tuple(evidence.got.shape) == wanted(_tokens(evidence))


def _fixed_size(evidence: Evidence) -> bool:
    found, n = tuple(evidence.got.shape), _tokens(evidence)
    return len(found) == 2 and found[0] == found[1] and found[0] not in (n - 1, n, n + 1)


MISTAKES = [
    Mistake(
        "no_mask",
        (*_MASK, *_HIDING),
        zh="结果和完全没有掩码时一样：每个查询都看见了后面的答案。\nmasked_fill 返回的是新张量，看看它有没有被用上。",
        en="This is what comes out without any mask: every query sees the answer\n"
        "ahead.\n"
        "masked_fill returns a new tensor: see whether yours is used.",
        gives={"causal_mask": _made_of(torch.zeros_like)},
        attention={"hide": _nothing},
    ),
    Mistake(
        "mask_inverted",
        (*_MASK, *_HIDING),
        zh="掩码反了：该看的被遮住，该遮的露了出来。\nTrue 在这里表示“不许看”。",
        en="The mask is the wrong way round: what may be seen is hidden, and the rest\n"
        "is open.\n"
        'True means "may not look" here.',
        gives={"causal_mask": _made_of(torch.tril)},
        attention={"hide": _hide(torch.logical_not)},
    ),
    Mistake(
        "mask_hides_diagonal",
        (*_MASK, *_MODULES),
        zh="对角线也被遮住了：词元看不见自己，第 0 行谁也看不见，softmax 给出 nan。\n想一想三角形从哪条对角线开始。",
        en="The diagonal is hidden too: no token sees itself, row 0 sees nobody, and\n"
        "softmax gives nan there.\n"
        "On which diagonal does the triangle begin?",
        gives={"causal_mask": _made_of(torch.triu)},
        attention={"hide": _hide(lambda hidden: hidden | hidden.T.logical_not())},
    ),
    Mistake(
        "mask_leaks_next",
        (*_MASK, *_MODULES),
        zh="每个词元多看见了后面的 1 个，而那正是它要猜的答案。\n想一想三角形从哪条对角线开始。",
        en="Every token sees one token too far: the very one that it has to guess.\n"
        "On which diagonal does the triangle begin?",
        gives={"causal_mask": _made_of(lambda ones: ones.triu(2))},
        attention={"hide": _hide(lambda hidden: hidden.triu(2))},
    ),
    Mistake(
        "mask_transposed",
        (*_MASK, *_HIDING),
        zh="掩码转置了：被遮住的是过去，露出来的是将来。\n行是查询，列是键。",
        en="The mask is transposed: it hides the past and shows the future.\nRows are queries, columns are keys.",
        gives={"causal_mask": _made_of(lambda ones: ones.tril(-1))},
        attention={"hide": _hide(lambda hidden: hidden.T)},
    ),
    Mistake(
        "mask_mirrored",
        _MASK,
        zh="三角形左右翻了过来，转到了另一条对角线上。\n第 0 行应只露出第 0 列，最后一行应全部露出。",
        en="The triangle is mirrored: it lies along the other diagonal.\n"
        "Row 0 should leave column 0 open, the last row every column.",
        gives={"causal_mask": _made_of(lambda ones: ones.triu(1).flip(1))},
    ),
    Mistake(
        "mask_hides_next_only",
        _MASK,
        zh="只遮住了紧挨着的下一个词元，再往后的仍然看得见。\n后面的每一个都不许看。",
        en="Only the very next token is hidden; those further on can still be seen.\n"
        "Everything that comes later has to be hidden.",
        gives={"causal_mask": _made_of(lambda ones: ones.triu(1) & ones.tril(1))},
    ),
    Mistake(
        "mask_hides_others",
        _MASK,
        zh="每个词元只看得见自己：连过去也遮住了，注意力就没有东西可看。\n对角线以下应当露出来。",
        en="Every token sees itself alone: the past is hidden too, and attention has\n"
        "nothing to look at.\n"
        "Below the diagonal the mask should be open.",
        gives={"causal_mask": _made_of(lambda ones: ones ^ torch.eye(len(ones), dtype=torch.bool))},
    ),
    Mistake(
        "mask_hides_last_only",
        _MASK,
        zh="只遮住了最后一个词元：中间的词元仍然看得见各自后面的。\n每一行遮住的个数应逐行减少一个。",
        en="Only the last token is hidden; those in the middle still see ahead.\n"
        "From row to row there should be one hidden key less.",
        gives={"causal_mask": lambda n: (torch.arange(n) == n - 1) & (torch.arange(n)[:, None] < n - 1)},
    ),
    Mistake(
        "mask_hides_everything",
        _MASK,
        zh="处处是 True，谁也看不见谁，softmax 会全是 nan。\n−∞ 和 nan 转成 bool 也是 True，看看有没有这一步。",
        en="It is True everywhere: nobody sees anybody, and softmax will be all nan.\n"
        "−∞ and nan count as True as well: is there such a step?",
        gives={"causal_mask": _square},
    ),
    Mistake(
        "mask_not_bool",
        _MASK,
        zh="位置也许对，类型却不是 bool：masked_fill 和 ~ 要的是真假，不是 0 和 1。\n看看造表时用的类型。",
        en="The places may be right, but the type is not bool: masked_fill and ~ want\n"
        "true or false, not 0 and 1.\n"
        "Look at the type that you build with.",
        faults=("mask_dtype",),
    ),
    Mistake(
        "mask_one_too_small",
        _MASK,
        zh="掩码每边少了 1 格：n 个词元要 n 行 n 列，第 0 个词元和最后一个都在内。",
        en="The mask is one short on each side: n tokens need n rows and n columns,\n"
        "the first token and the last included.",
        faults=("shape",),
        when=_shape_of(lambda n: (n - 1, n - 1)),
    ),
    Mistake(
        "mask_fixed_size",
        _MASK,
        zh="掩码的大小是写死的，不随 n 变：换一句话就对不上。\n看看代码里哪个数本该是 n。",
        en="The mask has a size of its own, whatever n is: it fits no other sentence.\n"
        "Which number in your code should be n?",
        faults=("shape",),
        when=_fixed_size,
    ),
    Mistake(
        "mask_extra_axis",
        _MASK,
        zh="前面多了一个大小为 1 的轴。\n批次和头会自己广播，掩码只需要查询和键两个轴。",
        en="There is an axis of size 1 too many in front.\n"
        "Batch and heads broadcast by themselves; a mask needs queries and keys\n"
        "alone.",
        faults=("shape",),
        when=_shape_of(lambda n: (1, n, n)),
    ),
    Mistake(
        "mask_one_axis",
        _MASK,
        zh="只有一行：所有查询共用了同一个限制。\n每个查询看得见的不同，所以要一行一个查询。",
        en="This is a single row: all queries share one limit.\n"
        "Each query may see something else, so there has to be one row for each.",
        faults=("shape",),
        when=_shape_of(lambda n: (n,)),
    ),
    Mistake(
        "mask_argument_ignored",
        ("masked_softmax",),
        zh="不论传进来什么掩码，遮住的总是后面的词元。\n遮哪里由参数 mask 说了算。",
        en="Whatever mask is handed in, it is the later tokens that get hidden.\nThe argument says what to hide.",
        attention={"hide": lambda s, state: s.masked_fill(_square(s.shape[-1]).triu(1), -math.inf)},
    ),
    Mistake(
        "causal_mask_added",
        ("masked_softmax",),
        zh="除了参数 mask，还把后面的词元也遮住了。\n遮哪里只由参数说了算，它不一定是因果的。",
        en="Besides what the argument hides, the later tokens are hidden too.\n"
        "The argument alone says what to hide, and it need not be causal.",
        attention={"hide": _hide(lambda hidden: hidden | torch.ones_like(hidden).triu(1))},
    ),
    Mistake(
        "upper_part_of_mask",
        ("masked_softmax",),
        zh="只用了掩码对角线以上的部分，其余的 True 不起作用。\n掩码不一定是因果的，处处都要算数。",
        en="Only the part of the mask above the diagonal acts; any other True is lost.\n"
        "A mask need not be causal: all of it counts.",
        attention={"hide": _hide(lambda hidden: hidden.triu(1))},
    ),
    Mistake(
        "hidden_scores_zero",
        _HIDING,
        zh="被遮住的分数成了 0（或接近 0 的数），而 e⁰ = 1：它们照样分走一份注意力。\n哪个数的指数才是 0？",
        en="Hidden scores became 0 or nearly 0, and e⁰ = 1: they take their share of\n"
        "attention all the same.\n"
        "Of which number is the exponential 0?",
        attention={"hide": _fill(0.0)},
    ),
    Mistake(
        "hidden_scores_finite",
        _HIDING,
        zh="填进去的是一个有限的数：指数很小，却不是 0，分数一大就会漏出来。\n哪个数的指数恰好是 0？",
        en="Hidden scores were given a finite number: its exponential is small, not 0,\n"
        "and among low scores it shows.\n"
        "Whose exponential is exactly 0?",
        when=_finite,
    ),
    Mistake(
        "masked_after_softmax",
        _HIDING,
        zh="遮在了 softmax 之后：被遮住的已经算进分母，剩下的加不到 1。\n要在 softmax 之前遮。",
        en="The mask came after softmax: hidden tokens already count in the\n"
        "denominator, and the rest no longer adds up to 1.\n"
        "Hide before softmax.",
        attention={"hide": _nothing, "weigh": _fill(0.0)},
    ),
    Mistake(
        "masked_then_renormalised",
        _HIDING,
        zh="遮得太晚：被遮住的分数先参加了比较，它若很大，看得见的权重就下溢成 0，\n除以和也回不来。",
        en="The mask came too late: hidden scores took part in the comparison, and\n"
        "where one is large the visible weights underflow to 0: no division brings\n"
        "them back.",
        attention={"hide": _nothing, "weigh": _renormalised},
        when=_renormalised_by_more,
    ),
    Mistake(
        "masked_between_two_softmaxes",
        _HIDING,
        zh="做了两次 softmax：第二次拿权重当分数，差别都被抹平了。\n只在遮住之后做一次。",
        en="Softmax ran twice: the second time took weights for scores, and evened\n"
        "them out.\n"
        "Once is enough, after hiding.",
        attention={"hide": _nothing, "weigh": lambda w, state: torch.softmax(_fill(-math.inf)(w, state), dim=-1)},
    ),
    Mistake(
        "minus_infinity_in_weights",
        _HIDING,
        zh="−∞ 写进了权重，不是分数：权重乘上值就成了 ∞ 或 nan。\n−∞ 要在 softmax 之前写。",
        en="−∞ went into the weights, not into the scores; times a value it makes ∞ or\nnan.\nWrite it before softmax.",
        attention={"hide": _nothing, "weigh": _fill(-math.inf)},
    ),
    Mistake(
        "infinity_times_mask",
        _HIDING,
        zh="用无穷大去乘掩码：没遮住的地方是 ∞ × 0，也就是 nan，然后整行都成了 nan。\n只在该遮的地方写 −∞。",
        en="Infinity was multiplied by the mask: where nothing is hidden, ∞ × 0 is\n"
        "nan, and the whole row with it.\n"
        "Write −∞ only where the mask says so.",
        attention={"hide": lambda s, state: s - math.inf * _hidden(state)},
    ),
    Mistake(
        "first_sentence_masked",
        _HIDING,
        zh="只有批次里的第一句被遮住，其余各句看见了全部。\n掩码会对前面的轴广播，不用挑哪一句。",
        en="Only the first sentence of the batch is masked; the others see everything.\n"
        "A mask broadcasts over the axes in front, there is no need to pick one.",
        attention={"hide": _first_sentence},
    ),
    Mistake(
        "mask_row_by_sentence",
        ("masked_softmax",),
        zh="循环走的是第一个轴：有批次时那是句子，不是查询，每一句只用上了掩码的一行。\n整张表一次遮住即可。",
        en="Your loop runs along the first axis: with a batch that is sentences, not\n"
        "queries, and each gets a single row of the mask.\n"
        "Hide on the whole table at once.",
        attention={"hide": _row_by_sentence},
    ),
    Mistake(
        "batch_axes_flattened",
        ("masked_softmax",),
        zh="前面的轴被压成了一个，出来的形状和进去的不同。\n掩码会对前面所有的轴广播，不用先压平。",
        en="The axes in front were flattened into one: the shape is not what went in.\n"
        "A mask broadcasts over all of them as they are.",
        faults=("shape",),
        when=_axes_flattened,
    ),
    Mistake(
        "hidden_entries_removed",
        ("masked_softmax",),
        zh="被遮住的格子被取走了，剩下的排成一长串，不再知道谁属于哪一行。\n格子要留着，让它的权重成为 0。",
        en="Hidden cells were taken out, and the rest stands in one long row: which\n"
        "cell belongs to which query is lost.\n"
        "Keep the cells, with weight 0.",
        faults=("shape",),
        when=_cells_removed,
    ),
    Mistake(
        "scores_scaled_again",
        ("masked_softmax",),
        zh="分数在这里又缩放了一次：缩放是造分数时的事，这个函数收到的分数就是要用的。",
        en="The scores were scaled here as well: that is done where they are made, and\n"
        "this function takes them as they are.",
        gives={
            "masked_softmax": lambda s, hidden: torch.softmax(
                (s.double() / math.sqrt(s.shape[-1])).masked_fill(hidden, -math.inf), dim=-1
            )
        },
    ),
    Mistake(
        "mask_cut_wrong_corner",
        _MODULES,
        zh="句子短于 context_length 时，掩码不是从左上角切的：每个词元都看到了太远的后面。",
        en="For a sentence shorter than context_length the mask is not cut from the\n"
        "upper left corner: every token sees too far ahead.",
        when=_too_far_ahead,
    ),
    Mistake(
        "mask_size_differs",
        _MODULES,
        zh="掩码的大小与这一句的长度不符：句子可以短于 context_length，也可以每次不同。\n两个轴都要切到 n。",
        en="The mask is not the size of this sentence, which may be shorter than\n"
        "context_length, and another one at every call.\n"
        "Both its axes have to be cut to n.",
        when=_wrong_size,
    ),
]
