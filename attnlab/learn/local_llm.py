"""The `%%ai` cell of lesson 5: it asks a language model on the learner's own machine, or says that there is none.

`connect()` looks for an endpoint with an OpenAI-compatible API (`attnlab.llm.endpoint`) and gives the notebook its
cell magic `ai`: jupyter-ai's, which reads the cell and shows the answer. Whatever is or isn't there, the cell never
fails, writes nothing to stderr and soon lets the learner go on; an answer that comes later is shown in its place.
"""

import contextlib
import importlib
import io
import os
import shlex
import time
import warnings
from types import SimpleNamespace
from typing import Any

from attnlab.learn.messages import text
from attnlab.llm import endpoint as llm

MODEL = "openai-chat-custom:Qwen3.5-9B-Q4_K_M.gguf"
"""The model that the lesson's cell names; any model that the endpoint serves stands in for it."""
SETTING = llm.SETTING
"""The environment variable that names the endpoint."""
SECONDS = "ATTNLAB_LLM_SECONDS"
"""The environment variable that says how long the cell itself waits, as for a notebook that no one looks at."""

_SILENCE_SECONDS = 4.0  # with nothing new for so long, the learner goes on
_PATIENCE_SECONDS = 30.0  # nor is an answer that does come waited for any longer
_ANSWER_SECONDS = 600.0  # a 9B model takes minutes without a graphics card
_SHOW_SECONDS = 0.5  # between two looks at a growing answer
_EXTENSION = "jupyter_ai_magic_commands"

_question: llm.Question | None = None


class _Unfinished(BaseException):
    """Leaves jupyter-ai's magic, which catches every Exception."""


def connect() -> None:
    """Give the notebook its `%%ai` cell, and print in one line which model it will ask, or that there is none."""
    ipython = _shell()
    if ipython is not None:
        ipython.register_magic_function(_ask, magic_kind="cell", magic_name="ai")
    if _grading():
        print(text("llm.grading"))
        return
    found = llm.search()
    if found.endpoint is None:
        _say_none(found)
    elif ipython is not None and _magics(ipython) is None:
        print(text("llm.not_installed", url=found.endpoint.url))
    else:
        print(text("llm.found", model=_name(found.endpoint), url=found.endpoint.url))


def _ask(line: str, cell: str) -> Any:
    """Ask the model what stands in the cell, and show its answer, or in one line why there is none (the magic)."""
    if _grading():
        print(text("llm.grading"))
        return None
    found = llm.search()
    if found.endpoint is None:
        _say_none(found)
        return None
    magics = _magics(_shell())
    if magics is None:
        print(text("llm.not_installed", url=found.endpoint.url))
        return None
    return _Exchange(found.endpoint, magics).run(line, cell)


class _Exchange:
    """One run of the cell: jupyter-ai's magic, with what asks the model put in the place of its own client."""

    def __init__(self, endpoint: llm.Endpoint, magics: Any) -> None:
        self._endpoint = endpoint
        self._magics = magics
        self._question: llm.Question | None = None
        self._display: Any = None  # what the answer is seen in as it grows

    def run(self, line: str, cell: str) -> Any:
        """Return what the cell shows; None where that is shown already, or a line says why there is nothing."""
        answer, said = self._through_magic(line, cell)
        if self._question is None:  # jupyter-ai did not understand the cell's first line
            if said:
                print(text("llm.not_asked", said=said))
            return answer
        if not self._question.done.is_set():
            self._leave_to_come()
            return None
        if isinstance(answer, str) or (answer is None and self._question.text.strip()):
            # It does not fit the format that the cell asks for, or came just when it was no longer waited for.
            answer = _Text(self._question.text)
        remarks = self._remarks()
        if answer is not None and (remarks or self._display is not None):
            self._show(answer)
            answer = None
        for remark in remarks:
            print(remark)
        return answer

    def _through_magic(self, line: str, cell: str) -> tuple[Any, str]:
        """Return what jupyter-ai makes of the answer, and the first line of what it says went wrong."""
        # The magic hands neither a time limit nor a length on, and its client would take proxies and a real key
        # from the environment, follow redirects and ask again.
        litellm: Any = importlib.import_module("litellm")
        its_own, said = litellm.completion, io.StringIO()
        litellm.completion = self._complete
        try:
            with contextlib.redirect_stderr(said), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                target = f"openai/{self._endpoint.model}"
                self._magics.ai(shlex.join(["alias", MODEL, target, "--api-base", f"{self._endpoint.url}/v1"]))
                # It puts the notebook's variables in the place of {braces}, of which LaTeX has many.
                answer = self._magics.ai(line, cell.replace("{", "{{").replace("}", "}}"))
        except _Unfinished:
            return None, ""
        except KeyboardInterrupt:
            if self._question is not None:
                self._question.drop()
            raise
        finally:
            litellm.completion = its_own
        return (None if isinstance(answer, str) and self._question is None else answer), _first_line(said.getvalue())

    def _complete(self, *, messages: list[dict[str, str]], **_unused: Any) -> Any:
        """Stand in for `litellm.completion`: ask, and wait for as long as the answer comes."""
        global _question
        if _question is not None:
            _question.drop()
        limit = _seconds_set()
        seconds = max(_ANSWER_SECONDS, limit or 0.0)
        self._question = _question = llm.Question(self._endpoint, messages, seconds)
        began = time.monotonic()
        while not self._question.done.wait(_SHOW_SECONDS):
            now = time.monotonic()
            if limit is not None:
                if now - began > limit:
                    raise _Unfinished
            elif now - self._question.last_sign > _SILENCE_SECONDS or now - began > _PATIENCE_SECONDS:
                raise _Unfinished
            self._show_growing()
        if not self._question.text.strip():
            raise _Unfinished
        return SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(content=self._question.text))])

    def _show_growing(self) -> None:
        """Show what there is of the answer so far, if anything."""
        assert self._question is not None
        so_far = self._question.text
        if so_far.strip():
            self._show(_Text(f"{so_far} …"))

    def _show(self, what: Any) -> None:
        from IPython.display import display

        if self._display is None:
            self._display = display(what, display_id=True)
        else:
            self._display.update(what)

    def _leave_to_come(self) -> None:
        """Let the learner go on; the answer takes this cell's place on the page when it comes."""
        question = self._question
        assert question is not None
        waiting = text("llm.waiting", url=self._endpoint.url)
        self._show(_Text("\n\n".join(part for part in (question.text.strip(), waiting) if part)))
        question.when_done(
            lambda: self._show(_Text("\n\n".join(part for part in (question.text.strip(), *self._remarks()) if part)))
        )

    def _remarks(self) -> list[str]:
        """Return what there is to say of the answer, one line each: why there is none or no more of it."""
        question = self._question
        assert question is not None
        if question.problem is not None:
            problem = question.problem
            said = text(f"llm.problem.{problem.kind}", said=problem.said, limit=llm.MAX_TOKENS)
            return [text("llm.failed", url=self._endpoint.url, said=said)]
        return [text("llm.cut", limit=llm.MAX_TOKENS)] if question.cut else []


class _Text:
    """Markdown on a page, and the same words where there is only a terminal."""

    def __init__(self, source: str) -> None:
        self._source = source

    def _repr_mimebundle_(self, **_unused: Any) -> dict[str, str]:
        return {"text/plain": self._source, "text/markdown": self._source}


def _name(endpoint: llm.Endpoint) -> str:
    """Return the model's name; llama.cpp gives the file's whole path where no other name was set."""
    return endpoint.model.replace("\\", "/").rsplit("/", 1)[-1] if _is_path(endpoint.model) else endpoint.model


def _is_path(name: str) -> bool:
    return name.startswith(("/", "\\", "~", ".")) or name[1:3] in (":\\", ":/")


def _magics(ipython: Any) -> Any:
    """Return the extension's magics, loaded now where they weren't; None where it isn't installed."""
    # Before it is imported: it would look for a list of prices on the internet.
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    if "AiMagics" not in ipython.magics_manager.registry:
        try:
            with contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                importlib.import_module(_EXTENSION).load_ipython_extension(ipython)
        except ImportError:
            return None
        # The extension also takes over how errors are shown, and has just put its own magic in this one's place.
        ipython.set_custom_exc((), None)
        ipython.register_magic_function(_ask, magic_kind="cell", magic_name="ai")
    return ipython.magics_manager.registry["AiMagics"]


def _say_none(found: llm.Search) -> None:
    if loading := [url for url, why in found.why_not.items() if why.kind == "loading"]:
        print(text("llm.loading", url=loading[0]))
        return
    tried = []
    for url, why in found.why_not.items():
        place = url.removeprefix("http://")
        reason = text(f"llm.why.{why.kind}", said=why.said)
        tried.append(place if why.kind == "nobody" and len(found.why_not) > 1 else f"{place}: {reason}")
    print(text("llm.none", tried=text("llm.between").join(tried)))


def _seconds_set() -> float | None:
    try:
        return max(0.0, float(os.environ.get(SECONDS, "")))
    except ValueError:
        return None


def _first_line(said: str) -> str:
    lines = [line.strip() for line in said.strip().splitlines() if line.strip()]
    return lines[0][:200] if lines else ""


def _grading() -> bool:
    return bool(os.environ.get("NBGRADER_EXECUTION"))


def _shell() -> Any:
    """Return the running IPython, or None in plain Python."""
    try:
        from IPython import get_ipython
    except ImportError:
        return None
    return get_ipython()
