"""Every word that a notebook's own code says to a learner, by key, in each of the course's languages.

The texts are data: `texts/*.toml`, one table a key, with one entry a language. `{name}` in a text is filled in.
"""

import tomllib
from functools import cache
from importlib import resources
from typing import Any

from attnlab.course import DEFAULT_LANGUAGE, LANGUAGES

_language = DEFAULT_LANGUAGE


def set_language(language: str) -> None:
    """Choose the language of all texts from here on; ValueError for one that the course does not have."""
    global _language
    if language not in LANGUAGES:
        raise ValueError(f"language={language!r}: this course speaks {' and '.join(LANGUAGES)}")
    _language = language


def get_language() -> str:
    """Return the language in use, "zh" or "en"."""
    return _language


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Return all texts: key → language → text. ValueError where one key stands in two files."""
    found: dict[str, dict[str, str]] = {}
    for file in sorted(resources.files(__package__).joinpath("texts").iterdir(), key=lambda file: file.name):
        if file.name.endswith(".toml"):
            for key, entry in _flatten(tomllib.loads(file.read_text(encoding="utf-8"))):
                if key in found:
                    raise ValueError(f"{file.name}: the key {key} stands elsewhere too")
                found[key] = entry
    return found


def _flatten(tables: dict[str, Any], prefix: str = "") -> list[tuple[str, dict[str, str]]]:
    """Turn nested TOML tables into (dotted key, entry) pairs; an entry is a table of texts alone."""
    if tables and all(isinstance(value, str) for value in tables.values()):
        return [(prefix.rstrip("."), tables)]
    return [pair for name, value in tables.items() for pair in _flatten(value, f"{prefix}{name}.")]


def has_text(key: str) -> bool:
    """Tell whether there is a text for this key."""
    return key in catalogue()


def text(key: str, **values: Any) -> str:
    """Return the text for `key` in the language in use, with `{name}`s filled in; KeyError for no such key."""
    entry = catalogue()[key]
    return entry[_language].format(**values)


def section(key: str) -> str | None:
    """Return the number of the lesson's section to read again for `key`, where its entry names one."""
    return catalogue()[key].get("see")
