"""Mistakes in attention without projections: the scores, and mixing tokens by weights."""

import math
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence, Made
from attnlab.learn.mistakes.faulty import State, faulty, mix, score
from attnlab.learn.mistakes.habits import close

_FIRST = ("attention_scores", "simplified_attention")


def _dots(queries: Tensor, keys: Tensor) -> Tensor:
    return queries @ keys.transpose(-2, -1)


def _without_diagonal(scores: Tensor) -> Tensor:
    return scores - torch.diag_embed(scores.diagonal(dim1=-2, dim2=-1))


def _diagonal_hidden(scores: Tensor, state: State) -> Tensor:
    n = scores.shape[-1]
    return scores if n == 1 else scores.masked_fill(torch.eye(n, dtype=torch.bool), -math.inf)


def _flat(t: Tensor) -> Tensor:
    return t.reshape(-1, t.shape[-1])


def _across(queries: Tensor, keys: Tensor, values: Tensor, **_: Any) -> tuple[Tensor, Tensor]:
    weights = torch.softmax(queries @ _flat(keys).T, dim=-1)
    return weights @ _flat(values), weights


def _attention(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    return faulty(Made("attention", (queries, keys, values), options), {})


def _scores_for_weights(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    return _attention(queries, keys, values, **options)[0], _dots(queries, keys)


def _rows_one_off(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    weights = _attention(queries, keys, values, **options)[1]
    return weights.roll(1, -2) @ values.double(), weights


def _by_columns(queries: Tensor, keys: Tensor, values: Tensor, **options: Any) -> tuple[Tensor, Tensor]:
    weights = _attention(queries, keys, values, **options)[1]
    return weights.transpose(-2, -1) @ values.double(), weights


def _by_the_scores(weights: Tensor, state: State) -> Tensor:
    assert state.values is not None
    return score(state) @ state.values


def _mean_of_contexts(weights: Tensor, state: State) -> Tensor:
    context = mix(weights, state)
    return context.mean(-2, keepdim=True).expand_as(context)


def _on_paper(*tables: list[list[float]]) -> Any:
    """Recognise what the exercise on paper gives with a mistake: the weights, or the contexts made with them."""

    def found(evidence: Evidence) -> bool:
        got = torch.tensor(evidence.got, dtype=torch.float64)
        return any(close(got, torch.tensor(one, dtype=torch.float64), within=4e-3) for one in tables)

    return found


def _one_place(evidence: Evidence) -> bool:
    got = torch.tensor(evidence.got, dtype=torch.float64)
    rights = ([[0.73106, 0.26894], [0.01799, 0.98201]], [[0.73106, 0.53788], [0.01799, 1.96403]])
    places = [close((got * 10**digits).round() / 10**digits, got, within=1e-9) for digits in (0, 1)]
    return any(places) and any((got - torch.tensor(one)).abs().max() <= 0.051 for one in rights)


MISTAKES = [
    Mistake(
        "features_times_features",
        ("attention_scores",),
        zh="转置放在了左边：得到的是特征与特征的点积，d 行 d 列。\n要的是词元与词元，n 行 n 列。",
        en="The transpose stands on the left: these are dot products of features with\n"
        "features, d by d.\n"
        "Asked for are tokens with tokens, n by n.",
        gives={"scores": lambda q, k: q.transpose(-2, -1) @ k},
    ),
    Mistake(
        "elementwise_product",
        ("attention_scores",),
        zh="这是逐个相乘：每个词元只和自己相乘，还没有求和。\n点积要把每一行与每一行配对。",
        en="This multiplies number by number: each token meets only itself, and\n"
        "nothing is added up.\n"
        "A dot product pairs every row with every row.",
        gives={"scores": lambda q, k: q * k},
    ),
    Mistake(
        "cosine_similarity",
        _FIRST,
        zh="这是余弦相似度：向量先被归一到长度 1，对角线全是 1。\n点积还看长度，长的向量分数更大。",
        en="That is cosine similarity: vectors are brought to length 1 first, and the\n"
        "diagonal is all 1.\n"
        "A dot product counts length too.",
        gives={"scores": lambda q, k: _dots(q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True))},
        attention={
            "score": lambda state: _dots(
                state.queries / state.queries.norm(dim=-1, keepdim=True),
                state.keys / state.keys.norm(dim=-1, keepdim=True),
            )
        },
    ),
    Mistake(
        "distances",
        _FIRST,
        zh="这是距离：越像的词元越小，自己与自己是 0。\n点积正好相反，越像越大。",
        en="These are distances: the more alike, the smaller, and 0 with oneself.\n"
        "A dot product is the other way round.",
        gives={"scores": lambda q, k: torch.cdist(q, k)},
        attention={"score": lambda state: torch.cdist(state.queries, state.keys)},
    ),
    Mistake(
        "scaled_already",
        (*_FIRST, "hand_calculation"),
        zh="分数已经除以了 √d。\n缩放是第 2 课的事，这一课的分数就是点积本身。",
        en="The scores are divided by √d already.\n"
        "Scaling belongs to lesson 2; in this one a score is the dot product\n"
        "itself.",
        gives={"scores": lambda q, k: _dots(q, k) / math.sqrt(q.shape[-1])},
        attention={"scale": lambda scores, state: scores / math.sqrt(state.d_k)},
        when=_on_paper([[0.670, 0.330], [0.056, 0.944]], [[0.670, 0.660], [0.056, 1.888]]),
    ),
    Mistake(
        "softmax_in_scores",
        ("attention_scores",),
        zh="这里只要分数，softmax 是下一个练习：现在每一行的和已经是 1 了。",
        en="Only scores are asked for here; softmax is the next exercise.\nAs it is, every row adds up to 1 already.",
        gives={"scores": lambda q, k: torch.softmax(_dots(q, k), dim=-1)},
    ),
    Mistake(
        "self_left_out",
        _FIRST,
        zh="对角线被去掉了：词元没有和自己比。\n每个词元也看自己，它自己的内容才不会丢。",
        en="The diagonal is left out: no token is compared with itself.\n"
        "Every token looks at itself too, or what it says itself would be lost.",
        gives={"scores": lambda q, k: _without_diagonal(_dots(q, k))},
        attention={"hide": _diagonal_hidden},
    ),
    Mistake(
        "first_query_for_all",
        ("attention_scores",),
        zh="每一行都一样：都是第一个词元的分数。\n第 i 行该由第 i 个词元去问。",
        en="All rows are the same: the scores of the first token.\nRow i is for token i to ask.",
        gives={"scores": lambda q, k: _dots(q[..., :1, :], k).expand(*q.shape[:-1], k.shape[-2])},
    ),
    Mistake(
        "query_one_off",
        _FIRST,
        zh="行错开了一位：第 i 行用的是前一个词元。\n看看查询的下标从几开始。",
        en="The rows are one off: row i belongs to the token before.\nLook at where the index of the query begins.",
        gives={"scores": lambda q, k: _dots(q.roll(1, -2), k), "attention": _rows_one_off},
    ),
    Mistake(
        "key_one_off",
        ("attention_scores",),
        zh="列错开了一位：第 j 列用的是前一个词元。\n看看键的下标从几开始。",
        en="The columns are one off: column j belongs to the token before.\nLook at where the index of the key begins.",
        gives={"scores": lambda q, k: _dots(q, k.roll(1, -2))},
    ),
    Mistake(
        "upper_half_only",
        ("attention_scores",),
        zh="下半个矩阵是空的：只算了 j 不小于 i 的那些对。\nA·B 与 B·A 虽然相等，两处都要写上。",
        en="The lower half is empty: only pairs with j from i on are computed.\n"
        "A·B equals B·A, but both places have to be filled.",
        gives={"scores": lambda q, k: _dots(q, k).triu()},
    ),
    Mistake(
        "across_the_batch",
        _FIRST,
        zh="一个句子的词元和别的句子的词元配了对：批次被摊平了。\n每个句子只在自己里面比。",
        en="Tokens are paired with those of other sentences: the batch is flattened.\n"
        "Every sentence is compared within itself alone.",
        gives={"scores": lambda q, k: _flat(q) @ _flat(k).T, "attention": _across},
    ),
    Mistake(
        "scores_for_weights",
        ("simplified_attention", "hand_calculation"),
        zh="这些是分数，还不是权重：没有经过 softmax，每行之和不是 1。\n看看用的是哪一步的结果。",
        en="These are scores, not weights yet: without softmax a row does not add up\n"
        "to 1.\n"
        "Look at which step they come from.",
        gives={"attention": _scores_for_weights},
        when=_on_paper([[1.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [0.0, 8.0]]),
    ),
    Mistake(
        "context_from_scores",
        ("simplified_attention", "scaled_dot_product_attention"),
        zh="上下文是用分数加起来的，不是用权重：分数的和不是 1，得到的就不是平均。",
        en="The context is summed with the scores, not with the weights: scores don't\n"
        "add up to 1, and no average comes out.",
        attention={"mix": _by_the_scores},
    ),
    Mistake(
        "one_context_for_all",
        ("simplified_attention",),
        zh="每个词元得到了同一个上下文：最后又对所有词元取了平均。\n每个词元该有自己的一行。",
        en="All tokens get one and the same context: a mean over the tokens is taken\n"
        "at the end.\n"
        "Every token keeps a row of its own.",
        attention={"mix": _mean_of_contexts},
    ),
    Mistake(
        "square_forgotten",
        ("hand_calculation",),
        zh="Q 那一行用了 e²：Q·Q 是 2 × 2，不是 2。\n点积里每个数先与自己相乘，再相加。",
        en="Q's row has e² in it: Q·Q is 2 × 2, not 2.\n"
        "In a dot product each number is multiplied by itself first, then added.",
        when=_on_paper([[0.731, 0.269], [0.119, 0.881]], [[0.731, 0.538], [0.119, 1.762]]),
    ),
    Mistake(
        "rows_swapped",
        ("hand_calculation",),
        zh="两行写反了：先是 P 那一行，再是 Q 那一行。\nP 的分数是 1 和 0，Q 的是 0 和 4。",
        en="The two rows have changed places: P's comes first, then Q's.\nP has the scores 1 and 0, Q has 0 and 4.",
        when=_on_paper([[0.018, 0.982], [0.731, 0.269]], [[0.018, 1.964], [0.731, 0.538]]),
    ),
    Mistake(
        "mixed_by_columns",
        ("simplified_attention", "hand_calculation"),
        zh="加权和用的是权重的列，不是行。\n一个词元的上下文用它自己那一行：它分给每个词元多少。",
        en="The weighted sum uses columns of the weights, not rows.\n"
        "A token's context takes the token's own row: how much it gives to each of\n"
        "the others.",
        gives={"attention": _by_columns},
        when=_on_paper([[0.731, 0.036], [0.269, 1.964]]),
    ),
    Mistake(
        "rounded_too_early",
        ("hand_calculation",),
        zh="只留了一位小数，误差超过 0.005。\n中间的数多留几位，最后写三位。",
        en="Only one decimal is left, which is off by more than 0.005.\n"
        "Keep more digits on the way, and write three at the end.",
        when=_one_place,
    ),
]
