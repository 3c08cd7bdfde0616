"""The parts that several sub-commands use."""

from pathlib import Path

import click

STATUS_OF_CONFIGURATION = 2
STATUS_OF_FAILURE = 1
CONFIG = click.Path(exists=True, dir_okay=False, path_type=Path)
RANKS = click.IntRange(1, 2**31 - 1)  # as MPI counts them


class Failed(click.ClickException):
    """An error whose message is ready for the user."""

    def __init__(self, message: str, status: int = STATUS_OF_FAILURE):
        super().__init__(message)
        self.exit_code = status


class Options(click.ParamType):
    """`key=value`, as the model would give with `option`."""

    name = "key=value"

    def convert(self, value, param, ctx):
        if isinstance(value, tuple):
            return value
        key, separator, text = value.partition("=")
        if not separator or not key:
            self.fail(f"{value!r} is not of the form key=value", param, ctx)
        return key, text
