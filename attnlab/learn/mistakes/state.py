"""Mistakes in what a module keeps, takes and gives back: its mask, its lengths, its arguments, its result."""

from typing import Any

from attnlab.learn.faults import frames_of
from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.habits import close, line_of

_MODULES = ("causal_attention", "multi_head_attention")


def _raw_parameter(evidence: Evidence) -> bool:
    """Tell whether a parameter is there that no layer holds, beside those asked for."""
    others = set(evidence.got) - set(evidence.want)
    return any("mask" in name.lower() or "." not in name for name in others)


def _too_strict(evidence: Evidence) -> bool:
    """Tell whether forward's own refusal met a sentence that is short enough."""
    refused = isinstance(evidence.problem, (AssertionError, ValueError))
    made = any(frame.name == "__init__" for frame in frames_of(evidence.problem))
    return refused and not made and line_of(evidence).lstrip().startswith(("assert ", "assert(", "raise "))


def _no_dropout_argument(evidence: Evidence) -> bool:
    said = str(evidence.problem)
    few = "unexpected keyword argument 'dropout'" in said or "positional arguments but" in said
    return isinstance(evidence.problem, TypeError) and few


def _squeezed(evidence: Evidence) -> bool:
    """Tell whether an axis of size 1 is gone."""
    want = tuple(evidence.want) if isinstance(evidence.want, (tuple, list)) else tuple(evidence.want.shape)
    found = tuple(evidence.got.shape)
    return len(found) < len(want) and [size for size in found if size != 1] == [size for size in want if size != 1]


def _fixed_batch(evidence: Evidence) -> bool:
    """Tell whether as many numbers came out as should, but for another number of sentences."""
    want = tuple(evidence.want) if isinstance(evidence.want, (tuple, list)) else tuple(evidence.want.shape)
    found = tuple(evidence.got.shape)
    return len(found) == len(want) == 3 and found[0] != want[0] and found[1] == want[1]


def _weights_alone(*arguments: Any, **options: Any) -> tuple[Any, Any]:
    from attnlab.learn.reference import causal_attention  # it imports this package

    weights = causal_attention(*arguments, **options)[1]
    return weights, weights


MISTAKES = [
    Mistake(
        "mask_a_parameter",
        _MODULES,
        zh="掩码登记成了 Parameter：它会进入参数表，优化器可能改动它，而它不是要学的数。\n它该是缓冲区。",
        en="The mask is a Parameter: it stands among what is trained, and is nothing\n"
        "that should be learned.\n"
        "It belongs into a buffer.",
        faults=("other_parameter", "not_trainable"),
        when=_raw_parameter,
    ),
    Mistake(
        "mask_not_a_buffer",
        _MODULES,
        zh="模块没有登记任何缓冲区：掩码是新造的、来自 notebook，或另存在别处。\n缓冲区跟着模块走，也存进 state_dict。",
        en="The module has no buffer: the mask is made anew, comes from the notebook,\n"
        "or is kept as something else.\n"
        "A buffer moves and is saved with the module.",
        faults=("no_mask_buffer",),
        when=lambda evidence: not evidence.got,
    ),
    Mistake(
        "context_length_not_enforced",
        _MODULES,
        zh="超过 context_length 的句子也被接受了（或者被悄悄截短）。\n它是约定的上限：更长的应当报错，而不是给出结果。",
        en="A sentence longer than context_length was accepted, or quietly cut short.\n"
        "It is the agreed limit: beyond it, an exception, not a result.",
        faults=("too_long",),
    ),
    Mistake(
        "context_length_too_strict",
        _MODULES,
        zh="长度合适的句子也被拒绝了：恰好 context_length 个词元应当可以。\n看看比较的时候要不要算上等号。",
        en="A sentence that is short enough was refused: exactly context_length tokens\n"
        "are fine.\n"
        "See whether your comparison should include equality.",
        when=_too_strict,
    ),
    Mistake(
        "dropout_argument_missing",
        _MODULES,
        zh="__init__ 收不下 dropout：任务里的参数有名字，也有次序，调用的人两种写法都会用。",
        en="__init__ does not take dropout: the task gives its arguments names and an\norder, and callers use both.",
        when=_no_dropout_argument,
    ),
    Mistake(
        "arguments_in_another_order",
        _MODULES,
        zh="丢弃的概率收到了句子长度：__init__ 的参数次序与任务里的不同。\n调用的人按次序传。",
        en="Dropout got a length for its probability: the arguments of __init__ stand\n"
        "in another order than in the task.\n"
        "Callers pass them by position.",
        when=lambda evidence: "dropout probability has to be between" in str(evidence.problem),
    ),
    Mistake(
        "state_changed_by_call",
        ("self_attention_v1", "self_attention_v2", *_MODULES),
        zh="forward 改动了模块自己的参数或缓冲区：下一句话就会受上一句的影响。\n只在 __init__ 里写 self 的属性。",
        en="forward changes the module's own parameters or buffers: one sentence then\n"
        "leaves its mark on the next.\n"
        "Set attributes of self in __init__ alone.",
        faults=("state_changed",),
    ),
    Mistake(
        "axis_squeezed",
        ("causal_mask", *_MODULES),
        zh="大小为 1 的轴被压掉了：只有一句话或一个词元时，形状就与别的时候不同。\n看看哪一步去掉了它。",
        en="An axis of size 1 was squeezed away: for one sentence or one token the\n"
        "shape differs from all others.\n"
        "Look for the step that drops it.",
        faults=("shape",),
        when=_squeezed,
    ),
    Mistake(
        "fixed_batch_size",
        _MODULES,
        zh="批次的大小写死了：换一个批次，句子就被拼错或丢掉。\n从输入的形状里读出 b。",
        en="The batch size is fixed in the code: with another one sentences get lost\n"
        "or mixed up.\n"
        "Read it off the input's shape.",
        faults=("shape",),
        when=_fixed_batch,
    ),
    Mistake(
        "layer_gets_no_gradient",
        ("causal_attention",),
        zh="收不到梯度的层在训练中不会变，它看什么就学不到。\n从它的输出一直看到最后的和：哪里断开，或者绕过了它？",
        en="A layer without a gradient stays in training as it is, and learns nothing.\n"
        "Follow its output to the final sum: where is it cut off, or passed by?",
        faults=("no_gradient",),
    ),
    Mistake(
        "last_token_only",
        _MODULES,
        zh="只返回了最后一个词元的输出：训练时每个位置都要猜下一个，少一个都不行。",
        en="Only the last token's output comes back: in training every position\n"
        "guesses the next token, and all of them are needed.",
        faults=("shape",),
        when=lambda evidence: (
            close(evidence.got, evidence.want[..., -1, :]) or close(evidence.got, evidence.want[..., -1:, :])
        ),
    ),
    Mistake(
        "weights_for_context",
        ("causal_attention",),
        zh="返回的是权重，不是上下文：还差最后一步，拿权重去混合值向量。",
        en="The weights come back, not the context: one step is missing, in which they\nmix the values.",
        gives={"causal_attention": _weights_alone},
    ),
]
