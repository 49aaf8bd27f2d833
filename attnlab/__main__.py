"""`python -m attnlab`: the same as the command `attnlab`, also where that is not on the PATH."""

from attnlab.cli import app

app(prog_name="attnlab")
