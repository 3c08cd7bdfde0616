"""Commands around a job: `check`, `run`, `serve`, `report`, `demo`."""

import sys
from pathlib import Path

import click

from .shared import CONFIG, RANKS, Options


@click.command()
@click.argument("config", type=CONFIG)
@click.option("-D", "options", type=Options(), multiple=True, help="An option of the model, such as x_size=64.")
@click.option(
    "--declared",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="The declarations of a model: declared.COMPONENT.json in a run's report directory. With them fields, shapes, "
    "units and diagnostics are checked too, and the plan of the diagnostics is printed.",
)
@click.option(
    "--graph",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the plan of the diagnostics as a graph for Graphviz's dot.",
)
@click.option("--force", is_flag=True, help="Replace an existing graph.")
@click.option(
    "--restart",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="A directory of checkpoints, or one: say whether a run would go on from the newest, before the job waits in a "
    "queue. Needs --declared.",
)
@click.option(
    "--machine",
    type=CONFIG,
    metavar="FILE",
    help="What `tailrace measure` made: warn if the servers cannot keep up there with the model, by the report beside "
    "the declarations. Needs --declared.",
)
@click.option(
    "--ranks",
    type=RANKS,
    metavar="N",
    help="For --machine: ranks of the model, without servers (default: those of the report).",
)
def check(
    config: Path,
    options,
    declared: Path | None,
    graph: Path | None,
    force: bool,
    restart: Path | None,
    machine: Path | None,
    ranks: int | None,
) -> None:
    """Check CONFIG without running a model and print the plan. The files of `input` and `yac` are opened."""
    from tailrace import _core
    from tailrace.weights.placing import check_place, folder_beside, put

    if graph and not declared:
        raise click.UsageError("--graph needs --declared: the plan depends on the shapes of the model's fields")
    if restart and not declared:
        raise click.UsageError("--restart needs --declared: a checkpoint belongs to the fields and grids of a model")
    if machine and not declared:
        raise click.UsageError("--machine needs --declared: how much is written depends on the model's fields")
    if force and not graph:
        raise click.UsageError("--force needs --graph: nothing else is written")
    if ranks and not machine:
        raise click.UsageError("--ranks needs --machine: without it, nothing depends on their number")
    if graph:
        check_place(graph, force, [one for one in (config, declared, machine) if one])
    text = _core.check(config, dict(options), declared, restart).rstrip("\n")
    if not declared:  # what a run has declared, it has read
        from tailrace.yac.checks import check_files

        check_files(config)
    click.echo(text)
    if machine and declared:
        from tailrace.sizing.commands import check_servers

        for warning in check_servers(config, declared, machine, ranks, dict(options)):
            click.echo(f"tailrace: warning: {warning}", err=True)
    if graph:
        with folder_beside(graph) as folder:
            made = folder / graph.name
            made.write_text(_core.plan_graph(config, declared, dict(options)), encoding="utf-8")
            put(made, graph, force)


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "-n",
    "--ranks",
    type=RANKS,
    required=True,
    metavar="RANKS",
    help="Number of ranks of PROGRAM. Without --servers it includes the ranks that become servers (servers: count).",
)
@click.option(
    "--servers",
    type=click.IntRange(0),
    metavar="N",
    help="Number of server ranks to add as separate programs (tailrace serve). All ranks of PROGRAM then "
    "belong to the model.",
)
@click.option(
    "--mpirun",
    metavar="COMMAND",
    help="The launcher: a path or a command with options, as in a shell: --mpirun 'srun --mpi=pmix'. "
    "By default mpirun or mpiexec on the PATH.",
)
@click.argument("config", type=CONFIG)
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def run(ranks: int, servers: int | None, mpirun: str | None, config: Path, program: tuple[str, ...]) -> None:
    """Start PROGRAM under MPI with its servers and show its progress.

    tailrace run -n RANKS [--servers N] [--mpirun COMMAND] CONFIG -- PROGRAM ARGS...
    """
    from tailrace.run import run as run_job

    program = program[1:] if program[0] == "--" else program
    sys.exit(run_job(config, list(program), ranks=ranks, servers=servers, mpirun=mpirun))


@click.command()
@click.option(
    "--yac",
    "coupling",
    type=CONFIG,
    metavar="COUPLING",
    help="Run as a component of a job that YAC couples, with YAC's configuration COUPLING: fields that it couples to "
    "this component are written, and fields that others get from it come from the files of `input`. The section `yac` "
    "of CONFIG has its grids.",
)
@click.option(
    "--group",
    metavar="NAME",
    help="Run in a job whose programs divide MPI_COMM_WORLD by an MPI handshake, as those of YAC do: serve the models "
    "that name the group NAME in theirs, and start their sessions on its communicator.",
)
@click.option(
    "--pism",
    is_flag=True,
    help="Run in the place of PISM's program pism_async_writer: the files that PISM writes by YAC are made here, as "
    "CONFIG has it.",
)
@click.argument("config", type=CONFIG)
def serve(coupling: Path | None, group: str | None, pism: bool, config: Path) -> None:
    """Run as a server rank of an MPMD launch: mpirun -n 6 ./model : -n 2 tailrace serve CONFIG"""
    if (coupling is not None) + (group is not None) + pism > 1:
        raise click.UsageError("expected one of --yac, --pism and --group: each takes part in the job in another way")
    if pism:
        from tailrace.pism import serve as serve_pism

        serve_pism(config)
    elif coupling is not None:
        from tailrace.yac import serve as serve_coupled

        serve_coupled(coupling, config)
    elif group is not None:
        serve_named_group(config, group)
    else:
        from tailrace import _core

        _core.serve(str(config))


def serve_named_group(config: Path, group: str) -> None:
    try:
        from mpi4py import MPI

        from tailrace.launch.handshake import HandshakeError, serve_group
    except ImportError as error:
        raise click.ClickException(f"--group needs mpi4py: pip install mpi4py ({error})") from error
    try:
        serve_group(str(config), group)
    except HandshakeError as error:
        click.echo(f"tailrace: error: {error}", err=True)
        MPI.COMM_WORLD.Abort(2)  # the other programs may wait for this one


@click.command()
@click.argument("directory", type=click.Path(exists=True, file_okay=False, path_type=Path), default="tailrace_report")
def report(directory: Path) -> None:
    """Show the report of a run from DIRECTORY (default: tailrace_report)."""
    from tailrace.report import show

    show(directory)


@click.command()
@click.option("--into", type=click.Path(file_okay=False, path_type=Path), default="demo", show_default=True)
def demo(into: Path) -> None:
    """Run the density current, plot it, and list the files made."""
    from tailrace.demo import play

    play(into)
