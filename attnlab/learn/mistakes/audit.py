"""Mistakes in measuring attention maps: what a key receives, who is ignored, the record, the injected share."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence

_RECEIVED, _IGNORED = ("attention_received",), ("ignored_tokens",)
_RECORD, _SHARE = ("audit_record",), ("injection_share",)


def _counts(weights: Tensor) -> Tensor:
    """Return how many queries see each key: n, n − 1, … 1."""
    return torch.arange(weights.shape[-1], 0, -1, dtype=torch.float64)


def _received(weights: Tensor) -> Tensor:
    return weights.double().sum(-2) / _counts(weights)


def _without_own(weights: Tensor) -> Tensor:
    return weights.double().tril(-1).sum(-2) / (_counts(weights) - 1).clamp(min=1)


def _first_map(weights: Tensor) -> Tensor:
    while weights.dim() > 2:
        weights = weights[0]
    return _received(weights)


def _shares(weights: Tensor) -> Tensor:
    """Return the map with rows made to sum to 1."""
    return weights.double() / weights.double().sum(-1, keepdim=True).clamp(min=1e-9)


def _everywhere(low: Tensor) -> Tensor:
    """Return the positions that are True in every sample and head."""
    return low.flatten(0, 1).all(0).nonzero().flatten()


def _positions(low: Tensor) -> Tensor:
    return low.nonzero().flatten()


def _low(measure: Callable[[Tensor], Tensor]) -> Callable[[Tensor, float], Tensor]:
    return lambda weights, threshold: _everywhere(measure(weights) < threshold)


def _ignored(weights: Tensor, threshold: float) -> Tensor:
    return _everywhere(_received(weights) < threshold)


def _entropies(weights: Tensor) -> Tensor:
    return torch.special.entr(weights.double()).sum(-1)


def _most(weights: Tensor) -> Tensor:
    """Return the largest entropy that each query could have."""
    return torch.arange(1, weights.shape[-1] + 1, dtype=torch.float64).log().clamp(min=1e-9)


def _by_rows(measure: Callable[[Tensor], Tensor]) -> Callable[[Tensor], Tensor]:
    """Apply a measure to what each query sees."""
    return lambda weights: torch.stack([measure(row[: i + 1]) for i, row in enumerate(weights.double())])


def _variance(row: Tensor) -> Tensor:
    return torch.var(row, correction=0)


def _sample_variance(row: Tensor) -> Tensor:
    return torch.var(row) if len(row) > 1 else torch.tensor(0.0, dtype=torch.float64)


def _of_kept(row: Tensor) -> Tensor:
    kept = row[row > 0]
    return torch.var(kept, correction=0) if len(kept) else torch.tensor(0.0, dtype=torch.float64)


def _plogp(row: Tensor) -> Tensor:
    return -(row * row.log()).sum()


def _softmax_again(weights: Tensor) -> Tensor:
    future = torch.ones_like(weights, dtype=torch.bool).triu(1)
    return weights.double().masked_fill(future, -math.inf).softmax(-1)


def _inside(row: Callable[[Tensor], Tensor]) -> Callable[[Tensor, int, int], Tensor]:
    """Take some row in the place of the last query's, and add up the passage in it."""
    return lambda weights, start, stop: row(weights)[..., start:stop].sum(-1)


def _share(weights: Tensor, start: int, stop: int) -> Tensor:
    return weights[..., -1, start:stop].sum(-1)


def _close(one: Tensor, other: Any) -> bool:
    other = torch.as_tensor(other).detach().double()
    one = one.detach().double()
    return one.shape == other.shape and torch.allclose(one, other, rtol=1e-4, atol=1e-5, equal_nan=True)


def _also(function: str, *twins: Callable[..., Tensor]) -> Callable[[Evidence], bool]:
    """Recognise further ways in which one mistake shows, other than by its `gives`."""

    def also(evidence: Evidence) -> bool:
        made, got = evidence.made, evidence.got
        judged = evidence.fault in ("value", "shape", "not_finite", "positions", "positions_order")
        return (
            judged
            and made is not None
            and made.function == function
            and any(_close(twin(*made.arguments), got) for twin in twins)
        )

    return also


def _entry(name: str, *twins: Callable[[Tensor], Tensor]) -> Callable[[Evidence], bool]:
    """The same for one entry of a record."""

    def entry(evidence: Evidence) -> bool:
        weights = evidence.want[name].made_by.arguments[0]
        right = evidence.want[name]
        got = evidence.got[name]
        return not _close(right, got) and any(_close(twin(weights), got) for twin in twins)

    return entry


def _entry_is(*kinds: type) -> Callable[[Evidence], bool]:
    """Tell whether an entry for which a list is asked is something of these kinds."""
    return lambda evidence: any(
        type(evidence.got[name]) in kinds for name in ("variance", "entropy") if name in evidence.want
    )


def _refused(*words: str) -> Callable[[Evidence], bool]:
    return lambda evidence: any(f"type {word}" in evidence.got["refused"] for word in words)


def _kind(*names: str) -> Callable[[Evidence], bool]:
    return lambda evidence: evidence.got["kind"] in names


def _holds(kind: Callable[[Any], bool]) -> Callable[[Evidence], bool]:
    """Tell whether all entries of the learner's list are of a kind."""
    return lambda evidence: bool(evidence.got) and all(kind(one) for one in evidence.got)


def _is_numpy(one: Any) -> bool:
    return type(one).__module__.partition(".")[0] == "numpy"


def _swapped(evidence: Evidence) -> bool:
    got, want = evidence.got, evidence.want
    return (got["max_query"], got["max_key"]) == (want["max_key"], want["max_query"])


def _places(evidence: Evidence) -> bool:
    return type(evidence.got["max_query"]) is int or type(evidence.got["max_key"]) is int


def _texts_for_numbers(evidence: Evidence) -> bool:
    numbers = [evidence.got.get(name) for name in ("n_tokens", "max_attention", "variance", "entropy")]
    return any(type(one) is str for one in numbers) or any(type(one) is str for one in evidence.got["variance"])


def _rounded(evidence: Evidence) -> bool:
    got = [evidence.got["max_attention"], *evidence.got["variance"], *evidence.got["entropy"]]
    return all(any(one == round(one, places) for places in (1, 2, 3)) for one in got) and all(
        abs(one - float(other)) < 0.01
        for name in ("max_attention", "variance", "entropy")
        for one, other in zip(_listed(evidence.got[name]), _listed(evidence.want[name].tolist()), strict=True)
    )


def _listed(one: Any) -> list[Any]:
    return one if type(one) is list else [one]


def _letters_dropped(evidence: Evidence) -> bool:
    return any(
        evidence.got[name] == evidence.want[name].encode("ascii", "ignore").decode() != evidence.want[name]
        for name in ("max_query", "max_key")
    )


def _example(evidence: Evidence) -> bool:
    return type(evidence.got) is Tensor and _close(torch.tensor([0.7, 0.2, 0.5]), evidence.got)


MISTAKES = [
    Mistake(
        "divided_by_all_queries",
        (*_RECEIVED, *_IGNORED),
        zh="每个键都除以了 n。\n因果掩码下，靠后的键只有少数查询看得到，这样除就冤枉了它们：除数应随键而变。",
        en="Every key is divided by n.\n"
        "Under a causal mask few queries see a late key, which is wronged so: the\n"
        "divisor depends on the key.",
        gives={"received": lambda w: w.mean(-2), "ignored": _low(lambda w: w.mean(-2))},
    ),
    Mistake(
        "rows_for_columns",
        (*_RECEIVED, *_IGNORED),
        zh="这是沿行算的：一个查询给出了多少。\n要的是一列：一个键从各个查询那里收到了多少。",
        en="This goes along the row: what a query gives.\n"
        "What is asked for is the column: what a key gets from the queries.",
        gives={"received": lambda w: w.mean(-1), "ignored": _low(lambda w: w.mean(-1))},
        when=_also("received", lambda w: w.sum(-1) / _counts(w)),
    ),
    Mistake(
        "sum_for_mean",
        _RECEIVED,
        zh="这是一列之和，还没有求平均：靠前的键有更多查询看得到，和自然大。\n差的是除数。",
        en="This is the column's sum, not its mean: more queries see an early key, so\n"
        "its sum is larger anyhow.\n"
        "A divisor is missing.",
        gives={"received": lambda w: w.sum(-2)},
    ),
    Mistake(
        "counts_reversed",
        _RECEIVED,
        zh="除数的次序反了：第一个键有 n 个查询看得到，最后一个键只有它自己。",
        en="The divisors run the wrong way: n queries see the first key, and only the\n"
        "last token itself sees the last.",
        gives={"received": lambda w: w.sum(-2) / _counts(w).flip(0)},
    ),
    Mistake(
        "count_off_by_one",
        _RECEIVED,
        zh="除数多数了 1 个查询。\n看得到键 j 的是查询 j 到 n−1，数一数有几个。",
        en="The divisors count one query too many.\nKey j is seen by queries j to n−1: count them.",
        gives={"received": lambda w: w.sum(-2) / (_counts(w) + 1)},
    ),
    Mistake(
        "own_query_left_out",
        _RECEIVED,
        zh="词元对自己的那份权重没有算进去。\n每个词元也看得到自己，对角线上的数要算。",
        en="The weight that a token gives itself is left out.\nEvery token sees itself: the diagonal counts.",
        gives={"received": _without_own},
        when=_also("received", lambda w: w.tril(-1).sum(-2) / _counts(w)),
    ),
    Mistake(
        "zero_weights_not_counted",
        _RECEIVED,
        zh="只数了权重大于 0 的查询。\n看得到却没有给（例如被丢弃了）的也是 0 份，要算在平均里。",
        en="Only queries with a weight above 0 are counted.\n"
        "One that could see the key and gave it nothing gave 0: it counts too.",
        gives={"received": lambda w: w.sum(-2) / (w > 0).sum(-2).clamp(min=1)},
    ),
    Mistake(
        "last_query_for_all",
        _RECEIVED,
        zh="这只是最后一个查询给的。\n要的是所有看得到这个键的查询的平均。",
        en="This is what the last query gives, alone.\nThe mean is over all queries that can see the key.",
        gives={"received": lambda w: w[..., -1, :]},
    ),
    Mistake(
        "largest_for_mean",
        _RECEIVED,
        zh="这是一列里最大的，不是平均：一个查询盯着它，就看不出其余的都不理它。",
        en="This is the column's largest, not its mean: one staring query hides that\nall others look away.",
        gives={"received": lambda w: w.amax(-2)},
    ),
    Mistake(
        "received_made_to_sum_to_one",
        _RECEIVED,
        zh="结果又被归一化了。\n收到的注意力不是分配，不必和为 1；归一化之后，不同长度的句子就没法比了。",
        en="The result is normalised once more.\nWhat keys receive is no distribution and need not add up to 1.",
        gives={"received": lambda w: _received(w) / _received(w).sum(-1, keepdim=True)},
    ),
    Mistake(
        "rows_renormalised",
        _RECEIVED,
        zh="每一行先被改成和为 1 了。\n丢弃之后行和不是 1，那也是事实：权重照原样使用。",
        en="Rows are made to sum to 1 first.\nAfter dropout they do not, and that is a fact: use them as they are.",
        gives={"received": lambda w: _received(_shares(w))},
    ),
    Mistake(
        "first_map_only",
        _RECEIVED,
        zh="只算了第一张图。\n前面有几个批次轴和头轴都照原样留着，每张图各有一行结果。",
        en="Only the first map is computed.\nWhatever axes stand in front stay, and each map has its own result.",
        gives={"received": _first_map},
    ),
    Mistake(
        "maps_averaged",
        (*_RECEIVED, *_SHARE),
        zh="各个头、各个样本被平均了：平均会掩盖差别。\n前面的轴照原样留着，每张图各有一个结果。",
        en="Heads and samples are averaged, which hides how they differ.\n"
        "The axes in front stay, and each map has its own result.",
        gives={
            "received": lambda w: _received(w).flatten(0, -2).mean(0),
            "share": lambda w, start, stop: _share(w, start, stop).mean(-1),
        },
    ),
    Mistake(
        "first_axis_summed",
        _RECEIVED,
        zh="加的是第 0 个轴：有批次轴时，那就不是查询了。\n查询轴总是倒数第二个，请从后往前数。",
        en="Axis 0 is summed: with a batch in front that is no longer the queries.\n"
        "They are always the last but one; count from the end.",
        gives={"received": lambda w: w.sum(0) / _counts(w)},
    ),
    Mistake(
        "received_example_only",
        _RECEIVED,
        zh="只对例子里的 3 个词元成立。\nn 要从输入的形状里读，除数也随它而定。",
        en="This holds for the 3 tokens of the example only.\n"
        "Read n off the input's shape; the divisors follow from it.",
        when=lambda evidence: (
            _example(evidence)
            if evidence.problem is None
            else isinstance(evidence.problem, RuntimeError) and "tensor b (3)" in str(evidence.problem)
        ),
    ),
    Mistake(
        "any_for_every",
        _IGNORED,
        zh="只要有一个样本或一个头低于阈值，就被列出来了。\n“被忽略”要求处处都低：两个轴都要“全部”，不是“有一个”。",
        en="A position is listed as soon as one sample or head is below the threshold.\n"
        "Ignored means everywhere: all, not any, on both axes.",
        gives={"ignored": lambda w, limit: _positions((_received(w) < limit).flatten(0, 1).any(0))},
        when=_also(
            "ignored",
            lambda w, limit: _positions((_received(w) < limit).any(1).all(0)),
            lambda w, limit: _positions((_received(w) < limit).any(0).all(0)),
        ),
    ),
    Mistake(
        "averaged_before_comparing",
        _IGNORED,
        zh="先在样本或头之间求了平均，再比较：一个盯着它的头就被别的头盖住了。\n先逐张图比较，再看是否处处如此。",
        en="Samples or heads are averaged before comparing: the others cover up one\n"
        "head that stares.\n"
        "Compare map by map, then ask if all agree.",
        gives={"ignored": lambda w, limit: _positions(_received(w).mean((0, 1)) < limit)},
        when=_also(
            "ignored",
            lambda w, limit: _positions((_received(w).mean(1) < limit).all(0)),
            lambda w, limit: _positions((_received(w).mean(0) < limit).all(0)),
        ),
    ),
    Mistake(
        "part_of_the_maps",
        _IGNORED,
        zh="只看了一个样本或一个头。\n别的图里也许正有查询盯着这个位置：每一张都要看。",
        en="Only one sample or one head is looked at.\n"
        "In another map some query may be staring at the position: look at all.",
        gives={"ignored": lambda w, limit: _ignored(w[:1], limit)},
        when=_also("ignored", lambda w, limit: _ignored(w[:, :1], limit), lambda w, limit: _ignored(w[:, -1:], limit)),
    ),
    Mistake(
        "above_threshold",
        _IGNORED,
        zh="比较的方向反了：列出来的是收到得多的位置。\n“被忽略”是低于阈值。",
        en="The comparison points the wrong way: these are the positions that receive\n"
        "much.\n"
        "Ignored means below the threshold.",
        gives={"ignored": lambda w, limit: _everywhere(_received(w) > limit)},
    ),
    Mistake(
        "single_weights_compared",
        _IGNORED,
        zh="比较的是单个的权重，不是收到的注意力。\n先对看得到它的查询求平均，再与阈值比。",
        en="Single weights are compared, not attention received.\n"
        "Take the mean over the queries that see the key first.",
        gives={"ignored": lambda w, limit: _everywhere((w < limit).all(-2))},
    ),
    Mistake(
        "threshold_fixed",
        _IGNORED,
        zh="阈值写死了，没有用传进来的 threshold。",
        en="The threshold is a fixed number; the argument is not used.",
        gives={"ignored": lambda w, limit: _ignored(w, 0.25)},
    ),
    Mistake(
        "listed_per_map",
        _IGNORED,
        zh="每张图里低于阈值的位置都列了出来，所以有重复。\n要先问是否处处都低，再列位置，每个一次。",
        en="Positions are listed for every map, hence the repetitions.\n"
        "First ask whether all maps agree, then list each position once.",
        gives={"ignored": lambda w, limit: (_received(w) < limit).nonzero()[:, -1].sort().values},
    ),
    Mistake(
        "counted_from_one",
        _IGNORED,
        zh="位置是从 1 数起的。\nPython 里第一个词元是位置 0。",
        en="The positions are counted from 1.\nIn Python the first token is at 0.",
        gives={"ignored": lambda w, limit: _ignored(w, limit) + 1},
    ),
    Mistake(
        "end_left_out",
        _IGNORED,
        zh="第一个或最后一个位置没有查。\n每个位置都可能被忽略，两端也一样。",
        en="The first or the last position is never looked at.\nAny may be ignored, the two ends as well.",
        gives={"ignored": lambda w, limit: _ignored(w, limit)[_ignored(w, limit) < w.shape[-1] - 1]},
        when=_also("ignored", lambda w, limit: _ignored(w, limit)[_ignored(w, limit) > 0]),
    ),
    Mistake(
        "positions_unsorted",
        _IGNORED,
        zh="位置都对，次序不对：要从小到大，不按收到多少来排。",
        en="The positions are right, their order is not: ascending by position, not by\nwhat they receive.",
        faults=("positions_order",),
        when=lambda evidence: len(set(evidence.got)) == len(evidence.got),
    ),
    Mistake(
        "not_a_plain_list",
        _IGNORED,
        zh="返回的不是普通的列表：张量、集合或单个的数。\n只有一个位置、一个也没有时，也要是列表。",
        en="What comes back is no plain list but a tensor, a set or a single number.\n"
        "For one position, or none, it is a list as well.",
        faults=("not_a_list",),
        when=lambda evidence: type(evidence.got).__name__ in ("Tensor", "set", "int", "ndarray", "tuple"),
    ),
    Mistake(
        "tensors_or_numpy_in_list",
        _IGNORED,
        zh="列表里装的是张量或 numpy 的数，JSON 写不出它们。\n要普通的 int。",
        en="The list holds tensors or numpy numbers, which JSON cannot write.\nPlain ints are asked for.",
        faults=("not_an_int",),
        when=_holds(lambda one: isinstance(one, Tensor) or _is_numpy(one)),
    ),
    Mistake(
        "list_in_list",
        _IGNORED,
        zh="列表里套着列表：nonzero 给每个位置一行，还差把它摊平一步。",
        en="There are lists in the list: nonzero gives a row for each position, and\none flattening is missing.",
        faults=("not_an_int",),
        when=_holds(lambda one: type(one) is list),
    ),
    Mistake(
        "booleans_for_positions",
        _IGNORED,
        zh="这是每个位置的“是”或“否”。\n要的是回答“是”的那些位置的编号。",
        en="This is a yes or no for every position.\nWhat is asked for are the numbers of those with yes.",
        faults=("not_an_int",),
        when=_holds(lambda one: type(one) is bool),
    ),
    Mistake(
        "none_for_empty",
        _IGNORED,
        zh="没有被忽略的位置时，返回了 None。\n空列表也是列表：调用的人照样可以数它、遍历它。",
        en="Where nobody is ignored, None comes back.\n"
        "An empty list is a list too: callers can count it and go through it.",
        faults=("returned_nothing",),
        when=lambda evidence: evidence.got is None and len(evidence.want) == 0,
    ),
    Mistake(
        "largest_swapped",
        _RECORD,
        zh="最大权重的查询和键对调了。\n行是提问的词元（查询），列是被看的词元（键）。",
        en="Query and key of the largest weight are swapped.\n"
        "The row is the token that asks, the column the one looked at.",
        faults=("entry_text",),
        when=_swapped,
    ),
    Mistake(
        "places_for_texts",
        _RECORD,
        zh="max_query 和 max_key 写成了位置。\n看记录的人手边没有词元表：要写文字。",
        en="max_query and max_key hold positions.\n"
        "Whoever reads the record has no list of tokens at hand: write the texts.",
        faults=("entry_kind",),
        when=_places,
    ),
    Mistake(
        "largest_of_last_query",
        _RECORD,
        zh="最大值只在最后一个查询里找了。\n要的是整张图里最大的权重。",
        en="The largest is looked for in the last query only.\nThe whole map is asked for.",
        gives={"largest": lambda w: w[-1].max()},
    ),
    Mistake(
        "first_query_not_searched",
        _RECORD,
        zh="找最大值时漏掉了第一个查询。\n它的权重有时正是最大的，那也是观测到的事实。",
        en="The first query is left out of the search.\nIts weight may well be the largest, and that was observed too.",
        gives={"largest": lambda w: w[1:].max()},
    ),
    Mistake(
        "diagonal_not_searched",
        _RECORD,
        zh="找最大值时漏掉了对角线。\n词元也看自己，那些权重也算。",
        en="The diagonal is left out of the search.\nTokens look at themselves too, and those weights count.",
        gives={"largest": lambda w: w.tril(-1).max()},
    ),
    Mistake(
        "largest_of_renormalised",
        _RECORD,
        zh="每一行先被改成和为 1，再找最大的。\n记录要照原样：丢弃之后行和不是 1，也要看得出来。",
        en="Rows are made to sum to 1 before the search.\n"
        "A record keeps what was: after dropout rows do not sum to 1, and it should\n"
        "show.",
        gives={"largest": lambda w: _shares(w).max()},
    ),
    Mistake(
        "largest_of_busiest_key",
        _RECORD,
        zh="先挑了总共收到最多的键，再取它的最大权重。\n最大的单个权重可能在别的键上。",
        en="The key that gets most in all is chosen first, then its largest weight.\n"
        "The largest single weight may lie on another key.",
        gives={"largest": lambda w: w[:, w.sum(0).argmax()].max()},
    ),
    Mistake(
        "sample_variance",
        _RECORD,
        zh="方差除以了个数减 1，这是样本方差；只看得到一个键时还会得到 nan。\n这里要总体方差。",
        en="The variance is divided by the count less 1, as for a sample; with one\n"
        "key it is nan.\n"
        "The population's variance is asked for.",
        gives={"variance": _by_rows(_sample_variance)},
        when=_entry("variance", _by_rows(lambda row: torch.var(row) if len(row) > 1 else row.new_tensor(math.nan))),
    ),
    Mistake(
        "variance_of_whole_row",
        _RECORD,
        zh="方差算了整行，连对角线以上的 0 也算上了。\n那些键没有被看到：只看第 i 行的前 i + 1 个数。",
        en="The variance takes the whole row, with the 0s above the diagonal.\n"
        "Those keys were not seen: row i has i + 1 numbers.",
        gives={"variance": lambda w: w.double().var(-1, correction=0)},
    ),
    Mistake(
        "variance_of_columns",
        _RECORD,
        zh="方差是沿列算的，每个键一个。\n要每个查询一个：看它怎样在各个键之间分配。",
        en="The variance goes down the columns, one for each key.\n"
        "One for each query is asked for: how it shares among the keys.",
        gives={
            "variance": lambda w: torch.stack([_variance(w.double()[j:, j]) for j in range(len(w))]),
        },
    ),
    Mistake(
        "variance_of_weights_above_zero",
        _RECORD,
        zh="方差只算了大于 0 的权重。\n看得到却得了 0（例如被丢弃）的键也要算。",
        en="The variance takes only weights above 0.\nA key that was seen and got 0, by dropout for one, counts too.",
        gives={"variance": _by_rows(_of_kept)},
    ),
    Mistake(
        "deviation_for_variance",
        _RECORD,
        zh="这是标准差，差一个平方。",
        en="This is the standard deviation: a square is missing.",
        gives={"variance": _by_rows(lambda row: torch.std(row, correction=0))},
    ),
    Mistake(
        "mean_not_taken_off",
        _RECORD,
        zh="这是平方的平均，没有减去平均值：权重都一样时，它也不是 0。",
        en="This is the mean of the squares, with the mean not taken off: it is not\n0 where all weights are equal.",
        gives={"variance": _by_rows(lambda row: row.square().mean())},
    ),
    Mistake(
        "variance_of_renormalised",
        _RECORD,
        zh="每一行先被改成和为 1，再算方差。\n记录要照原样：权重是多少就用多少。",
        en="Rows are made to sum to 1 before the variance.\nA record keeps what was: take the weights as they are.",
        gives={"variance": lambda w: _by_rows(_variance)(_shares(w))},
    ),
    Mistake(
        "record_of_softmax_again",
        _RECORD,
        zh="权重又过了一遍 softmax，差别被抹平了。\n它们已经是权重，照原样量。",
        en="The weights went through softmax once more, which levels them out.\n"
        "They are weights already: measure them as they are.",
        gives={
            "variance": lambda w: _by_rows(_variance)(_softmax_again(w)),
            "entropy": lambda w: _entropies(_softmax_again(w)),
        },
    ),
    Mistake(
        "record_entropy_in_bits",
        _RECORD,
        zh="熵的单位是比特：用了以 2 为底的对数。\n本课用自然对数，单位 nat。",
        en="This entropy is in bits, from a logarithm to base 2.\nThe lesson counts in nats, by the natural logarithm.",
        gives={"entropy": lambda w: _entropies(w) / math.log(2)},
    ),
    Mistake(
        "record_entropy_over_largest",
        _RECORD,
        zh="熵除以了它可能的最大值。\n那是另一个量；记录里要 nat 为单位的熵本身。",
        en="The entropy is divided by the largest it could be.\nThat is another quantity; the record wants nats.",
        gives={"entropy": lambda w: _entropies(w) / _most(w)},
    ),
    Mistake(
        "record_log_of_zero",
        _RECORD,
        zh="ln 0 是 −∞，0 × −∞ 是 nan，整行的和就成了 nan 或被抹成 0。\n权重为 0 的那一项应是 0。",
        en="ln 0 is −∞, and 0 × −∞ is nan, which spoils the row's sum, or empties it\n"
        "where nan is made 0.\n"
        "A weight of 0 contributes 0.",
        gives={"entropy": lambda w: -(w * w.log()).sum(-1)},
        when=_entry("entropy", _by_rows(_plogp), lambda w: torch.nan_to_num(_by_rows(_plogp)(w))),
    ),
    Mistake(
        "record_large_number_in_log",
        _RECORD,
        zh="对数里加的数太大，熵被改动了。\n要防的只是 0：加的数要小得看不出来，或者单独处理 0。",
        en="The number added inside the logarithm is too large: the entropy changes.\nOnly 0 is to be guarded against.",
        when=_entry(
            "entropy",
            *(lambda w, small=10.0**-k: -(w * (w + small).log()).sum(-1) for k in (1, 2, 3)),  # type: ignore[misc]
        ),
    ),
    Mistake(
        "record_entropy_of_renormalised",
        _RECORD,
        zh="每一行先被改成和为 1，再算熵（Categorical 就会这样做）。\n权重照原样使用，丢弃过的也一样。",
        en="Rows are made to sum to 1 before the entropy, as Categorical does.\n"
        "Take the weights as they are, after dropout as well.",
        gives={"entropy": lambda w: _entropies(_shares(w))},
        when=_entry("entropy", lambda w: torch.distributions.Categorical(probs=w).entropy()),
    ),
    Mistake(
        "record_entropy_sign",
        _RECORD,
        zh="熵的符号反了：ln w 是负数，前面要有负号，熵从不小于 0。",
        en="The entropy has the wrong sign: ln w is negative and needs a minus; no\nentropy of such a row is below 0.",
        gives={"entropy": lambda w: -_entropies(w)},
    ),
    Mistake(
        "record_entropy_of_columns",
        _RECORD,
        zh="熵是沿列加的，每个键一个。\n要每个查询一个：一行才是一次分配。",
        en="The entropy is added down the columns, one for each key.\n"
        "One for each query is asked for: a row is what gets shared out.",
        gives={"entropy": lambda w: torch.special.entr(w.double()).sum(0)},
    ),
    Mistake(
        "one_number_for_the_map",
        _RECORD,
        zh="整张图只有一个数。\n方差和熵要每个查询一个，放在列表里：谁集中、谁分散才看得出来。",
        en="There is one number for the whole map.\nVariance and entropy are lists, one number for each query.",
        faults=("entry_length",),
        when=_entry_is(float, int),
    ),
    Mistake(
        "record_of_last_query",
        _RECORD,
        zh="只有最后一个查询的数。\n要每个查询一个，共 n 个。",
        en="Only the last query's number is there.\nOne for each query is asked for, n in all.",
        faults=("entry_length",),
        when=lambda evidence: (
            len(evidence.got["variance"]) == 1 < len(evidence.want["variance"])
            and type(evidence.got["variance"]) is list
        ),
    ),
    Mistake(
        "numbers_as_texts",
        _RECORD,
        zh="数写成了文字：读回来的人没法拿它计算。\nJSON 认识数和列表，不必先变成文字。",
        en="Numbers are written as texts: whoever reads them back cannot compute.\n"
        "JSON knows numbers and lists as they are.",
        faults=("entry_kind", "entry_length"),
        when=_texts_for_numbers,
    ),
    Mistake(
        "tensors_in_record",
        _RECORD,
        zh="字典里还有张量，JSON 写不出它。\n逐项看：哪些还不是普通的数、文字或列表？",
        en="There are tensors in the dict, and JSON cannot write them.\n"
        "Go through the entries: which is not yet a plain number, text or list?",
        faults=("json_refused",),
        when=_refused("Tensor"),
    ),
    Mistake(
        "numpy_in_record",
        _RECORD,
        zh="字典里有 numpy 的数或数组，JSON 写不出它们。\n变成普通的数再放进去。",
        en="There are numpy numbers or arrays in the dict, and JSON cannot write them.\n"
        "Make plain numbers of them first.",
        faults=("json_refused",),
        when=_refused("float32", "float64", "int32", "int64", "ndarray"),
    ),
    Mistake(
        "written_already",
        _RECORD,
        zh="返回的已经是 JSON 文字。\n要的是字典：写成文字是调用的人的事，他还要往里加问题和答案。",
        en="JSON text comes back already.\nA dict is asked for: the caller adds question and answer, and writes it.",
        faults=("not_a_dict",),
        when=_kind("str"),
    ),
    Mistake(
        "values_without_keys",
        _RECORD,
        zh="只有值，没有键：过一年就没人知道第三个数是什么。\n要字典，键的名字见任务。",
        en="There are values without keys: in a year nobody knows what the third is.\n"
        "A dict is asked for, with the keys of the task.",
        faults=("not_a_dict",),
        when=_kind("tuple", "list"),
    ),
    Mistake(
        "key_missing",
        _RECORD,
        zh="少了一个键，或者名字写得不一样。\n读日志的程序按名字找：对照任务里的名字。",
        en="A key is missing, or spelt another way.\nPrograms that read the log go by name: compare with the task.",
        faults=("no_key",),
    ),
    Mistake(
        "repeated_tokens_counted_once",
        _RECORD,
        zh="重复的词元只数了一次。\nn_tokens 是位置的个数，同一个词出现两次算两个。",
        en="Repeated tokens are counted once.\n"
        "n_tokens is the number of positions: a word that comes twice counts twice.",
        faults=("entry_value",),
        when=lambda evidence: 0 < evidence.got["n_tokens"] < evidence.want["n_tokens"],
    ),
    Mistake(
        "weights_counted_for_tokens",
        _RECORD,
        zh="n_tokens 数的是权重的个数。\n要的是词元的个数。",
        en="n_tokens counts the weights.\nThe number of tokens is asked for.",
        faults=("entry_value",),
        when=lambda evidence: evidence.got["n_tokens"] == evidence.want["n_tokens"] ** 2 > 1,
    ),
    Mistake(
        "letters_dropped",
        _RECORD,
        zh="词元里的非英文字符被去掉了。\nJSON 写得出所有文字，记录不该改动它们。",
        en="Characters outside ASCII were dropped from the tokens.\n"
        "JSON writes every script; a record should not alter texts.",
        faults=("entry_text",),
        when=_letters_dropped,
    ),
    Mistake(
        "record_rounded",
        _RECORD,
        zh="数被四舍五入到了一两位小数。\n显示时取整无妨；记录里丢掉的位数回不来。",
        en="The numbers are rounded to a few places.\nRound what is shown; digits lost in a record do not come back.",
        faults=("entry_value",),
        when=_rounded,
    ),
    Mistake(
        "stop_included",
        _SHARE,
        zh="stop 那个键也算进去了。\n与切片一样，stop 自己不算在内。",
        en="The key at stop is counted in.\nAs in slices, stop itself is not included.",
        gives={"share": lambda w, start, stop: _share(w, start, stop + 1)},
    ),
    Mistake(
        "start_left_out",
        _SHARE,
        zh="start 那个键漏掉了。\n与切片一样，从 start 自己开始。",
        en="The key at start is left out.\nAs in slices, start itself is included.",
        gives={"share": lambda w, start, stop: _share(w, start + 1, stop)},
    ),
    Mistake(
        "passage_counted_from_one",
        _SHARE,
        zh="整段往前错了一位：位置从 0 数起，不是从 1。",
        en="The passage is one place too early: positions count from 0, not from 1.",
        gives={"share": lambda w, start, stop: _share(w, start - 1, stop - 1)},
    ),
    Mistake(
        "stop_as_length",
        _SHARE,
        zh="stop 被当成了长度。\n它是结束的位置，不是键的个数。",
        en="stop is taken for a length.\nIt is where the passage ends, not how many keys it has.",
        gives={"share": lambda w, start, stop: _share(w, start, start + stop)},
    ),
    Mistake(
        "mean_of_passage",
        _SHARE,
        zh="这是这一段的平均权重。\n份额是加起来的：段越长，吸走的越多。",
        en="This is the passage's mean weight.\nA share adds up: a longer passage draws more.",
        gives={"share": lambda w, start, stop: w[..., -1, start:stop].mean(-1)},
    ),
    Mistake(
        "largest_of_passage",
        _SHARE,
        zh="这是这一段里最大的权重。\n份额是整段加起来的。",
        en="This is the passage's largest weight.\nA share adds up the whole of it.",
        gives={"share": lambda w, start, stop: w[..., -1, start:stop].amax(-1)},
    ),
    Mistake(
        "another_query",
        _SHARE,
        zh="量的是另一个查询。\n答案从最后一个查询来，要看的是最后一行。",
        en="Another query is measured.\nThe answer comes from the last one: look at the last row.",
        gives={"share": _inside(lambda w: w[..., 0, :])},
        when=_also(
            "share",
            _inside(lambda w: w[..., -2, :]),
            lambda w, start, stop: w[..., stop - 1, start:stop].sum(-1),
        ),
    ),
    Mistake(
        "queries_averaged",
        _SHARE,
        zh="把好几个查询合在了一起。\n答案只从最后一个查询来，别的查询给多少与它无关。",
        en="Several queries are put together.\n"
        "The answer comes from the last one alone; what others give is beside the\n"
        "point.",
        gives={"share": _inside(lambda w: w.mean(-2))},
        when=_also(
            "share",
            _inside(lambda w: w.sum(-2)),
            lambda w, start, stop: w[..., start:, start:stop].sum(-1).mean(-1),
        ),
    ),
    Mistake(
        "all_queries_returned",
        _SHARE,
        zh="每个查询都得到了一个数。\n只要最后一个查询的：答案从那里来。",
        en="Every query has its number.\nOnly the last one's is asked for: the answer comes from there.",
        gives={"share": _inside(lambda w: w)},
    ),
    Mistake(
        "query_and_key_axes_swapped",
        _SHARE,
        zh="查询和键对调了：这是各个查询给最后一个键的权重。\n行是查询，列是键。",
        en="Queries and keys are swapped: these are weights on the last key.\nRows are queries, columns are keys.",
        gives={"share": lambda w, start, stop: w[..., start:stop, -1].sum(-1)},
    ),
    Mistake(
        "part_of_whole_map",
        _SHARE,
        zh="除以了整张图的和。\n一行的和本来就是 1，份额不用再除。",
        en="The sum of the whole map divides.\nA row adds up to 1 as it is: a share needs no divisor.",
        gives={"share": lambda w, start, stop: _share(w, start, stop) / w.sum((-2, -1))},
    ),
    Mistake(
        "ratio_to_the_rest",
        _SHARE,
        zh="这是这一段与其余的比，可以大于 1。\n份额是占全部的多少。",
        en="This is the ratio of the passage to the rest and may exceed 1.\nA share is a part of the whole.",
        gives={"share": lambda w, start, stop: _share(w, start, stop) / (1 - _share(w, start, stop) + 1e-9)},
    ),
    Mistake(
        "the_rest",
        _SHARE,
        zh="这是其余的键得到的份额。\n要的是这一段自己的。",
        en="This is the share of all other keys.\nThe passage's own is asked for.",
        gives={"share": lambda w, start, stop: 1 - _share(w, start, stop)},
    ),
    Mistake(
        "compared_with_even_share",
        _SHARE,
        zh="除以了平均分配时的份额：那是“多少倍”，不是份额。\n对照是下一步的事。",
        en="It is divided by the share under even attention: that says how many times,\n"
        "not how much.\n"
        "Comparing comes later.",
        gives={"share": lambda w, start, stop: _share(w, start, stop) * w.shape[-1] / (stop - start)},
    ),
    Mistake(
        "own_key_left_out",
        _SHARE,
        zh="最后一个词元给自己的权重被去掉了，其余的又归一化了一遍。\n一行照原样，自己那份也算在 1 里。",
        en="The last token's own key is left out, and the others normalised anew.\n"
        "Take the row as it is: its own weight is part of the 1.",
        gives={"share": _inside(lambda w: w[..., -1, :-1] / w[..., -1, :-1].sum(-1, keepdim=True))},
    ),
    Mistake(
        "batch_axes_forgotten",
        _SHARE,
        zh="下标从前面的轴取起：有批次轴时，取到的是最后一句话，不是最后一个查询。\n从后往前数轴。",
        en="The index is on the first axis: in a batch that is the last sentence, not\n"
        "the last query.\n"
        "Count axes from the end.",
        gives={"share": lambda w, start, stop: w[-1][..., start:stop].sum(-1)},
        when=_also("share", lambda w, start, stop: w[-1, start:stop].sum()),
    ),
    Mistake(
        "maps_put_together",
        _SHARE,
        zh="各张图的数被合成了一个。\n每个批次、每个头各得一个数。",
        en="The numbers of all maps are put into one.\nEvery map of the batch gets its own.",
        gives={"share": lambda w, start, stop: _share(w, start, stop).sum()},
        when=_also("share", lambda w, start, stop: _share(w, start, stop).max()),
    ),
    Mistake(
        "share_axis_kept",
        _SHARE,
        zh="多留了一个大小为 1 的轴。\n一张图得一个数，键的轴加完就该没有了。",
        en="An axis of size 1 is left over.\nOne number for a map: once keys are added up, their axis is gone.",
        gives={"share": lambda w, start, stop: _share(w, start, stop).unsqueeze(-1)},
    ),
    Mistake(
        "share_in_per_cent",
        _SHARE,
        zh="这是百分数。\n份额在 0 与 1 之间。",
        en="This is per cent.\nA share lies between 0 and 1.",
        gives={"share": lambda w, start, stop: 100 * _share(w, start, stop)},
    ),
    Mistake(
        "share_of_softmax_again",
        _SHARE,
        zh="权重又过了一遍 softmax，差别被抹平了。\n它们已经是权重，照原样加。",
        en="The weights went through softmax once more, which levels them out.\n"
        "They are weights already: add them as they are.",
        gives={"share": _inside(lambda w: w[..., -1, :].softmax(-1))},
    ),
    Mistake(
        "passage_fixed",
        _SHARE,
        zh="这一段写死了，start 和 stop 没有用上。",
        en="The passage is fixed; start and stop are not used.",
        gives={"share": lambda w, start, stop: _share(w, 1, 3)},
    ),
]
