"""A feedback page tells points and messages in the learner's language, and nothing of the learner's is alive in it."""

import base64
import html
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output

from attnlab.course import LANGUAGES
from attnlab.grade.feedback import clean
from attnlab.grade.feedback.page import page
from attnlab.teach.localise import localise_notebook
from tests.gradecells import source

LESSON = "01_simplified_attention"
WRITTEN = "05_scaling_experiment"
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
ABOUT = {"student": "学生甲", "assignment": LESSON, "score": 1.0, "max_score": 15.0, "late_penalty": 0.0}
HIT = "window.__hit=(window.__hit||0)+1"


def graded(language: str, lesson: str = LESSON) -> NotebookNode:
    """Return a lesson's source as a graded notebook: every check passed."""
    notebook = nbformat.from_dict(source(lesson))
    notebook.cells = [
        cell for cell in notebook.cells if not set(cell.metadata.get("tags", [])) & ({*LANGUAGES} - {language})
    ]
    localise_notebook(notebook, language)
    for cell in notebook.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade"):
            marks["score"] = marks["points"]
    return notebook


def cell_of(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    return next(cell for cell in notebook.cells if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id)


def fail(cell: NotebookNode, *outputs: NotebookNode) -> None:
    cell.metadata.nbgrader.score = 0.0
    cell.outputs = list(outputs)


def error(ename: str, evalue: str, traceback: tuple[str, ...] = ()) -> NotebookNode:
    return new_output("error", ename=ename, evalue=evalue, traceback=list(traceback))


@pytest.mark.parametrize(
    ("language", "lang", "words"),
    [
        ("zh", "zh-CN", ("反馈：简化的注意力", "学生：学生甲", "1/15 分", "得分一览", "softmax：每一行权重之和应为 1")),
        (
            "en",
            "en",
            ("Feedback: Simplified attention", "1 of 15 points", "softmax: each row of weights should sum to 1"),
        ),
    ],
)
def test_the_page_speaks_the_learners_language(language: str, lang: str, words: tuple[str, ...]) -> None:
    made = page(graded(language), ABOUT)
    assert f'<html lang="{lang}">' in made
    for one in words:
        assert one in made
    assert made.count("✓") == 2 * 14  # each check, at a glance and in its place
    if language == "en":
        assert not re.search("[一-鿿]", made.split("<main>")[0].replace("学生甲", ""))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_of_a_test_cell_is_on_the_page(language: str) -> None:
    notebook = graded(language)
    tests = [cell for cell in notebook.cells if cell.id.startswith("test_")]
    for cell in tests:
        # What IPython prints of an exception that no check caught, and of a warning.
        line = cell.source.splitlines()[-2]
        fail(
            cell,
            new_output("stream", name="stdout", text="my print of tensor([[0.4242]])\n"),
            error("RuntimeError", f"at\n{line}", ("\x1b[31mRuntimeError\x1b[0m", cell.source)),
        )
    fail(tests[0], new_output("stream", name="stderr", text=f"cell.py:3: UserWarning: odd\n{line}\n"))
    made = html.unescape(re.sub(r"<[^>]+>", "", page(notebook, ABOUT)))
    for cell in tests:
        assert not [one for one in cell.source.splitlines() if len(one) > 40 and one.strip() in made]
    assert "check.holds" not in made
    assert "0.4242" not in made
    assert "UserWarning: odd" in made


def test_a_message_stands_below_its_property_with_the_points() -> None:
    notebook = graded("en")
    fail(
        cell_of(notebook, "test_softmax_rows"),
        new_output("display_data", data={"image/png": PNG, "text/plain": "<Figure>"}),
        error("CheckFailed", "✗ softmax: each row of weights should sum to 1\n  row 0 sums to 2.1\n  → section 1.2"),
    )
    made = page(notebook, ABOUT)
    section = re.search(r'<section class="fb-check fb-failed".*?</section>', made, re.DOTALL)
    assert section
    assert section[0].count("each row of weights should sum to 1") == 1
    assert "row 0 sums to 2.1\n→ section 1.2" in section[0]
    assert "0 of 1 points" in section[0]
    assert f'src="data:image/png;base64,{PNG}"' in section[0]


@pytest.mark.parametrize(("language", "words"), [("zh", "没有运行"), ("en", "did not run")])
def test_a_check_that_did_not_run_says_so(language: str, words: str) -> None:
    notebook = graded(language)
    fail(cell_of(notebook, "test_softmax_rows"), error("NotRun", ""))
    assert words in page(notebook, ABOUT)
    fail(cell_of(notebook, "test_softmax_rows"), error("NotRun", "because of <this>"))
    assert "because of &lt;this&gt;" in page(notebook, ABOUT)


@pytest.mark.parametrize(
    ("language", "waits", "silent"), [("zh", "等待老师评分", "没有作答"), ("en", "waits to be graded", "No response.")]
)
def test_a_written_answer_comes_with_its_comment_and_points(language: str, waits: str, silent: str) -> None:
    about = {**ABOUT, "assignment": WRITTEN}
    notebook = graded(language, WRITTEN)
    answer = cell_of(notebook, "scaling_explained")
    answer.source = "$q \\cdot k$ has variance 64.\n\n![curve](attachment:curve.png)"
    answer.attachments = {"curve.png": {"image/png": PNG}}
    answer.metadata.nbgrader.update(comment="See **5.4**.", score=3.5)
    made = page(notebook, about)
    assert "See <strong>5.4</strong>." in made
    assert "3.5" in made
    assert "$q \\cdot k$" in made
    assert f'src="data:image/png;base64,{PNG}"' in made
    assert waits not in made
    answer.metadata.nbgrader.update(comment="No response.", waits=True)
    made = page(notebook, about)
    assert waits in made
    assert silent in made


def test_own_outputs_are_shown_plots_tables_and_coloured_tracebacks() -> None:
    notebook = graded("en")
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><circle r="4"/></svg>'
    mine = new_code_cell("own()", id="mine")
    mine.outputs = [
        new_output("stream", name="stdout", text="one "),
        new_output("stream", name="stdout", text="line\n"),
        new_output("display_data", data={"image/png": PNG, "text/plain": "<Figure>"}),
        new_output("display_data", data={"image/svg+xml": svg}),
        new_output("execute_result", data={"text/html": "<table><tr><td>7.5</td></tr></table>", "text/plain": "7.5"}),
        error("ValueError", "no", ("\x1b[31mValueError\x1b[0m: no",)),
        new_output("display_data", data={"application/vnd.plotly.v1+json": {}, "text/html": "<script>x</script>"}),
    ]
    notebook.cells.append(mine)
    made = page(notebook, ABOUT)
    assert "one line" in made
    assert PNG in made
    assert base64.b64encode(svg.encode()).decode() in made
    assert "<td>7.5</td>" in made
    assert '<span class="ansi-red-fg">ValueError</span>: no' in made
    assert "not shown here: application/vnd.plotly.v1+json" in made


def test_a_page_stays_of_a_size_that_opens() -> None:
    notebook = graded("en")
    flood = new_code_cell("flood()", id="flood")
    flood.outputs = [new_output("stream", name="stdout", text="x" * 5_000_000)] + [
        new_output("display_data", data={"text/html": "<b>" * 60_000}) for _ in range(100)
    ]
    deep = new_markdown_cell("> " * 3000 + "[" * 20_000, id="deep")
    notebook.cells += [flood, deep]
    made = page(notebook, ABOUT)
    assert len(made) < 15_000_000
    assert "(the rest is not shown)" in made


SVG_SCRIPT = f'<svg xmlns="http://www.w3.org/2000/svg" onload="{HIT}"><script>{HIT}</script></svg>'
TRICKS = [
    f"<script>{HIT}</script>",
    f"<ScRiPt >{HIT}</sCrIpT\n>",
    f"<scr<script>ipt>{HIT}</scr</script>ipt>",
    f'<img src=x onerror="{HIT}">',
    f'<img src="data:image/png;base64,{PNG}" onload="{HIT}">',
    SVG_SCRIPT,
    f'<svg><animate onbegin="{HIT}" attributeName=x dur=1s></svg>',
    f'<a href="javascript:{HIT}">click me</a>',
    f'<a href=" java\tscript:{HIT}">click me</a>',
    f'<a href="&#106;avascript:{HIT}">click me</a>',
    f"[click me](javascript:{HIT})",
    f"[click me](JaVaScRiPt:{HIT})",
    f'<a href="data:text/html,<script>{HIT}</script>">click me</a>',
    f'<iframe srcdoc="<script>parent.{HIT}</script>"></iframe>',
    f'<iframe src="javascript:parent.{HIT}"></iframe>',
    f'<object data="javascript:{HIT}"></object>',
    f'<embed src="data:image/svg+xml,{SVG_SCRIPT}">',
    f'<form action="javascript:{HIT}"><button formaction="javascript:{HIT}">click me</button></form>',
    f'<input autofocus onfocus="{HIT}"><select autofocus onfocus="{HIT}"></select>',
    f'<details open ontoggle="{HIT}"><summary onclick="{HIT}">click me</summary></details>',
    f'<body onload="{HIT}" onhashchange="{HIT}">',
    f'<video><source onerror="{HIT}"></video><audio src=x onerror="{HIT}"></audio>',
    f'<math><mtext><table><mglyph><style><img src=x onerror="{HIT}"></style></mglyph></table></mtext></math>',
    f'<noscript><p title="</noscript><img src=x onerror={HIT}>"></noscript>',
    f'<meta http-equiv="refresh" content="0;url=javascript:{HIT}"><base href="https://elsewhere.invalid/">',
    '<link rel="stylesheet" href="https://elsewhere.invalid/a.css"><style>@import "https://elsewhere.invalid/b.css";</style>',
    '<div style="background:url(https://elsewhere.invalid/c.png)">x</div><img src="https://elsewhere.invalid/d.png">',
    '<div style="position:fixed;inset:0;background-color:red" class="fb-score" id="top">100 of 15 points</div>',
    f'<script type="text/x-mathjax-config">{HIT}</script><script type="math/tex">x</script>',
    f"$\\href{{javascript:{HIT}}}{{click}}$ $\\require{{html}}\\style{{x}}{{y}}$ $</script><script>{HIT}</script>$",
    f'``` "><img/src=x/onerror={HIT}>\ncode\n```',
    f'<template><script>{HIT}</script></template><title></title><img src=x onerror="{HIT}">',
    f"<!--><img src=x onerror={HIT}>-->",
    f'</pre></div></section></main><img src=x onerror="{HIT}">',
    f"\x1b[31m<img src=x onerror={HIT}>\x1b[0m",
]


def hostile() -> NotebookNode:
    """Return a graded notebook with every trick in every place where a learner can write."""
    notebook = graded("en")
    cells = []
    for number, trick in enumerate(TRICKS):
        cells.append(new_markdown_cell(trick, id=f"prose-{number}", attachments={trick: {"image/png": trick}}))
        code = new_code_cell(trick, id=f"code-{number}")
        code.metadata.update({"tags": [trick], "name": trick})
        code.outputs = [
            new_output("stream", name="stdout", text=trick),
            error(trick, trick, (trick,)),
            *(
                new_output("display_data", data={mime: trick})
                for mime in ("text/html", "text/markdown", "text/latex", "text/plain", "image/svg+xml", "image/png")
            ),
            *(
                new_output("display_data", data={mime: trick, trick: trick})
                for mime in ("application/javascript", "text/javascript", "application/pdf")
            ),
            new_output("display_data", data={"application/vnd.jupyter.widget-view+json": {"model_id": trick}}),
        ]
        cells.append(code)
    for cell, trick in zip([cell for cell in notebook.cells if cell.id.startswith("test_")], TRICKS, strict=False):
        fail(cell, error("CheckFailed", trick))
    fail(cell_of(notebook, "test_softmax_rows"), error("NotRun", TRICKS[3]))
    fail(cell_of(notebook, "test_softmax_values"), new_output("stream", name="stderr", text=TRICKS[3]))
    cell_of(notebook, "softmax").metadata.nbgrader["comment"] = "\n\n".join(TRICKS)
    notebook.cells += cells
    notebook.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {"state": {"x": TRICKS[0]}}}
    notebook.metadata["title"] = TRICKS[0]
    return notebook


@pytest.mark.slow
@pytest.mark.parametrize("guarded", [True, False], ids=["as-it-is", "without-its-security-policy"])
def test_nothing_of_the_learners_runs_in_a_browser(tmp_path: Path, guarded: bool) -> None:
    from tests.test_browser import BROWSER_FLAGS, CHROMIUM

    if not CHROMIUM:
        pytest.skip("no Chromium on this system")
    from playwright.sync_api import sync_playwright

    made = page(hostile(), {**ABOUT, "student": TRICKS[3]})
    if not guarded:
        made = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", made)
    path = tmp_path / "page.html"
    path.write_text(made, encoding="utf-8")
    asked: list[str] = []

    def answer(route) -> None:
        asked.append(route.request.url)
        if "mathjax" in route.request.url:  # in its place: may it run, and with the page's setup?
            route.fulfill(body="window.__mathjax = window.MathJax.tex.packages.length", content_type="text/javascript")
        else:
            route.abort()

    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=BROWSER_FLAGS)
        opened = browser.new_page()
        opened.route(lambda address: not address.startswith(("file:", "data:")), answer)
        opened.goto(path.as_uri())
        opened.evaluate(
            """() => document.querySelectorAll('main *, header *, nav *').forEach(one => {
                for (const name of ['mouseover', 'focus', 'toggle', 'load', 'error', 'click'])
                    one.dispatchEvent(new Event(name, {bubbles: true, cancelable: true}));
                if (one.textContent.trim() === 'click me' && one.click) one.click();
            })"""
        )
        opened.wait_for_timeout(500)
        assert opened.evaluate("window.__hit") is None
        assert opened.evaluate("window.__mathjax") == 4
        assert opened.locator("script").count() == 2
        assert opened.locator("iframe, object, embed, form, input, link, base, svg, video").count() == 0
        assert opened.evaluate("location.href") == path.as_uri()
        assert opened.locator(".fb-score").count() == 1
        browser.close()
    assert len(asked) == 1
    assert "mathjax" in asked[0]


@pytest.mark.parametrize("trick", TRICKS)
def test_no_tag_or_address_of_a_trick_is_left(trick: str) -> None:
    for made in (clean.from_html(trick), clean.from_markdown(trick)):
        tags = re.findall(r"<[^>]*>", made)
        assert not [tag for tag in tags if re.search(r"<\s*(script|iframe|svg|style|form|math|object|link)", tag, re.I)]
        assert not [tag for tag in tags if re.search(r"\son\w+\s*=|javascript:|url\(|position|fb-score", tag, re.I)]


@pytest.mark.slow
def test_generate_feedback_uses_it_by_configuration(course: Path, tmp_path: Path) -> None:
    from attnlab.teach.grader import grader, load_config, succeed

    api = grader(load_config(course, "en"))
    succeed(api.generate_assignment(LESSON), "generate_assignment")
    path = course / "submitted" / "bob" / LESSON / f"{LESSON}.ipynb"
    path.parent.mkdir(parents=True)
    shutil.copyfile(course / "release" / "en" / LESSON / path.name, path)
    succeed(api.autograde(LESSON, "bob"), "autograde")
    succeed(api.generate_feedback(LESSON, "bob"), "generate_feedback")
    made = (course / "feedback" / "bob" / LESSON / f"{LESSON}.html").read_text(encoding="utf-8")
    assert "0 of 15 points" in made
    assert "No response." in made
    assert "not written yet" in made
    assert "HIDDEN" not in made
