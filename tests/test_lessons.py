"""What stands in source/, release/ and notebooks/: points, languages, and nothing that should not be there."""

import re

import pytest

from attnlab.course import COURSE, LANGUAGES, Lesson
from attnlab.teach.notebooks import read
from attnlab.teach.sources import read_sources
from tests.gradecells import ROOT, grade, source

LESSONS = list(read_sources(ROOT))


def by_language(function):
    """Run for every lesson in every language."""
    function = pytest.mark.parametrize("language", LANGUAGES)(function)
    return pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)(function)


def released(lesson: Lesson, language: str):
    return read(ROOT / "release" / language / lesson.name / f"{lesson.name}.ipynb")


def test_the_course_has_100_points() -> None:
    assert sum(lesson.points for lesson in COURSE) == 100
    assert sum(lesson.by_hand_points for lesson in COURSE) == 8


@by_language
def test_the_solved_source_earns_every_automatic_point(lesson: Lesson, language: str) -> None:
    cells = {cell.metadata.nbgrader.grade_id: cell for cell in source(lesson.name).cells if "nbgrader" in cell.metadata}
    verdicts = [
        verdict
        for exercise in lesson.exercises
        if exercise != lesson.by_hand
        for verdict in grade(exercise, cells[exercise].source, language)
    ]
    assert [verdict for verdict in verdicts if verdict.earned < verdict.points] == []
    assert sum(verdict.earned for verdict in verdicts) == lesson.points - lesson.by_hand_points


@by_language
def test_the_untouched_release_earns_nothing_and_is_told_that_nothing_is_written(lesson: Lesson, language: str) -> None:
    for cell in released(lesson, language).cells:
        if not cell.metadata.get("nbgrader", {}).get("solution") or cell.cell_type != "code":
            continue
        for verdict in grade(cell.metadata.nbgrader.grade_id, cell.source, language):
            assert verdict.earned == 0
            first = verdict.said.splitlines()[1].strip()
            assert first.startswith(("还没有写", "找不到") if language == "zh" else ("not written", "there is no"))


@by_language
def test_a_release_holds_no_solution_no_hidden_test_no_output_and_one_language(lesson: Lesson, language: str) -> None:
    text = (ROOT / "release" / language / lesson.name / f"{lesson.name}.ipynb").read_text(encoding="utf-8")
    for secret in ("HIDDEN TESTS", "BEGIN SOLUTION", "MARK SCHEME"):
        assert secret not in text
    notebook = released(lesson, language)
    assert not any(cell.get("outputs") for cell in notebook.cells)
    assert not re.search(r"\[(zh|en)\] ", text)
    # The stub of a written answer is the same in both languages (see attnlab.teach.localise).
    prose = "\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown" and "nbgrader" not in cell.metadata
    )
    chinese = len(re.findall(r"[一-鿿]", prose)) / len(prose)  # a new term stands beside its twin: never all or none
    assert chinese > 0.2 if language == "zh" else chinese < 0.03
    assert f'language=\\"{language}\\"' in text


@by_language
def test_a_notebook_to_read_holds_no_hidden_test_and_ran_without_error(lesson: Lesson, language: str) -> None:
    path = ROOT / "notebooks" / language / f"{lesson.name}.ipynb"
    notebook = read(path)
    assert "HIDDEN TESTS" not in path.read_text(encoding="utf-8")
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    assert any("image/png" in output.get("data", {}) for output in outputs)
    said = "".join(output.text for output in outputs if output.output_type == "stream")
    assert "✗" not in said
    assert "☐" not in said


@by_language
def test_links_between_lessons_lead_somewhere(lesson: Lesson, language: str) -> None:
    homes = {
        ROOT / "release" / language / lesson.name: released(lesson, language),
        ROOT / "notebooks" / language: read(ROOT / "notebooks" / language / f"{lesson.name}.ipynb"),
    }
    for folder, notebook in homes.items():
        links = [
            link
            for cell in notebook.cells
            if cell.cell_type == "markdown"
            for link in re.findall(r"\]\(([^)#]+\.ipynb)\)", cell.source)
        ]
        assert links
        for link in links:
            assert (folder / link).is_file(), link


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_both_languages_have_the_same_grade_cells(lesson: Lesson) -> None:
    graded = [
        {
            cell.metadata.nbgrader.grade_id: (cell.source, cell.metadata.nbgrader.checksum)
            for cell in released(lesson, language).cells
            if cell.metadata.get("nbgrader", {}).get("grade")
        }
        for language in LANGUAGES
    ]
    assert graded[0] == graded[1]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda one: one.name)
def test_prose_has_no_tag_that_a_browser_would_obey(lesson: Lesson) -> None:
    """A token named <s>, written as it is, strikes the rest of its paragraph through."""
    for cell in source(lesson.name).cells:
        if cell.cell_type == "markdown":
            text = re.sub(r"```.*?```|`[^`\n]*`", "", cell.source, flags=re.DOTALL)
            tags = set(re.findall(r"</?([a-zA-Z][a-zA-Z0-9]*)\b[^>]*>", text))
            assert tags <= {"details", "summary"}, (cell.id, tags)
