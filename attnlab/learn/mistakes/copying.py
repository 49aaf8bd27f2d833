"""Mistakes in copying the weights of one module into another."""

import torch
from torch import Tensor

from attnlab.learn.mistakes import Mistake
from attnlab.learn.mistakes.evidence import Evidence
from attnlab.learn.mistakes.habits import close, line_of

_COPY = ("copy_weights",)


def _said(evidence: Evidence, kind: type[BaseException], *parts: str) -> bool:
    return isinstance(evidence.problem, kind) and any(part in str(evidence.problem) for part in parts)


def _not_transposed(evidence: Evidence) -> bool:
    if evidence.fault == "parameter_shape":
        return "W_q" in evidence.want and all(evidence.got[name] == size[::-1] for name, size in evidence.want.items())
    # Without a line of the learner's it is the check itself that could not load something.
    return bool(line_of(evidence)) and _said(
        evidence, RuntimeError, "must match the size of tensor", "must match the existing size"
    )


def _reshaped(name: str, given: dict[str, Tensor], before: dict[str, Tensor]) -> Tensor:
    rows, columns = given[name].shape
    if rows == columns:
        raise ValueError("to reshape changes nothing")
    return given[name].reshape(columns, rows)


def _another_matrix(evidence: Evidence) -> bool:
    assert evidence.made is not None
    name, given, _ = evidence.made.arguments
    return evidence.made.function == "copied" and any(
        torch.equal(evidence.got, weight.T) for other, weight in given.items() if other != name
    )


def _original_turned(evidence: Evidence) -> bool:
    return all(evidence.got[name] == shape[::-1] for name, shape in evidence.want.items()) and all(
        name.endswith(".weight") for name in evidence.want
    )


def _original_changed(evidence: Evidence) -> bool:
    assert evidence.made is not None
    return evidence.made.function == "kept" and not close(evidence.got, evidence.want)


MISTAKES = [
    Mistake(
        "memory_shared",
        _COPY,
        zh="转置和 .data 都不造新的张量，只是同一块内存的另一种读法：训练一个，另一个也在变。\n"
        "副本要有自己的内存，见 2.6 节的例子。",
        en="A transpose or .data makes no new tensor, it reads the same memory: train\n"
        "one module and the other changes along.\n"
        "A copy needs memory of its own.",
        faults=("not_independent",),
    ),
    Mistake(
        "copied_untransposed",
        _COPY,
        zh="权重原样抄了过来，没有转置：V2 存 (d_out, d_in)，V1 存 (d_in, d_out)。\n方阵时形状碰巧相同，也还是要转置。",
        en="The weight is copied as it is stored.\n"
        "V2 keeps (d_out, d_in), V1 keeps (d_in, d_out): a transpose is missing,\n"
        "even where both sizes are equal.",
        gives={"copied": lambda name, given, before: given[name]},
        when=_not_transposed,
    ),
    Mistake(
        "reshaped_for_transposed",
        _COPY,
        zh="形状对了，数字的位置却错了：改形状（reshape 或 view）只是按原来的次序重新断行。\n要交换的是两个轴。",
        en="The shape fits, the numbers are in the wrong places: a reshape only breaks\n"
        "the same order into other rows.\n"
        "It is two axes that should change places.",
        gives={"copied": _reshaped},
    ),
    Mistake(
        "another_matrix_copied",
        _COPY,
        zh="抄错了矩阵：这里的数是 V2 另一个层的权重。\n一行一行对照左右两边的名字。",
        en="The wrong matrix was copied: these are the numbers of another layer of V2.\n"
        "Compare the names on both sides, line by line.",
        faults=("value",),
        when=_another_matrix,
    ),
    Mistake(
        "nothing_arrived",
        _COPY,
        zh="V1 的这个矩阵还是原来的数：什么也没有写进去。\n"
        "给一个名字换个值，或写进一份副本，都碰不到模块。\n"
        "看看数最后写到了哪里。",
        en="This matrix of V1 is what it was: nothing was written into it.\n"
        "Binding a name anew, or writing into a clone, does not reach the module.\n"
        "Where do the numbers go?",
        gives={"copied": lambda name, given, before: before[name]},
    ),
    Mistake(
        "copied_the_other_way",
        _COPY,
        zh="抄反了方向：V2 的权重成了 V1 原来的数。\n要写进去的是 V1，V2 只供读取。",
        en="The copy went the other way: V2 now holds the numbers that V1 had.\n"
        "V1 is what should be written to; V2 is only read.",
        gives={"kept": lambda name, given, before: before[name].T},
    ),
    Mistake(
        "added_to_the_old",
        _COPY,
        zh="新的权重加在了旧的上面：V1 里是两者之和。\n复制是用新数换掉旧数。",
        en="The new weights were added to the old ones: V1 holds the sum of both.\nA copy replaces what was there.",
        gives={"copied": lambda name, given, before: before[name] + given[name].T},
    ),
    Mistake(
        "original_transposed",
        _COPY,
        zh="V2 自己的权重被转置了，它从此算不对，甚至算不了。\n转置要得到新的结果，不要动 V2。",
        en="V2's own weight was transposed, and V2 no longer computes what it did.\n"
        "Let the transpose give something new, and leave V2 alone.",
        faults=("parameter_shape",),
        when=_original_turned,
    ),
    Mistake(
        "original_changed",
        _COPY,
        zh="复制之后，V2 的权重变了。\n被复制的只供读取，应当保持原样。\n看看哪一步写到了 V2。",
        en="After the copy V2's weights are not what they were.\n"
        "What is copied from is only read.\n"
        "Look for the step that writes to V2.",
        faults=("value",),
        when=_original_changed,
    ),
    Mistake(
        "leaf_changed_in_place",
        _COPY,
        zh="PyTorch 不许就地改动正在记录计算图的参数：否则梯度就算不对了。\n复制不属于计算图，见提示 1。",
        en="PyTorch refuses to change a parameter in place while the graph is\n"
        "recorded: gradients would go wrong.\n"
        "A copy is no part of the graph; see hint 1.",
        when=lambda evidence: _said(evidence, RuntimeError, "leaf Variable"),
    ),
    Mistake(
        "copied_with_the_graph",
        _COPY,
        zh="抄的时候记录了计算图：V1 的矩阵成了 V2 算出来的结果，不再是自己的参数。\n"
        "关掉 requires_grad 不等于不记录，见提示 1。",
        en="The graph was recorded while copying: V1's matrix became a result of V2\n"
        "and is no parameter of its own.\n"
        "To freeze is not to stop recording; see hint 1.",
        when=lambda evidence: _said(evidence, RuntimeError, "requires_grad flags of leaf variables"),
    ),
    Mistake(
        "tensor_for_parameter",
        _COPY,
        zh="模块里登记为参数的名字，只接受 Parameter，不接受普通张量。\n"
        "可以把数写进原有的参数，也可以换上一个新的参数。",
        en="A name that is registered as a parameter takes no plain tensor.\n"
        "Either write the numbers into the parameter that is there, or give the\n"
        "module a new one.",
        when=lambda evidence: _said(evidence, TypeError, "as parameter"),
    ),
    Mistake(
        "state_dict_of_other_names",
        _COPY,
        zh="两个模块的参数名字不同（V2 多了 .weight），形状也是转置的，整份状态字典装不进去。\n每个矩阵要单独对应。",
        en="The two modules name their parameters differently (V2 adds .weight), and\n"
        "store them transposed: the state dict as a whole does not fit.\n"
        "Match them one by one.",
        when=lambda evidence: _said(evidence, RuntimeError, "loading state_dict"),
    ),
]
