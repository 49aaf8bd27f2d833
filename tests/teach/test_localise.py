import pytest

from attnlab.teach.localise import localise, other_languages

CELL = '''def f(x):
    """[zh] 返回平方。
    [en] Return the square.

    x: (n,)
    """
    # [zh] 先乘
    # [zh] 再返回
    # [en] multiply
    # [en] then return
    return x * x  # (n,)'''


def test_chinese_keeps_the_chinese_lines() -> None:
    assert (
        localise(CELL, "zh")
        == '''def f(x):
    """返回平方。

    x: (n,)
    """
    # 先乘
    # 再返回
    return x * x  # (n,)'''
    )


def test_english_keeps_the_english_lines_and_the_docstring_still_opens() -> None:
    assert (
        localise(CELL, "en")
        == '''def f(x):
    """Return the square.

    x: (n,)
    """
    # multiply
    # then return
    return x * x  # (n,)'''
    )


def test_code_without_marks_stays_as_it_is() -> None:
    code = 'names = ["zh", "en"]\nprint(names[0])  # [zh] is no mark here'
    assert localise(code, "en") == code


def test_a_language_that_the_course_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="fr"):
        other_languages("fr")
