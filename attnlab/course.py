"""The course as data: languages, lessons, exercises and points, each written here and nowhere else."""

from dataclasses import dataclass

LANGUAGES = ("zh", "en")
DEFAULT_LANGUAGE = "zh"


@dataclass(frozen=True, eq=False)
class Lesson:
    """One lesson, which is one nbgrader assignment."""

    name: str
    """Its folder and its notebook bear this name."""
    title: dict[str, str]
    """By language."""
    points: int
    """All points, those given by hand included."""
    exercises: tuple[str, ...]
    """The `grade_id`s of the cells that a learner completes, in order."""
    by_hand: str | None = None
    """The one exercise that a person grades, where there is one."""
    by_hand_points: int = 0
    """Its points."""


COURSE = (
    Lesson(
        "01_simplified_attention",
        {"zh": "简化的注意力", "en": "Simplified attention"},
        15,
        ("attention_scores", "softmax", "simplified_attention", "hand_calculation"),
    ),
    Lesson(
        "02_self_attention",
        {"zh": "查询、键与值", "en": "Queries, keys, values"},
        20,
        ("scaled_dot_product_attention", "self_attention_v1", "self_attention_v2", "copy_weights"),
    ),
    Lesson(
        "03_causal_attention",
        {"zh": "因果注意力", "en": "Causal attention"},
        20,
        ("causal_mask", "masked_softmax", "causal_attention"),
    ),
    Lesson(
        "04_multi_head_attention",
        {"zh": "多头注意力", "en": "Multi-head attention"},
        25,
        ("split_heads", "merge_heads", "multi_head_attention", "shape_trace"),
    ),
    Lesson(
        "05_scaling_experiment",
        {"zh": "缩放实验", "en": "The scaling experiment"},
        10,
        (
            "dot_product_variance",
            "softmax_entropy",
            "softmax_gradient_norm",
            "scaling_experiment",
            "scaling_explained",
        ),
        by_hand="scaling_explained",
        by_hand_points=4,
    ),
    Lesson(
        "06_audit_lens",
        {"zh": "审计视角", "en": "The audit lens"},
        10,
        ("attention_received", "ignored_tokens", "audit_record", "injection_share", "audit_reflection"),
        by_hand="audit_reflection",
        by_hand_points=4,
    ),
)


def lesson_named(name: str) -> Lesson:
    """Return the lesson with this name; KeyError with the known names where there is none."""
    for lesson in COURSE:
        if lesson.name == name:
            return lesson
    raise KeyError(f"{name}: not a lesson of this course ({', '.join(one.name for one in COURSE)})")


def exercise_of(lesson: Lesson, grade_id: str) -> str | None:
    """Return the exercise that the cell `grade_id` (`test_<exercise>...`) grades, or None."""
    tested = grade_id.removeprefix("test_")
    fits = [name for name in lesson.exercises if tested == name or tested.startswith(name + "_")]
    return max(fits, key=len) if fits and grade_id.startswith("test_") else None
