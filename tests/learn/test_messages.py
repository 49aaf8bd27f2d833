"""Both languages say everything, with the same facts filled in."""

import re

import pytest

from attnlab.course import LANGUAGES
from attnlab.learn import messages

_FIELD = re.compile(r"{(\w*)[^}]*}")


@pytest.fixture(autouse=True)
def _language_restored():
    before = messages.get_language()
    yield
    messages.set_language(before)


@pytest.mark.parametrize("key", messages.catalogue())
def test_every_text_stands_in_both_languages_with_the_same_fields(key: str) -> None:
    entry = messages.catalogue()[key]
    assert set(entry) - {"see"} == set(LANGUAGES)
    assert all(entry[language].strip() for language in LANGUAGES)
    fields = {language: sorted(_FIELD.findall(entry[language])) for language in LANGUAGES}
    assert fields["zh"] == fields["en"]


@pytest.mark.parametrize("key", messages.catalogue())
def test_a_chinese_text_is_chinese_and_an_english_one_is_not(key: str) -> None:
    entry = messages.catalogue()[key]
    han = re.compile(r"[一-鿿]")
    assert not han.search(entry["en"])
    assert han.search(entry["zh"]) or not re.search(r"[a-z]{4}", _FIELD.sub("", entry["zh"]))


def test_a_language_that_the_course_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="zh and en"):
        messages.set_language("fr")


def test_the_language_chosen_is_the_one_spoken() -> None:
    messages.set_language("en")
    assert messages.text("say.see", section="1.2") == "→ section 1.2"
    messages.set_language("zh")
    assert messages.text("say.see", section="1.2") == "→ 1.2 节"
