"""Mistakes with queries, keys and values, and with the matrices and layers that make them."""

import re

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.faulty import State, mix, project
from attnlab.learn.mistakes.habits import line_of

_LAYERS = ("self_attention_v2", "causal_attention", "multi_head_attention")
_MODULES = ("self_attention_v1", *_LAYERS)
_ATTENTION = ("scaled_dot_product_attention", *_MODULES)
_UNMASKED = ("scaled_dot_product_attention", "self_attention_v1", "self_attention_v2")
_NAMES = ("W_q", "W_k", "W_v")

Projected = tuple[Tensor, Tensor, Tensor]


def _shown(state: State) -> tuple[Tensor, Tensor, Tensor]:
    assert state.queries is not None
    assert state.keys is not None
    assert state.values is not None
    return state.queries, state.keys, state.values


def _swapped(state: State) -> Tensor:
    queries, keys, _ = _shown(state)
    return keys @ queries.transpose(-2, -1)


def _queries_twice(state: State) -> Tensor:
    queries, _, _ = _shown(state)
    return queries @ queries.transpose(-2, -1)


def _keys_twice(state: State) -> Tensor:
    _, keys, _ = _shown(state)
    return keys @ keys.transpose(-2, -1)


def _reshaped(state: State) -> Tensor:
    queries, keys, _ = _shown(state)
    return queries @ keys.reshape(*keys.shape[:-2], keys.shape[-1], keys.shape[-2])


def _cosine(state: State) -> Tensor:
    queries, keys, _ = (one / one.norm(dim=-1, keepdim=True) for one in _shown(state))
    return queries @ keys.transpose(-2, -1)


def _of_the_input(state: State) -> Tensor:
    assert state.x is not None
    return state.x @ state.x.transpose(-2, -1)


def _inputs_mixed(weights: Tensor, state: State) -> Tensor:
    assert state.x is not None
    return weights @ state.x


def _one_for_all(state: State) -> Projected:
    queries, _, _ = project(state)
    return queries, queries, queries


def _not_transposed(state: State) -> Projected:
    turned = State(x=state.x, weights={name: state.weights[name].T for name in _NAMES}, biases=state.biases)
    return project(turned)


def _without_bias(state: State) -> Projected:
    assert state.biases is not None
    return project(State(x=state.x, weights=state.weights))


def _query_without_bias(state: State) -> Projected:
    return _without_bias(state)[0], *project(state)[1:]


def _normalised_input(state: State) -> Projected:
    assert state.x is not None
    x = torch.nn.functional.layer_norm(state.x, state.x.shape[-1:])
    return project(State(x=x, weights=state.weights, biases=state.biases))


def _rectified(state: State) -> Projected:
    queries, keys, values = (one.relu() for one in project(state))
    return queries, keys, values


def _flat_input(state: State) -> Projected:
    assert state.x is not None
    return project(State(x=state.x.flatten(0, -2), weights=state.weights, biases=state.biases))


def _unflat(weights: Tensor, state: State) -> Tensor:
    assert state.x is not None
    return mix(weights, state).unflatten(0, state.x.shape[:-1])


def _axis_in_front(weights: Tensor, state: State) -> Tensor:
    assert state.x is not None
    return mix(weights, state).unsqueeze(0) if state.x.dim() == 2 else mix(weights, state)


def _mix_and_add(weights: Tensor, state: State) -> Tensor:
    return mix(weights, state) + (_shown(state)[0] if state.x is None else state.x)


def _future_hidden(scores: Tensor, state: State) -> Tensor:
    return scores.masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)


def _said(evidence: Evidence, kind: type[BaseException], part: str) -> bool:
    return isinstance(evidence.problem, kind) and part in str(evidence.problem)


def _plain_tensors(evidence: Evidence) -> bool:
    return set(evidence.got) <= {"out_proj.weight", "out_proj.bias"}


def _layers_registered(evidence: Evidence) -> bool:
    got, want = evidence.got, evidence.want
    return "W_q" in want and all(f"{name}.weight" in got and name not in got for name in _NAMES)


def _shared(evidence: Evidence) -> bool:
    """W_q is there and another is not: `named_parameters` lists what has two names once."""
    names = {name.removesuffix(".weight") for name in evidence.got}
    wanted = {name.removesuffix(".weight") for name in evidence.want if not name.endswith(".bias")}
    missing = wanted - names
    return bool(missing) and missing < wanted and missing <= set(_NAMES) and names <= wanted


def _renamed(evidence: Evidence) -> bool:
    wanted = [name for name in evidence.want if name not in evidence.got]
    others = [name for name in evidence.got if name not in evidence.want]
    return len(wanted) == len(others) >= 2 and all(
        evidence.got[other] == evidence.want[name] for name, other in zip(wanted, others, strict=True)
    )


def _fused(evidence: Evidence) -> bool:
    sizes = [shape for name, shape in evidence.got.items() if len(shape) == 2 and not name.startswith("out")]
    wanted = next(shape for name, shape in evidence.want.items() if name.startswith("W_q"))
    return sizes == [(3 * wanted[0], wanted[1])]


def _bias_not_registered(evidence: Evidence) -> bool:
    if evidence.fault == "bias_missing":
        return True
    missing = [name for name in evidence.want if name not in evidence.got]
    return all(name.endswith(".bias") and name.removesuffix("bias") + "weight" in evidence.got for name in missing)


def _sizes(evidence: Evidence) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return (found, expected) of each matrix that has not the size it should have."""
    got, want = evidence.got, evidence.want
    if evidence.fault == "linear_sizes":
        sizes = ("in_features", "out_features")
        return [(tuple(got[one] for one in sizes), tuple(want[one] for one in sizes))]
    return [(tuple(got[name]), tuple(size)) for name, size in want.items() if tuple(got[name]) != tuple(size)]


def _turned(evidence: Evidence) -> bool:
    return all(found == expected[::-1] for found, expected in _sizes(evidence))


def _squares(evidence: Evidence) -> bool:
    return all(len(found) == 2 and found[0] == found[1] for found, _ in _sizes(evidence))


def _fixed_sizes(evidence: Evidence) -> bool:
    return all(found in ((6, 2), (2, 6)) for found, _ in _sizes(evidence))


def _raw_weight(evidence: Evidence) -> bool:
    """Tell whether a product with a layer's own weight failed, and would have fitted with its axes swapped."""
    sizes = re.search(r"\((\d+)x(\d+) and (\d+)x(\d+)\)", str(evidence.problem))
    line = line_of(evidence)
    return bool(
        sizes
        and sizes[2] == sizes[4] != sizes[3]
        and ".weight" in line
        and ".T" not in line
        and "transpose" not in line
    )


def _keys_as_they_are(evidence: Evidence) -> bool:
    sizes = re.search(r"\((\d+)x(\d+) and (\d+)x(\d+)\)", str(evidence.problem))
    line = line_of(evidence)
    return bool(
        sizes and sizes[2] == sizes[4] != sizes[3] and re.search(r"(@|mm\(.*,|matmul\(.*,) *(keys?|k)\b(?!\.)", line)
    )


def _maps_detached(evidence: Evidence) -> bool:
    cut = [name[:3] for name, gradient in evidence.got.items() if name[:3] in _NAMES and gradient is None]
    return cut[:2] == ["W_q", "W_k"] and "W_v" not in cut


def _projections_detached(evidence: Evidence) -> bool:
    return any(gradient is None for gradient in evidence.got.values()) and not _maps_detached(evidence)


MISTAKES = [
    Mistake(
        "queries_and_keys_swapped",
        _ATTENTION,
        zh="查询和键对调了：这是 k·q 的结果，行与列换了位置。\n"
        "每一行应属于一个提问的词元。\n"
        "看看乘号左边是谁，各用了哪个矩阵。",
        en="Queries and keys have changed places: rows and columns are exchanged.\n"
        "A row belongs to the token that asks.\n"
        "Look at what stands on the left, and which matrix made it.",
        attention={"score": _swapped},
    ),
    Mistake(
        "queries_used_for_keys",
        _ATTENTION,
        zh="查询与查询相乘了，键没有用到。\n这样 A 看 B 与 B 看 A 的分数总一样。\n看看点积的两边，或者各用了哪个投影。",
        en="Queries are multiplied by queries, and keys play no part.\n"
        "A's score for B is then always B's for A.\n"
        "Look at both sides of the dot product.",
        attention={"score": _queries_twice},
    ),
    Mistake(
        "keys_used_for_queries",
        _ATTENTION,
        zh="键与键相乘了，查询没有用到：谁在提问，对分数毫无影响。\n看看点积的两边，或者各用了哪个投影。",
        en="Keys are multiplied by keys, and queries play no part: what a token asks\n"
        "makes no difference.\n"
        "Look at both sides of the dot product.",
        attention={"score": _keys_twice},
    ),
    Mistake(
        "keys_used_for_values",
        _ATTENTION,
        zh="加权求和的是键，不是值。\n键只供别人来找，值才是要带走的内容。\n看看权重乘的是谁，它来自哪个投影。",
        en="What is summed are keys, not values.\n"
        "Keys are there to be found; values are what is taken away.\n"
        "Look at what the weights multiply, and where it comes from.",
        attention={"mix": lambda weights, state: weights @ _shown(state)[1]},
    ),
    Mistake(
        "input_used_for_values",
        _MODULES,
        zh="加权求和的是输入 x 本身，没有经过值的投影，W_v 就永远学不到东西。\n看看权重乘的是谁。",
        en="What is summed is the input itself, without the projection of the values,\n"
        "so that W_v never learns.\n"
        "Look at what the weights multiply.",
        attention={"mix": _inputs_mixed},
    ),
    Mistake(
        "scores_of_the_input",
        _MODULES,
        zh="分数是 x 与 x 的点积，没有用到查询和键的投影：又回到第 1 课，谁看谁学不了。\n看看点积的两边。",
        en="The scores are dot products of x with itself, as in lesson 1: with no\n"
        "projection, who looks at whom cannot be learned.\n"
        "Look at both sides.",
        attention={"score": _of_the_input},
    ),
    Mistake(
        "one_projection_for_all",
        _MODULES,
        zh="查询、键、值都出自同一个矩阵：一个词元只能说一样话，分数也总是对称的。\n看看三者各用了哪个投影。",
        en="Queries, keys and values all come from one matrix: a token can say one\n"
        "thing only, and scores are always mutual.\n"
        "Look at which projection each one uses.",
        attention={"project": _one_for_all},
    ),
    Mistake(
        "keys_reshaped",
        _ATTENTION,
        zh="键是改形状（reshape 或 view）得来的，不是转置：数字还按原来的次序排着，只是换了行宽。\n要交换的是两个轴。",
        en="The keys are reshaped, not transposed: the numbers stay in their old order\n"
        "and only the rows get another width.\n"
        "It is two axes that should change places.",
        attention={"score": _reshaped},
    ),
    Mistake(
        "cosine_for_dot_product",
        _ATTENTION,
        zh="查询和键先被归一到长度 1，成了余弦相似度：长度里的信息丢了。\n公式里只有点积和 √d_k。",
        en="Queries and keys are brought to length 1 first: that is cosine similarity,\n"
        "and what their lengths say is lost.\n"
        "The formula has the dot product and √d_k alone.",
        attention={"score": _cosine},
    ),
    Mistake(
        "weights_transposed",
        _ATTENTION,
        zh="求和时用了权重的转置：每个词元按“谁看我”收内容，而不是按“我看谁”。\n转置只属于算分数那一步。",
        en="The sum uses the weights transposed: a token collects by who looks at it,\n"
        "not by whom it looks at.\n"
        "Only the scores need a transpose.",
        attention={"mix": lambda weights, state: mix(weights.transpose(-2, -1), state)},
    ),
    Mistake(
        "keys_not_transposed",
        _ATTENTION,
        zh="查询与键的形状接不上：键还没有转置。\n每个查询要与每个键做点积，看看键的最后两个轴该怎样放。",
        en="Queries and keys don't fit: the keys are not transposed.\n"
        "Each query meets each key in a dot product; look at how the keys' last two\n"
        "axes have to lie.",
        when=_keys_as_they_are,
    ),
    Mistake(
        "masked_already",
        ("simplified_attention", *_UNMASKED),
        zh="这里已经遮住了后面的词：这正是因果注意力的结果。\n本课里每个词元都能看到整句话，遮挡是第 3 课的事。",
        en="Later tokens are hidden already: that is causal attention.\n"
        "Here every token sees the whole sentence; hiding comes in lesson 3.",
        attention={"hide": _future_hidden},
    ),
    Mistake(
        "input_added",
        ("simplified_attention", *_UNMASKED, "causal_attention"),
        zh="输出里多加了一份输入（残差）。\n公式里没有它；整个网络里有，但那是注意力之外的事。\n看看最后返回的是什么。",
        en="The input is added to the output, a residual.\n"
        "The formula has none; networks do add one, but outside of attention.\n"
        "Look at what is returned at the end.",
        attention={"mix": _mix_and_add},
    ),
    Mistake(
        "scores_returned",
        ("scaled_dot_product_attention",),
        zh="第二个结果是分数，不是权重：它还没有经过 softmax，每行之和不是 1。\n看看返回的是哪个变量。",
        en="The second result holds the scores, not the weights: they have not been\n"
        "through softmax.\n"
        "Look at which variable is returned.",
        gives={
            "attention": lambda queries, keys, values, **_: (None, _scaled(queries, keys)),
            "scores": lambda weights, columns: weights.softmax(-1) @ columns.transpose(-2, -1),
        },
    ),
    Mistake(
        "input_normalised",
        _MODULES,
        zh="输入先做了层归一化，再投影。\n"
        "公式里没有这一步：网络里的归一化层在注意力之外。\n"
        "看看投影之前对 x 做了什么。",
        en="The input went through a layer norm before the projections.\n"
        "The formula has no such step.\n"
        "Look at what happens to x first.",
        attention={"project": _normalised_input},
    ),
    Mistake(
        "projections_rectified",
        _MODULES,
        zh="投影之后多了一个 ReLU，负数都成了 0。\n查询、键、值只是乘一个矩阵，没有激活函数。",
        en="The projections go through a ReLU: all negative numbers became 0.\n"
        "Queries, keys and values are matrix products alone, with no activation.",
        attention={"project": _rectified},
    ),
    Mistake(
        "attention_across_the_batch",
        ("self_attention_v1", "self_attention_v2"),
        zh="几句话被接成了一句：词元也看到了别的句子。\n批次轴要照原样留着，只在最后两个轴上计算。",
        en="The sentences were joined into one, and tokens look into other sentences.\n"
        "Leave the batch axes as they are and compute on the last two alone.",
        attention={"project": _flat_input, "mix": _unflat},
    ),
    Mistake(
        "batch_axis_left_in_front",
        ("self_attention_v1", "self_attention_v2"),
        zh="输入只有一句话，输出前面却多了一个大小为 1 的轴。\n自己添的轴，返回之前要去掉；其实也用不着添。",
        en="One sentence went in, and the output has an axis of size 1 in front.\n"
        "An axis that you add has to go again before the end.",
        attention={"mix": _axis_in_front},
    ),
    Mistake(
        "weight_not_transposed",
        _LAYERS,
        zh="直接乘了层的 weight：它按 (d_out, d_in) 存放，还差一次转置；方阵时连错都不报。\n让层自己来算，就不必管它。",
        en="x is multiplied by the layer's weight as it is stored, (d_out, d_in): a\n"
        "transpose is missing, with no error where both are equal.\n"
        "Let the layer do it.",
        attention={"project": _not_transposed},
        when=_raw_weight,
    ),
    Mistake(
        "matrix_transposed",
        ("self_attention_v1",),
        zh="x 乘的是矩阵的转置：d_in = d_out 时形状照样对，数字却错了。\n这里的矩阵本来就是 (d_in, d_out)。",
        en="x is multiplied by the transposed matrix: where d_in = d_out the shapes\n"
        "still fit and the numbers don't.\n"
        "The matrix is (d_in, d_out) as it is.",
        attention={"project": _not_transposed},
    ),
    Mistake(
        "bias_not_added",
        ("self_attention_v2",),
        zh="三个偏置都没有加上：自己乘 weight 时，偏置也要自己加。\n让层自己来算，就不会漏。",
        en="None of the three biases is added: whoever multiplies by the weight by\n"
        "hand has to see to the bias as well.\n"
        "A layer that is called does both.",
        attention={"project": _without_bias},
    ),
    Mistake(
        "query_bias_not_added",
        ("self_attention_v2",),
        zh="查询少了偏置，键和值都有。\n三个投影应当用同一种写法。",
        en="The queries lack their bias; keys and values have theirs.\nAll three projections should be written alike.",
        attention={"project": _query_without_bias},
    ),
    Mistake(
        "bias_not_wanted",
        _LAYERS,
        zh="这个层带着偏置，这里却不要：nn.Linear 不另外说明就有偏置。\n看看建层时交给它的参数，还有它的默认值。",
        en="This layer has a bias where none is wanted: nn.Linear makes one unless it\n"
        "is told not to.\n"
        "Look at what the layer is given when it is made, and at the default.",
        faults=("bias_present",),
    ),
    Mistake(
        "bias_ignored",
        ("self_attention_v2",),
        zh="要了偏置（qkv_bias=True），这个层却没有。\n参数要传到三个层，一个也不能漏，意思也不能反。",
        en="A bias is asked for (qkv_bias=True), and this layer has none.\n"
        "All three layers have to be told, and told the same.",
        faults=("bias_missing", "no_parameter"),
        when=_bias_not_registered,
    ),
    Mistake(
        "no_bias_argument",
        ("self_attention_v2",),
        zh="这个类不认识 qkv_bias。\n要不要偏置，由建模块的人决定，所以 __init__ 要接收这个参数。",
        en="The class does not know qkv_bias.\n"
        "Whether there is a bias is up to whoever makes the module, so the\n"
        "constructor has to take it.",
        when=lambda evidence: _said(evidence, TypeError, "qkv_bias"),
    ),
    Mistake(
        "no_super_init",
        _MODULES,
        zh="nn.Module 自己还没有准备好，就给它加东西了。\n登记参数的册子由父类的构造函数建立，它要最先运行。",
        en="Something is assigned before nn.Module itself is ready.\n"
        "The parent's constructor sets up the register of parameters, so it has to\n"
        "run first.",
        when=lambda evidence: _said(evidence, AttributeError, "before Module.__init__() call"),
    ),
    Mistake(
        "not_a_module",
        _MODULES,
        zh="不是 nn.Module，就没有 parameters()：优化器找不到矩阵，也存不进文件。\n看看 class 那一行写的父类。",
        en="What is no nn.Module has no parameters(): no optimizer finds its matrices,\n"
        "and they are not saved.\n"
        "Look at the parent in the class line.",
        faults=("not_a_module",),
    ),
    Mistake(
        "matrices_not_registered",
        ("self_attention_v1", "copy_weights"),
        zh="矩阵是普通张量（或缓冲区）：能算，优化器却看不见，永远不会变。\n要登记成参数，先看 2.4 节的 Box。",
        en="The matrices are plain tensors or buffers: they compute, but no optimizer\n"
        "sees them.\n"
        "Box in section 2.4 shows what is registered.",
        faults=("no_parameter",),
        when=_plain_tensors,
    ),
    Mistake(
        "layers_not_registered",
        ("self_attention_v2", "causal_attention"),
        zh="模块没有登记任何层：放在 Python 列表或字典里的层，parameters() 看不见。\n三个层要各自直接挂在 self 上。",
        en="The module has registered no layer: parameters() does not look into Python\n"
        "lists or dicts.\n"
        "Each layer has to be an attribute of self.",
        faults=("no_parameter",),
        when=_plain_tensors,
    ),
    Mistake(
        "layers_instead_of_parameters",
        ("self_attention_v1", "copy_weights"),
        zh="W_q 等在这里是 nn.Linear 层，不是矩阵：参数叫 W_q.weight，形状也是转置的。\nV1 要的是参数本身。",
        en="W_q and the others are nn.Linear layers here, not matrices: the parameter\n"
        "is W_q.weight, and transposed.\n"
        "V1 is about the bare parameter.",
        faults=("no_parameter",),
        when=_layers_registered,
    ),
    Mistake(
        "parameters_instead_of_layers",
        _LAYERS,
        zh="这里是裸的参数，不是层：偏置、初值和转置都要自己管。\n这个练习要用现成的投影层。",
        en="These are bare parameters, not layers: bias, first values and transpose\n"
        "would all be yours to see to.\n"
        "This exercise is about the ready-made layer.",
        faults=("not_linear",),
        when=lambda evidence: evidence.got["kind"] in ("Parameter", "Tensor"),
    ),
    Mistake(
        "one_matrix_under_several_names",
        (*_MODULES, "copy_weights"),
        zh="几个名字指着同一个矩阵：查询、键、值说不出各自的话，训练时也一起变。\n三个矩阵要各建各的。",
        en="Several names stand for one and the same matrix, so that queries, keys and\n"
        "values cannot differ.\n"
        "Each needs a matrix of its own.",
        faults=("no_parameter",),
        when=_shared,
    ),
    Mistake(
        "other_names",
        ("self_attention_v1", "self_attention_v2", "causal_attention"),
        zh="参数都在，名字却不同：检查和复制权重都按 W_q、W_k、W_v 来找。\n对照任务里的名字。",
        en="The parameters are there, under other names: whoever loads or copies\n"
        "weights looks for W_q, W_k, W_v.\n"
        "Compare with the names in the task.",
        faults=("no_parameter",),
        when=_renamed,
    ),
    Mistake(
        "one_fused_layer",
        _LAYERS,
        zh="三个投影合成了一个层。\n算得没错，许多模型也这样写；这里却要三个分开、各有名字的层，好逐个查看和复制。",
        en="All three projections are one layer.\n"
        "Many models do so; here three separate, named layers are asked for, to be\n"
        "looked at and copied one by one.",
        faults=("no_parameter",),
        when=_fused,
    ),
    Mistake(
        "sizes_swapped",
        ("self_attention_v1", "self_attention_v2", "causal_attention", "multi_head_attention"),
        zh="d_in 与 d_out 对调了。\nx 在左，矩阵在右：先是 x 的长度，再是结果的长度；nn.Linear 的参数也是这个次序。",
        en="d_in and d_out have changed places.\n"
        "First comes the length of x, then that of the result, for a matrix as for\n"
        "the arguments of nn.Linear.",
        faults=("parameter_shape", "linear_sizes"),
        when=_turned,
    ),
    Mistake(
        "square_matrices",
        ("self_attention_v1", "self_attention_v2"),
        zh="矩阵成了方的，两边用了同一个尺寸。\nd_out 决定查询、键、值有多长，它可以与 d_in 不同。",
        en="The matrices are square: one size stands on both sides.\n"
        "Queries, keys and values have length d_out, which may differ from d_in.",
        faults=("parameter_shape", "linear_sizes"),
        when=_squares,
    ),
    Mistake(
        "sizes_of_the_example",
        ("self_attention_v1", "self_attention_v2"),
        zh="矩阵的尺寸是本课例子里的 6 和 2，写死了。\n尺寸要由 d_in、d_out 决定，换一句话也能用。",
        en="The sizes are the 6 and 2 of the lesson's own example, written down as\n"
        "numbers.\n"
        "They have to follow d_in and d_out.",
        faults=("parameter_shape", "linear_sizes"),
        when=_fixed_sizes,
    ),
    Mistake(
        "parameter_nobody_asked_for",
        ("self_attention_v1", "self_attention_v2", "causal_attention"),
        zh="多了一个任务里没有的参数：它会跟着训练，改变结果，别的模块也装不进这组权重。\n这里只要任务里列出的那些。",
        en="There is a parameter that the task does not name: it trains along, changes\n"
        "the result, and weights of other modules no longer fit.\n"
        "Keep to those named.",
        faults=("other_parameter",),
    ),
    Mistake(
        "random_in_forward",
        ("scaled_dot_product_attention", "self_attention_v1", "self_attention_v2"),
        zh="同样的输入，两次的结果不同：计算途中取了随机数。\n"
        "矩阵只在建立时随机取一次，计算时什么也不随机，否则训练白费。",
        en="The same input gives two different results: random numbers are drawn on\n"
        "the way.\n"
        "Matrices are drawn once, when they are made; computing draws nothing.",
        faults=("differs_between_calls",),
    ),
    Mistake(
        "frozen",
        (*_MODULES, "copy_weights"),
        zh="参数被冻住了（requires_grad 是 False）：优化器会跳过它，它永远停在初值。\n"
        "看看哪里关掉了梯度，有没有再打开。",
        en="A parameter is frozen (requires_grad is False): the optimizer passes it by\n"
        "and it keeps its first value.\n"
        "Look for where gradients were turned off.",
        faults=("not_trainable",),
    ),
    Mistake(
        "attention_weights_detached",
        ("self_attention_v1", "self_attention_v2"),
        zh="数字对，计算图却在权重那里断了：W_v 收到梯度，W_q 和 W_k 收不到，谁看谁就学不了。\n"
        "看看权重在求和之前经过了什么。",
        en="The numbers are right, but the graph is cut at the weights: W_v gets a\n"
        "gradient, W_q and W_k get none.\n"
        "Look at what happens to the weights before the sum.",
        faults=("no_gradient",),
        when=_maps_detached,
    ),
    Mistake(
        "projection_detached",
        ("self_attention_v1", "self_attention_v2"),
        zh="数字对，计算图却断了：矩阵收不到梯度，训练时不会变。\n"
        "看看投影时用的是参数本身，还是它的数据（.data、detach）或一份旧的副本。",
        en="The numbers are right, but the graph is cut: the matrix gets no gradient.\n"
        "Is it the parameter that is used, or its data, or an old copy?",
        faults=("no_gradient",),
        when=_projections_detached,
    ),
]


def _scaled(queries: Tensor, keys: Tensor) -> Tensor:
    return queries.double() @ keys.double().transpose(-2, -1) / queries.shape[-1] ** 0.5
