"""What a notebook imports stands alone."""

import subprocess
import sys

import matplotlib.pyplot as plt
import pytest
import torch

from attnlab.learn import plot, reference, show


def test_a_notebook_imports_no_part_of_an_instructor() -> None:
    code = (
        "import sys, attnlab.learn\n"
        "print([name for name in sys.modules if name.split('.')[0] in ('nbgrader', 'typer', 'nbconvert', 'nbclient')"
        " or name.startswith('attnlab.teach')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
    assert done.stderr == ""


def test_reference_attention_is_softmax_of_scaled_scores_times_values() -> None:
    q, k, v = torch.randn(2, 3, 4), torch.randn(2, 5, 4), torch.randn(2, 5, 6)
    context, weights = reference.attention(q, k, v)
    want = torch.softmax(q @ k.transpose(-2, -1) / 2, dim=-1)
    assert torch.allclose(weights, want, atol=1e-6)
    assert torch.allclose(context, want @ v, atol=1e-5)
    hidden = torch.ones(3, 5, dtype=torch.bool).triu(1)
    context, weights = reference.attention(q, k, v, hidden=hidden)
    assert float(weights[:, hidden].abs().max()) == 0.0


@pytest.mark.parametrize("error", [NotImplementedError, NameError("x", name="x"), ValueError("bad"), None])
def test_a_picture_of_unfinished_work_is_one_line_and_no_figure(error, capsys: pytest.CaptureFixture[str]) -> None:
    def action():
        if error is not None:
            raise error

    plt.close("all")
    plot.heatmap(action, ["A", "B"], "weights")
    show("weights", action)
    out, err = capsys.readouterr()
    assert len(out.splitlines()) == 2
    assert err == ""
    assert plt.get_fignums() == []


def test_a_map_of_the_wrong_size_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    plot.heatmap(lambda: torch.ones(3, 3), ["A", "B"], "weights")
    assert "3" in capsys.readouterr().out


def test_a_figure_needs_no_glyph_that_its_font_lacks(recwarn: pytest.WarningsRecorder) -> None:
    plot.heatmap(lambda: torch.eye(2), ["A", "B"], "weights", title="weights")
    plot.arrows({"P": lambda: torch.tensor([1.0, 0.5])}, "becomes")
    plot.lines({"y": lambda: ([1, 2], [3, 4])}, "weights", x_label="x", y_label="y", log_x=True)
    assert not [one for one in recwarn if "lyph" in str(one.message)]
