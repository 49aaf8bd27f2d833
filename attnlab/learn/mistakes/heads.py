"""Mistakes in cutting features into heads, joining them again, and in the class with several heads."""

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import layer_norm

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.faulty import State, merge, output, split

_SPLIT, _MERGE, _CLASS = ("split_heads",), ("merge_heads",), ("multi_head_attention",)


def _split(x: Tensor, n_heads: int) -> Tensor:
    return split(x, State(n_heads=n_heads))


def _merge(x: Tensor) -> Tensor:
    return merge(x, State())


def _view_in(x: Tensor, n_heads: int) -> Tensor:
    b, n, d = x.shape
    return x.reshape(b, n_heads, n, d // n_heads)


def _view_out(x: Tensor) -> Tensor:
    b, h, n, e = x.shape
    return x.reshape(b, n, h * e)


def _interleaved_in(x: Tensor, n_heads: int) -> Tensor:
    return x.unflatten(-1, (-1, n_heads)).permute(0, 3, 1, 2)


def _interleaved_out(x: Tensor) -> Tensor:
    return x.permute(0, 2, 3, 1).flatten(2)


def _not_moved(x: Tensor, n_heads: int) -> Tensor:
    return x.unflatten(-1, (n_heads, -1))


def _first_for_all(x: Tensor, n_heads: int) -> Tensor:
    return _split(x, n_heads)[:, :1].expand(-1, n_heads, -1, -1)


def _repeated(x: Tensor, n_heads: int) -> Tensor:
    return x.repeat(1, 1, n_heads)


def _mean_of_slices(x: Tensor, n_heads: int) -> Tensor:
    return _split(x, n_heads).mean(1, keepdim=True).expand(-1, n_heads, -1, -1)


def _whole(t: Tensor, state: State) -> Tensor:
    return t.unsqueeze(-3)


def _by_state(twin: Callable[[Tensor, int], Tensor]) -> Callable[[Tensor, State], Tensor]:
    """Turn a mistaken split into a step of attention."""

    def step(t: Tensor, state: State) -> Tensor:
        assert state.n_heads is not None
        return twin(t, state.n_heads)

    return step


def _joined(twin: Callable[[Tensor], Tensor]) -> Callable[[Tensor, State], Tensor]:
    """Turn a mistaken merge into a step of attention."""
    return lambda context, state: twin(context)


def _scaled_for_a_head(scores: Tensor, state: State) -> Tensor:
    assert state.n_heads is not None
    return scores / math.sqrt(state.d_k / state.n_heads)


def _first_scores(state: State) -> Tensor:
    assert state.queries is not None
    assert state.keys is not None
    return (state.queries[:, :1] @ state.keys[:, :1].transpose(-2, -1)).expand(-1, state.queries.shape[1], -1, -1)


def _exp_in_single(scores: Tensor, state: State) -> Tensor:
    powers = scores.float().exp()
    return (powers / powers.sum(-1, keepdim=True)).double()


def _hidden_in_first_head(scores: Tensor, state: State) -> Tensor:
    assert state.hidden is not None
    first = scores[:, :1].masked_fill(state.hidden, -math.inf)
    return torch.cat([first, scores[:, 1:]], dim=1)


def _with_residual(merged: Tensor, state: State) -> Tensor:
    made = output(merged, state)
    return made + state.x if state.x is not None and made.shape == state.x.shape else made


def _output_twice(merged: Tensor, state: State) -> Tensor:
    return output(output(merged, state), state)


def _output_transposed(merged: Tensor, state: State) -> Tensor:
    return merged @ state.weights["out_proj"] + state.weights["bias"]


def _close(one: Tensor, other: Any) -> bool:
    return (
        isinstance(other, Tensor)
        and one.shape == other.shape
        and torch.allclose(one.detach().double(), other.detach().double(), rtol=1e-4, atol=1e-5)
    )


def _gives(function: str, *twins: Callable[..., Tensor]) -> Callable[[Evidence], bool]:
    """Recognise further ways in which one mistake shows, other than by its `gives`."""

    def gives(evidence: Evidence) -> bool:
        made = evidence.made
        return (
            made is not None
            and made.function == function
            and any(_close(twin(*made.arguments), evidence.got) for twin in twins)
        )

    return gives


def _contiguous_assumed(evidence: Evidence) -> bool:
    """Tell whether the result is right for the numbers as they lie in memory, though not for the tensor."""
    made = evidence.made
    assert made is not None
    right: Callable[..., Tensor] = _split if made.function == "split_heads" else _merge
    x, *others = made.arguments
    for first, second in itertools.combinations(range(x.dim()), 2):
        in_memory = x.transpose(first, second).contiguous().reshape(x.shape)
        if _close(right(in_memory, *others), evidence.got):
            return True
    return False


def _says(kind: type[BaseException], *words: str) -> Callable[[Evidence], bool]:
    return lambda evidence: isinstance(evidence.problem, kind) and all(word in str(evidence.problem) for word in words)


def _whole_asked_for(evidence: Evidence) -> bool:
    """Tell whether a reshape to (b, n, heads, d) failed where (b, n, heads, d / heads) would have done."""
    found = re.search(r"shape '\[([\d, ]+)\]' is invalid for input of size (\d+)", str(evidence.problem or ""))
    if not found:
        return False
    b, n, heads, last = map(int, found[1].split(", "))
    return heads > 1 and b * n * last == int(found[2])


def _missing(evidence: Evidence) -> list[str]:
    return [name for name in evidence.want if name not in evidence.got]


def _no_output_layer(evidence: Evidence) -> bool:
    if evidence.fault == "not_linear":
        return bool(evidence.want["bias"] and evidence.got["kind"] == "NoneType")
    return _missing(evidence) == ["out_proj.weight", "out_proj.bias"] and len(evidence.got) == 3


def _no_output_bias(evidence: Evidence) -> bool:
    return evidence.fault == "bias_missing" or _missing(evidence) == ["out_proj.bias"]


def _output_of_one_head(evidence: Evidence) -> bool:
    if evidence.fault == "linear_sizes":
        d_out, rows, columns = evidence.want["in_features"], evidence.got["in_features"], evidence.got["out_features"]
        return bool(evidence.want["bias"] and rows == columns < d_out and d_out % rows == 0)
    name = "out_proj.weight"
    (d_out, _), (rows, columns) = evidence.want[name], evidence.got[name]
    return bool(rows == columns < d_out and d_out % rows == 0)


def _layers_unseen(evidence: Evidence) -> bool:
    return set(evidence.got) == {"out_proj.weight", "out_proj.bias"}


def _other_names(evidence: Evidence) -> bool:
    missing = sorted(evidence.want[name] for name in _missing(evidence))
    others = sorted(shape for name, shape in evidence.got.items() if name not in evidence.want)
    return bool(missing) and missing == others


def _ready_made(evidence: Evidence) -> bool:
    return any("in_proj" in name or "q_proj_weight" in name for name in evidence.got)


def _layer_too_many(evidence: Evidence) -> bool:
    others = set(evidence.got) - set(evidence.want)
    return all("." in name and "mask" not in name for name in others)


def _refused(evidence: Evidence) -> bool:
    if evidence.fault == "refused_right":
        return evidence.got in ("AssertionError", "ValueError")
    return evidence.claim == "parameters" and isinstance(evidence.problem, AssertionError | ValueError)


def _heads_for_dropout(evidence: Evidence) -> bool:
    return evidence.got == "ZeroDivisionError" or isinstance(evidence.problem, ZeroDivisionError)


def _station(place: int, *shape: int) -> Callable[[Evidence], bool]:
    """Recognise a list of shapes by one of them."""
    return lambda evidence: len(evidence.got) == 8 and tuple(evidence.got[place]) == shape


def _some(*kinds: type) -> Callable[[Evidence], bool]:
    return lambda evidence: all(isinstance(shape, kinds) for shape in evidence.got)


_TRACE = ("shape_trace",)

MISTAKES = [
    Mistake(
        "view_without_transpose_in",
        (*_SPLIT, *_CLASS),
        zh="切开时只用 view 重排，没有交换轴：形状对，一个头里却混进了几个词元的数。\n"
        "先只切最后一个轴，再让头和词元换位置。",
        en="The split is a view alone, no axes change places: the shape is right, but\n"
        "a head's row mixes up tokens.\n"
        "Cut the last axis first, then swap heads and tokens.",
        gives={"split_heads": _view_in},
        attention={"split": _by_state(_view_in)},
    ),
    Mistake(
        "view_without_transpose_out",
        (*_MERGE, *_CLASS),
        zh="合并时没有先让头和词元换回来：形状对，一行里却接着几个词元的数。\n先换轴，再接最后两个轴。",
        en="The heads are joined before heads and tokens change back: the shape is\n"
        "right, but a row strings together several tokens.\n"
        "Swap first, then join.",
        gives={"merge_heads": _view_out},
        attention={"merge": _joined(_view_out)},
    ),
    Mistake(
        "view_without_transpose_both_ways",
        _CLASS,
        zh="切开与合并都没有交换轴：来回一趟互相抵消，头里却混着几个词元，因果掩码挡错了人。\n看进出的两步。",
        en="No axes change places, neither in nor out: the round trip hides it, but a\n"
        "head mixes tokens and the mask hides the wrong ones.\n"
        "Look at both steps.",
        attention={"split": _by_state(_view_in), "merge": _joined(_view_out)},
    ),
    Mistake(
        "heads_interleaved_in",
        (*_SPLIT, *_CLASS),
        zh="切开时把“头”和“头内特征”的次序弄反了：相邻的特征分给了不同的头。\n每个头要的是连着的一段。",
        en="The split takes (features, heads) for (heads, features): neighbouring\n"
        "features go to different heads.\n"
        "A head should get a slice in one piece.",
        gives={"split_heads": _interleaved_in},
        attention={"split": _by_state(_interleaved_in)},
    ),
    Mistake(
        "heads_interleaved_out",
        (*_MERGE, *_CLASS),
        zh="合并时各头的特征交错排列了：先是每个头的第 0 个，再是第 1 个。\n看合并前最后两个轴的次序：头应在特征之前。",
        en="The merge interleaves the heads: feature 0 of each, then feature 1.\n"
        "Look at the last two axes before they are joined: heads come before\n"
        "features.",
        gives={"merge_heads": _interleaved_out},
        attention={"merge": _joined(_interleaved_out)},
    ),
    Mistake(
        "heads_interleaved_both_ways",
        _CLASS,
        zh="切开与合并都把“头”和“头内特征”的次序弄反了：相邻的特征去了不同的头。\n来回一趟看不出，装入别人的权重就不对。",
        en="In and out, (features, heads) stands for (heads, features): neighbours go\n"
        "to different heads.\n"
        "The round trip hides it; weights from elsewhere show it.",
        attention={"split": _by_state(_interleaved_in), "merge": _joined(_interleaved_out)},
    ),
    Mistake(
        "heads_behind_tokens",
        (*_SPLIT, *_CLASS),
        zh="头还排在词元后面：接下去的注意力会在同一个词元的各个头之间进行。\n最后两个轴应是“词元、特征”。",
        en="The heads still stand behind the tokens: attention then runs among the\n"
        "heads of one token.\n"
        "The last two axes should be tokens and features.",
        gives={"split_heads": _not_moved},
        attention={
            "split": _by_state(_not_moved),
            "hide": lambda scores, state: scores,
            "merge": lambda context, state: context.flatten(-2),
        },
    ),
    Mistake(
        "heads_not_joined",
        _MERGE,
        zh="头和词元换好了位置，但最后两个轴还没有接起来。\n下一层要的是每个词元一个长向量。",
        en="Heads and tokens have changed places, but the last axes are not joined.\n"
        "The next layer wants one long vector for each token.",
        gives={"merge_heads": lambda x: x.transpose(1, 2)},
    ),
    Mistake(
        "heads_in_reverse",
        (*_SPLIT, *_MERGE, *_CLASS),
        zh="头的次序反了：最后一段特征成了头 0。\n第 h 个头对应第 h 段，合并时也从头 0 排起。",
        en="The heads are in reverse: the last slice has become head 0.\n"
        "Head h belongs to slice h, and merging starts with head 0.",
        gives={
            "split_heads": lambda x, n_heads: _split(x, n_heads).flip(1),
            "merge_heads": lambda x: _merge(x.flip(1)),
        },
        attention={"merge": _joined(lambda x: _merge(x.flip(1)))},
    ),
    Mistake(
        "one_head_for_all",
        (*_SPLIT, *_MERGE, *_CLASS),
        zh="每个头都是头 0 的副本，其余的特征没有用上：几个头就不能看不同的地方。\n看切片的起点有没有随头移动。",
        en="Every head is a copy of head 0, and the other features are unused: heads\n"
        "cannot look at different places.\n"
        "Does the slice move on with the head?",
        gives={"split_heads": _first_for_all, "merge_heads": lambda x: _repeated(x[:, 0], x.shape[1])},
        attention={"split": _by_state(_first_for_all)},
    ),
    Mistake(
        "every_head_the_whole",
        (*_SPLIT, *_CLASS),
        zh="每个头拿到了全部 d 个特征，而不是一段。\n各头合起来才是 d 个：一个头的大小是 d 除以头数。",
        en="Every head gets all d features instead of a slice.\n"
        "Together the heads have d: the size of one is d divided by their number.",
        gives={"split_heads": lambda x, n_heads: x.unsqueeze(1).expand(-1, n_heads, -1, -1)},
        when=_whole_asked_for,
    ),
    Mistake(
        "mean_over_heads",
        (*_SPLIT, *_MERGE, *_CLASS),
        zh="各头的数被平均了：两处看到的内容混在一起，再也分不开。\n头是并排放着的，不相加也不平均。",
        en="The heads are averaged: what two of them saw is blended for good.\n"
        "Heads are put side by side, neither added nor averaged.",
        gives={"split_heads": _mean_of_slices, "merge_heads": lambda x: x.mean(1)},
        attention={"merge": lambda x, state: _repeated(x.mean(1), x.shape[1])},
        when=_gives("merge_heads", lambda x: _repeated(x.mean(1), x.shape[1])),
    ),
    Mistake(
        "sum_over_heads",
        (*_MERGE, *_CLASS),
        zh="各头的数被加在了一起：两处看到的内容混成一个数，再也分不开。\n头是并排放着的，不相加。",
        en="The heads are added up: what two of them saw becomes one number for good.\n"
        "Heads are put side by side, not added.",
        gives={"merge_heads": lambda x: x.sum(1)},
        attention={"merge": lambda x, state: _repeated(x.sum(1), x.shape[1])},
        when=_gives("merge_heads", lambda x: _repeated(x.sum(1), x.shape[1])),
    ),
    Mistake(
        "weights_averaged_over_heads",
        _CLASS,
        zh="各头的注意力权重被平均成了一张图：所有的头又都看同样的地方。\n每个头用自己的权重。",
        en="The heads' attention weights are averaged into one map: all heads look at\n"
        "the same places again.\n"
        "Each head uses its own weights.",
        attention={"weigh": lambda weights, state: weights.mean(-3, keepdim=True)},
    ),
    Mistake(
        "first_scores_for_all",
        _CLASS,
        zh="所有的头都用了头 0 的查询和键：权重只有一张图，只有值各不相同。\n每个头要有自己的分数。",
        en="All heads use the queries and keys of head 0: one map of weights, and only\n"
        "the values differ.\n"
        "Each head needs scores of its own.",
        attention={"score": _first_scores},
    ),
    Mistake(
        "two_heads_always",
        (*_SPLIT, *_MERGE, *_CLASS),
        zh="不管有几个头，代码总当作 2 个。\n看哪里写死了 2：头数要从参数或输入的形状里来。",
        en="Whatever the number of heads, the code takes it for 2.\n"
        "Look for a fixed 2: the number comes from the argument or\n"
        "the input's shape.",
        gives={
            "split_heads": lambda x, n_heads: torch.stack(x.chunk(2, dim=-1), dim=1),
            "merge_heads": lambda x: torch.cat([x[:, 0], x[:, 1]], dim=-1),
        },
        attention={"split": lambda t, state: _split(t, 2)},
    ),
    Mistake(
        "one_head_only",
        _CLASS,
        zh="结果与只有 1 个头时一模一样：n_heads 没有起作用。\n看它在哪里用到，也看它的默认值。",
        en="The result is that of a single head: n_heads makes no difference.\n"
        "Look where it is used, and at its default.",
        attention={"split": _whole, "merge": lambda context, state: context.squeeze(-3)},
    ),
    Mistake(
        "not_split",
        _CLASS,
        zh="缩放用了一个头的大小，特征却没有切开：所有的特征一起算出同一张权重图。\n看投影之后少了哪一步。",
        en="The scale is that of one head, but the features are never cut: all of them\n"
        "share one map of weights.\n"
        "Which step is missing after the projections?",
        attention={
            "split": _whole,
            "scale": _scaled_for_a_head,
            "merge": lambda context, state: context.squeeze(-3),
        },
    ),
    Mistake(
        "heads_before_batch",
        _SPLIT,
        zh="头排到了批次前面：下一步会把头当作批次。\n批次总是第 0 个轴，头紧跟在它后面。",
        en="The heads stand before the batch: the next step takes heads for sentences.\n"
        "The batch stays axis 0, the heads come right after it.",
        gives={"split_heads": lambda x, n_heads: _split(x, n_heads).transpose(0, 1)},
    ),
    Mistake(
        "tokens_before_batch",
        _MERGE,
        zh="词元排到了批次前面。\n结果应先是批次，再是词元：看交换的是哪两个轴。",
        en="The tokens stand before the batch.\nBatch comes first, then tokens: look which axes change places.",
        gives={"merge_heads": lambda x: x.permute(2, 0, 1, 3).flatten(2)},
    ),
    Mistake(
        "batch_and_heads_joined",
        (*_SPLIT, *_MERGE),
        zh="批次和头并成了一个轴。\n这里要把它们分开：批次是第 0 个轴，一句话的各个头留在这句话里。",
        en="Batch and heads are joined into one axis.\n"
        "Keep them apart: the batch is axis 0, and a sentence's heads stay in it.",
        gives={
            "split_heads": lambda x, n_heads: _split(x, n_heads).flatten(0, 1),
            "merge_heads": lambda x: x.flatten(0, 1),
        },
    ),
    Mistake(
        "tokens_and_features_swapped",
        (*_SPLIT, *_MERGE),
        zh="交换的是词元轴和特征轴，不是头轴和词元轴。\n把每个轴的名字写在旁边，再看换的是第几个。",
        en="Tokens and features change places, not heads and tokens.\n"
        "Write each axis's name beside it, and see which two are swapped.",
        gives={
            "split_heads": lambda x, n_heads: _split(x, n_heads).transpose(2, 3),
            "merge_heads": lambda x: x.transpose(2, 3).reshape(len(x), x.shape[2], -1),
        },
    ),
    Mistake(
        "joined_along_tokens",
        _MERGE,
        zh="各头接在了词元轴上：句子变长了，而不是特征变多。\n头 1 的特征应排在同一个词元的头 0 之后。",
        en="The heads are joined along the tokens: the sentence gets longer, not the\n"
        "feature axis.\n"
        "Head 1's features follow head 0's of the same token.",
        gives={"merge_heads": lambda x: torch.cat(x.unbind(1), dim=1)},
    ),
    Mistake(
        "head_dim_a_float",
        (*_SPLIT, *_CLASS),
        zh="一个头的大小成了小数：/ 总是得到 float，形状里只能有整数。\n要用整除。",
        en="The size of a head is a float: / always gives one, and shapes hold whole\n"
        "numbers only.\n"
        "Use whole-number division.",
        when=_says(TypeError, "float"),
    ),
    Mistake(
        "view_of_non_contiguous",
        (*_MERGE, *_CLASS),
        zh="transpose 不搬动内存，之后的张量不连续，view 不肯在它上面合并轴。\n4.2 节的错误信息就是这一条。",
        en="transpose moves nothing in memory, so the tensor is non-contiguous, and\n"
        "view refuses to join its axes.\n"
        "Section 4.2 shows this very error.",
        when=_says(RuntimeError, "view size is not compatible"),
    ),
    Mistake(
        "contiguous_assumed",
        (*_SPLIT, *_MERGE),
        zh="这样读的是内存里的次序，只有连续的张量才碰巧对。\n输入可能刚经过 transpose：按轴来取，不按内存取。",
        en="This reads the numbers as they lie in memory, right only for contiguous\n"
        "tensors.\n"
        "The input may be transposed: go by axes, not memory.",
        when=_contiguous_assumed,
    ),
    Mistake(
        "softmax_over_heads",
        _CLASS,
        zh="softmax 沿着头轴做了：和为 1 的是各个头，不是一个查询看的各个键。\n头之间不分享注意力。",
        en="That is softmax along the heads: it is they that add up to 1, not the keys\n"
        "that a query looks at.\n"
        "Heads share nothing out among them.",
        attention={"normalise": lambda scores, state: torch.softmax(scores, dim=-3)},
    ),
    Mistake(
        "exp_overflows",
        _CLASS,
        zh="分数很大时 exp 溢出成 ∞，∞ 除以 ∞ 就是 nan。\nsoftmax 之前每行先减去一个数，权重不变：想一想减去哪个。",
        en="For large scores exp overflows to ∞, and ∞ over ∞ is nan.\n"
        "Taking one number off a whole row leaves its weights alone: which one?",
        attention={"normalise": _exp_in_single},
    ),
    Mistake(
        "hidden_scores_plus_infinity",
        _CLASS,
        zh="被遮住的分数成了 +∞：它们拿走全部注意力，∞ 除以 ∞ 又是 nan。\n看看填进去的数的符号。",
        en="Hidden scores became +∞: they take all attention, and ∞ over ∞ is nan.\n"
        "Look at the sign of what is filled in.",
        attention={"hide": lambda scores, state: scores.masked_fill(state.hidden, math.inf)},
    ),
    Mistake(
        "mask_on_first_head",
        _CLASS,
        zh="因果掩码只用在了头 0 上，其余的头看得到未来。\n掩码会沿前面的轴自动扩展，不必逐个头来。",
        en="The causal mask is on head 0 alone; the other heads see the future.\n"
        "A mask spreads over the axes in front by itself.",
        attention={"hide": _hidden_in_first_head},
    ),
    Mistake(
        "no_output_projection",
        _CLASS,
        zh="没有输出投影：各头的结果只是并排放着，谁也影响不了别的特征。\n合并之后还差一步。",
        en="The output projection is missing: the heads' results lie side by side and\n"
        "never mix.\n"
        "One step more after the merge.",
        attention={"output": lambda merged, state: merged},
        faults=("not_linear", "no_parameter"),
        when=_no_output_layer,
    ),
    Mistake(
        "output_without_bias",
        _CLASS,
        zh="输出投影少了偏置。\nW_q、W_k、W_v 不带偏置，out_proj 带：再看一遍任务。",
        en="The output projection has no bias.\nW_q, W_k and W_v go without, out_proj has one: read the task again.",
        attention={"output": lambda merged, state: merged @ state.weights["out_proj"].T},
        faults=("bias_missing", "no_parameter"),
        when=_no_output_bias,
    ),
    Mistake(
        "output_projection_per_head",
        _CLASS,
        zh="输出投影只有一个头那么大，在合并之前就用了：一个头影响不了别的头的特征。\n先合并，再投影全部特征。",
        en="The output projection has the size of one head and acts before the merge:\n"
        "heads never mix.\n"
        "Merge first, then project all features.",
        faults=("parameter_shape", "linear_sizes"),
        when=_output_of_one_head,
    ),
    Mistake(
        "output_projection_twice",
        _CLASS,
        zh="输出投影用了两次。\n看 forward 的最后几行。",
        en="The output projection is applied twice.\nLook at the last lines of forward.",
        attention={"output": _output_twice},
    ),
    Mistake(
        "output_projection_transposed",
        _CLASS,
        zh="直接乘 out_proj.weight，少了转置：nn.Linear 把权重存成 (输出, 输入)。\n方阵转不转置形状都对。",
        en="A product with out_proj.weight as it is lacks a transpose: nn.Linear keeps\n"
        "it as (out, in).\n"
        "It is square, so no shape tells.",
        attention={"output": _output_transposed},
    ),
    Mistake(
        "residual_added",
        _CLASS,
        zh="输出里加上了输入 x（残差）。\n那是 Transformer 块的事，不在注意力里面；d_in 与 d_out 不等时也加不了。",
        en="The input x is added to the output (a residual).\n"
        "That belongs to the block around attention; where d_in is not d_out it\n"
        "cannot even be done.",
        attention={"output": _with_residual},
    ),
    Mistake(
        "layer_norm_added",
        _CLASS,
        zh="输出做了层归一化：每个向量的均值成了 0。\n那是 Transformer 块的事，不在注意力里面。",
        en="The output went through a layer norm: every vector has mean 0.\n"
        "That belongs to the block around attention, not into it.",
        attention={"output": lambda merged, state: layer_norm(made := output(merged, state), made.shape[-1:])},
    ),
    Mistake(
        "layers_unseen",
        _CLASS,
        zh="模块只知道 out_proj 的参数：放在普通列表或字典里的层没有登记，训练时不会更新。\n每个层都应是模块的属性。",
        en="The module knows out_proj's parameters only: layers in a plain list or\n"
        "dict are not registered and never trained.\n"
        "Make each an attribute of the module.",
        faults=("no_parameter",),
        when=_layers_unseen,
    ),
    Mistake(
        "other_parameter_names",
        _CLASS,
        zh="层都在，大小也对，名字却不同。\n权重是按名字装入的：W_q、W_k、W_v、out_proj。",
        en="The layers are there, of the right sizes, under other names.\n"
        "Weights are loaded by name: W_q, W_k, W_v, out_proj.",
        faults=("no_parameter",),
        when=_other_names,
    ),
    Mistake(
        "ready_made_module",
        _CLASS,
        zh="这里用了 torch 现成的注意力模块。\n这个练习要自己装配：三个投影、切开、注意力、合并、输出投影。",
        en="This uses torch's ready-made attention module.\n"
        "Here it is to be put together: three projections, split, attention, merge,\n"
        "output projection.",
        faults=("no_parameter",),
        when=_ready_made,
    ),
    Mistake(
        "layer_too_many",
        _CLASS,
        zh="多了一层参数。\n只要四个 Linear：W_q、W_k、W_v、out_proj；多出来的也会被计数、被训练。",
        en="There is a layer too many.\n"
        "Four Linears are all: W_q, W_k, W_v, out_proj; any other is counted and\n"
        "trained along.",
        faults=("other_parameter",),
        when=_layer_too_many,
    ),
    Mistake(
        "parameter_without_gradient",
        _CLASS,
        zh="有参数收不到梯度，训练时不会变。\n要么它没有参与计算，要么路上有一步切断了计算图（detach、no_grad、.data）。",
        en="A parameter gets no gradient and would never be trained.\n"
        "Either it is not used, or some step cuts the graph (detach, no_grad,\n"
        ".data).",
        faults=("no_gradient",),
    ),
    Mistake(
        "head_count_not_checked",
        _CLASS,
        zh="头数除不尽 d_out 时，构造函数没有拒绝：多出来的特征会丢掉，或者到 forward 才出错。\n"
        "在构造函数里检查，要抛出异常，不是打印。",
        en="The constructor lets a head count pass that does not divide d_out:\n"
        "features get lost, or forward fails later.\n"
        "Check it there, by raising, not printing.",
        faults=("accepted_wrong",),
    ),
    Mistake(
        "head_count_check_wrong",
        _CLASS,
        zh="头数除得尽 d_out，构造函数却拒绝了。\n看检查的条件：比的是哪两个数，谁除以谁。1 个头也可以。",
        en="The constructor refuses a head count that divides d_out.\n"
        "Look at the condition: which numbers, and which divides which?\n"
        "One head is allowed.",
        when=_refused,
    ),
    Mistake(
        "head_count_other_exception",
        _CLASS,
        zh="拒绝了，但抛出的异常不是约好的那种：调用的人捕捉不到。\n约定是 AssertionError 或 ValueError。",
        en="It does refuse, but with another exception than agreed: callers would not\n"
        "catch it.\n"
        "AssertionError or ValueError is asked for.",
        faults=("refused_otherwise",),
    ),
    Mistake(
        "arguments_reordered",
        _CLASS,
        zh="dropout 的值 0.0 被当成了 n_heads：构造函数参数的次序变了。\n次序照题目给的写，dropout 在 n_heads 之前。",
        en="The dropout of 0.0 was taken for n_heads: the constructor's arguments are\n"
        "in another order.\n"
        "Keep the one given, dropout before n_heads.",
        when=_heads_for_dropout,
    ),
    Mistake(
        "trace_without_transpose",
        _TRACE,
        zh="transpose 之后的形状和之前一样：头还在词元后面。\n它让这两个轴换位置，注意力才能在词元之间进行。",
        en="The shape after transpose is the one before it: the heads still stand\n"
        "behind the tokens.\n"
        "Transpose makes these two axes change places.",
        when=_station(3, 2, 4, 2, 4),
    ),
    Mistake(
        "trace_heads_at_once",
        _TRACE,
        zh="reshape 一步就把头放到了词元前面。\n它只能切最后一个轴，词元还在原处；换位置是下一步的事。",
        en="Reshape puts the heads before the tokens at once.\n"
        "It only cuts the last axis, tokens stay where they were; changing places\n"
        "is the next step.",
        when=_station(2, 2, 2, 4, 4),
    ),
    Mistake(
        "trace_features_before_heads",
        _TRACE,
        zh="reshape 之后，头和头内特征的次序反了。\n8 个特征是“头数 × 每个头的特征”，头在前，每个头才是连着的一段。",
        en="After reshape, heads and a head's features are the wrong way round.\n"
        "The 8 features are heads × features of a head, in this order.",
        when=_station(2, 2, 4, 4, 2),
    ),
    Mistake(
        "trace_way_out_swapped",
        _TRACE,
        zh="出来的路上，transpose 和 reshape 的次序反了。\n进来时后做的先撤销：先换轴，再接起来。",
        en="On the way out, transpose and reshape are in the wrong order.\n"
        "What was done last is undone first: change places, then join.",
        when=lambda evidence: tuple(evidence.got[5]) == (2, 4, 8) and tuple(evidence.got[6]) == (2, 4, 2, 4),
    ),
    Mistake(
        "trace_projection_of_one_head",
        _TRACE,
        zh="投影的结果只有一个头那么大。\n大投影一次给出所有头的特征，切开是后面的事。",
        en="The projection gives the features of one head only.\n"
        "The large one gives those of all heads at once; cutting comes later.",
        when=_station(1, 2, 4, 4),
    ),
    Mistake(
        "trace_head_dim_whole",
        _TRACE,
        zh="每个头得到了全部 8 个特征，数就多了一倍。\n一个头的大小是特征数除以头数。",
        en="Each head has all 8 features, twice as many numbers as there are.\n"
        "A head's size is the number of features divided by that of heads.",
        when=_station(2, 2, 4, 2, 8),
    ),
    Mistake(
        "trace_merged_over_tokens",
        _TRACE,
        zh="最后的 reshape 把头并进了词元轴：句子变长了。\n要接起来的是头和特征，词元还是 4 个。",
        en="The last reshape joins the heads to the tokens: the sentence gets longer.\n"
        "Heads and features are joined; there are still 4 tokens.",
        when=_station(6, 2, 8, 4),
    ),
    Mistake(
        "trace_batch_and_tokens_swapped",
        _TRACE,
        zh="批次和词元反了：题目是批次 2，序列 4。\n本课的张量总是批次在最前。",
        en="Batch and tokens are the wrong way round: batch 2, sequence 4.\n"
        "In this lesson the batch always comes first.",
        when=_station(0, 4, 2, 8),
    ),
    Mistake(
        "trace_weight_shape",
        _TRACE,
        zh="最后一个写成了 out_proj 的权重的形状。\n要的是张量经过它之后的形状。",
        en="The last one is the shape of out_proj's weights.\nWhat is asked for is the tensor after it.",
        when=lambda evidence: len(evidence.got) == 8 and tuple(evidence.got[7]) == (8, 8),
    ),
    Mistake(
        "trace_all_the_same",
        _TRACE,
        zh="每一站都写成了输入的形状。\n数的个数处处相同，轴却不是：切开之后多出一个头轴。",
        en="Every station has the input's shape.\n"
        "The count of numbers stays, the axes do not: cutting adds a head axis.",
        when=lambda evidence: len(evidence.got) == 8 and all(tuple(one) == (2, 4, 8) for one in evidence.got),
    ),
    Mistake(
        "trace_too_short",
        _TRACE,
        zh="站数不是 8。\n照图数一遍，第 0 站是输入，形状不变的站也要写。",
        en="There are not 8 stations.\n"
        "Count along the drawing: number 0 is the input, and stations where the\n"
        "shape stays count too.",
        faults=("not_shapes",),
        when=lambda evidence: type(evidence.got) is list,
    ),
    Mistake(
        "trace_one_shape",
        _TRACE,
        zh="这是一个形状，不是 8 个形状的列表。\n图里的每一站各写一个，按次序放进列表。",
        en="This is one shape, not a list of 8.\nWrite one for each station of the drawing, in its order.",
        faults=("not_shapes",),
        when=lambda evidence: type(evidence.got) is tuple and all(type(one) is int for one in evidence.got),
    ),
    Mistake(
        "trace_lists",
        _TRACE,
        zh="形状写成了列表。\n张量的形状是元组，用圆括号。",
        en="The shapes are lists.\nA tensor's shape is a tuple, in round brackets.",
        faults=("not_a_shape",),
        when=_some(list),
    ),
    Mistake(
        "trace_texts",
        _TRACE,
        zh="形状写成了文字。\n去掉引号，它就是一个元组。",
        en="The shapes are texts.\nWithout the quotes each is a tuple.",
        faults=("not_a_shape",),
        when=_some(str),
    ),
    Mistake(
        "trace_floats",
        _TRACE,
        zh="形状里有小数：/ 总是得到 float。\n大小是整数，要用整除。",
        en="There is a float in a shape: / always gives one.\nSizes are whole numbers: use whole-number division.",
        faults=("not_a_shape",),
        when=lambda evidence: any(isinstance(size, float) for shape in evidence.got for size in shape),
    ),
]
