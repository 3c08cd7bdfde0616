"""The `tailrace` command.

Exit status: 0 for success, 2 for a wrong command line or configuration, 1 for every other error.
An error is printed as one line, `tailrace: error: ...`, never as a traceback.
"""

import sys

import click

from tailrace.commands.checkpoint import checkpoint
from tailrace.commands.convert import convert
from tailrace.commands.documents import plugins, reference, schema, version
from tailrace.commands.files import advise, inspect
from tailrace.commands.jobs import check, demo, report, run, serve
from tailrace.commands.shared import STATUS_OF_CONFIGURATION, STATUS_OF_FAILURE
from tailrace.commands.sizing import measure, plan
from tailrace.commands.watching import top, watch
from tailrace.commands.weights import weights

USER_MISTAKES = ("usage", "configuration")  # codes of tailrace.Error
COMMANDS = (
    advise,
    check,
    checkpoint,
    convert,
    demo,
    inspect,
    measure,
    plan,
    plugins,
    reference,
    report,
    run,
    schema,
    serve,
    top,
    version,
    watch,
    weights,
)


def say_version(context: click.Context, parameter: click.Parameter, wanted: bool) -> None:
    del parameter
    if not wanted or context.resilient_parsing:
        return
    from tailrace import _core

    click.echo(_core.version())
    context.exit()


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=say_version, help="Print the version."
)
def cli() -> None:
    """Carries fields away from an Earth-system model without holding the model back."""


for command in COMMANDS:
    cli.add_command(command)


def status_of(error: Exception) -> int:
    """2 for the mistakes of a user, 1 for the rest."""
    return STATUS_OF_CONFIGURATION if getattr(error, "code", None) in USER_MISTAKES else STATUS_OF_FAILURE


def say_error(message: str) -> None:
    print(f"tailrace: error: {message}", file=sys.stderr)


def main(arguments: list[str] | None = None) -> None:
    """Runs a command line and exits."""
    try:
        cli.main(arguments, prog_name="tailrace", standalone_mode=False)
    except click.UsageError as error:
        say_error(error.format_message())
        sys.exit(STATUS_OF_CONFIGURATION)
    except click.ClickException as error:
        say_error(error.format_message())
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        say_error("interrupted")
        sys.exit(130)
    except Exception as error:  # the last line of defence: one line instead of a traceback
        say_error(str(error) or type(error).__name__)
        sys.exit(status_of(error))
    sys.exit(0)


if __name__ == "__main__":
    main()
