"""Commands before a job: `measure` and `plan`."""

from pathlib import Path

import click

from .shared import CONFIG, RANKS, Options
from .watching import Length

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
SIZE = 512  # MiB


@click.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("MACHINE.yaml"),
    show_default=True,
    help="The file to make.",
)
@click.option(
    "--directory",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=Path(),
    help="Where the run will write (default: here): this disk is measured.",
)
@click.option(
    "--megabytes",
    type=click.IntRange(16),
    default=SIZE,
    show_default=True,
    metavar="MIB",
    help="How much is written to the disk, and removed.",
)
@click.option(
    "--mpirun",
    metavar="COMMAND",
    help="The launcher, with options that put two processes on two nodes, as in a shell: --mpirun 'srun -N 2'.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def measure(output: Path, directory: Path, megabytes: int, mpirun: str | None, force: bool) -> None:
    """Measure this node for `tailrace plan`: copies in memory, codecs on a core, the disk, the network by MPI.

    It takes less than a minute. Nothing else should run on the node.
    """
    from tailrace.sizing.measure import measure as measure_node

    def say(text: str) -> None:
        click.echo(f"tailrace: {text}", err=True)

    measure_node(output, directory, size=megabytes << 20, mpirun=mpirun, force=force, say=say)
    click.echo(output)


@click.command()
@click.argument("config", type=CONFIG)
@click.option(
    "--declared",
    type=FILE,
    required=True,
    multiple=True,
    metavar="FILE",
    help="The declarations of the model: declared.COMPONENT.json in the report directory of a run.",
)
@click.option("--machine", type=FILE, required=True, metavar="FILE", help="What `tailrace measure` made on a node.")
@click.option("--ranks", type=RANKS, required=True, metavar="N", help="Ranks of the model, without servers.")
@click.option(
    "--report",
    "reports",
    type=click.Path(exists=True, path_type=Path),
    multiple=True,
    metavar="REPORT",
    help="The report (or report directory) of a short run; up to three, with other numbers of ranks, make the "
    "prediction better. May be repeated. By default the one beside the declarations.",
)
@click.option("-D", "options", type=Options(), multiple=True, help="An option of the model, such as x_size=64.")
@click.option(
    "--length",
    type=Length(),
    metavar="TIME",
    help="The model time of the run, in seconds or as '30 days' (default: that of the newest report).",
)
@click.option(
    "--deadline",
    type=Length(),
    metavar="TIME",
    help="The wall-clock time that the run may take, as '6 h': the cheapest choice within it is taken.",
)
@click.option(
    "--nodes",
    type=click.IntRange(1),
    metavar="N",
    help="The number of nodes (default: as many as ranks and servers need).",
)
@click.option(
    "--most",
    type=click.IntRange(1, 1024),
    default=8,
    show_default=True,
    metavar="N",
    help="The largest number of servers on a node that is tried.",
)
@click.option(
    "--step",
    type=Length(),
    metavar="SECONDS",
    help="The time of a step with N ranks without output, if you know it better than the reports.",
)
@click.option(
    "--twin",
    is_flag=True,
    help="Replay each run event by event: bursts, full buffers, and servers that wait for each other. Takes longer.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option(
    "--plot", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE", help="Draw time, margin and memory."
)
@click.option("--force", is_flag=True, help="Replace an existing plot.")
def plan(config, declared, machine, reports, options, as_json, plot, force, **numbers) -> None:
    """Say how many servers a run of CONFIG needs: whether they keep up, what the model waits, memory, lag, time.

    The costs are those of the reports of short runs, scaled to N ranks, and the machine's figures.
    """
    from tailrace.sizing.commands import Request
    from tailrace.sizing.commands import plan as plan_run

    if len(declared) > 1:
        raise click.UsageError("--declared: servers that several components share cannot be planned; expected one FILE")
    request = Request(config, declared[0], machine, reports=reports, options=dict(options), **numbers)
    click.echo(plan_run(request, as_json=as_json, plot=plot, force=force))
