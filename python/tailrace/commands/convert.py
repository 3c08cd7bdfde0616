"""`tailrace convert`: of data files, and of configurations."""

from pathlib import Path

import click

from .shared import CONFIG, Options


class FilesOrDialect(click.Group):
    """A group whose first argument may be a file, or the name of a dialect, instead of the name of a command."""

    def list_commands(self, context: click.Context) -> list[str]:
        from tailrace import _core

        return [*super().list_commands(context), *_core.configuration_dialects()]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        from tailrace import _core

        notation = _core.configuration_dialects().get(name)
        return conversion_of(name, notation) if notation else super().get_command(context, name)

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        known = {*self.list_commands(context), *context.help_option_names}
        if arguments and arguments[0] not in known:
            arguments = ["files", *arguments]
        return super().parse_args(context, arguments)


@click.group(cls=FilesOrDialect, subcommand_metavar="[--jobs N] [--force] SOURCE TARGET | DIALECT FILE")
def convert() -> None:
    """Convert data files (SOURCE to TARGET), or the configuration of another I/O server (its DIALECT) to YAML.

    tailrace convert SOURCE TARGET: see tailrace convert files --help.
    """


@convert.command()
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("target", type=click.Path(path_type=Path))
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Number of processes (default: one for each core, and one for small files).",
)
@click.option("--force", is_flag=True, help="Replace an existing TARGET.")
def files(source: Path, target: Path, jobs: int | None, force: bool) -> None:
    """Convert SOURCE (NetCDF, Zarr or BP) to TARGET (*.nc or *.zarr) with the same bits.

    Values and attributes are copied as they are stored: packed numbers stay packed, times stay numbers. TARGET gets its
    name when it is whole.
    """
    from tailrace.convert import convert as convert_files

    contents = convert_files(source, target, jobs=jobs, force=force)
    click.echo(f"{target}: {len(contents.variables)} variables of {source}")


def conversion_of(dialect: str, notation: str) -> click.Command:
    """The command that converts configurations in a dialect."""

    @click.command(name=dialect, help=f"Convert FILE, {notation}, with its includes, to a configuration.")
    @click.argument("file", type=CONFIG)
    @click.option("-D", "options", type=Options(), multiple=True, help="Set an option of the model, such as mm=20.0.")
    @click.option("--legacy", is_flag=True, help="Keep the program's values even where they are wrong.")
    @click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        help="The file to write (default: standard output).",
    )
    def convert_configuration(file: Path, options, legacy: bool, output: Path | None) -> None:
        from tailrace import _core

        made = _core.convert_configuration(dialect, str(file), dict(options), legacy)
        for warning in made.warnings:
            click.echo(f"tailrace: warning: {warning}", err=True)
        if output is None:
            click.echo(made.text.rstrip("\n"))
        else:
            output.write_text(made.text, encoding="utf-8")

    return convert_configuration
