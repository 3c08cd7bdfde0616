"""Texts of Tailrace about itself: `reference`, `schema`, `version`, `plugins`."""

import click


@click.command()
def reference() -> None:
    """Print every option of the configuration as a Markdown page."""
    from tailrace import _core

    click.echo(_core.reference().rstrip("\n"))


@click.command()
def schema() -> None:
    """Print the JSON schema of the configuration, for editors."""
    from tailrace import _core

    click.echo(_core.schema().rstrip("\n"))


@click.command()
def plugins() -> None:
    """Print the folder for HDF5_PLUGIN_PATH, with which readers of HDF5 decode the codec lorenzo."""
    from tailrace.plugins import plugin_folder

    click.echo(plugin_folder())


@click.command()
def version() -> None:
    """Print the version."""
    from tailrace import _core

    click.echo(_core.version())
