"""Runs in which blocks of steps with output and silent ones follow each other (programs/call_times.c): what a step
costs more with output. Both kinds have the same processor, memory and neighbours; what changes slowly meets both."""

from statistics import fmean


def middle(values: list[float]) -> float:
    """The mean without the tenth at either end, which what else happens on the machine makes."""
    cut = len(values) // 10
    return fmean(sorted(values)[cut : len(values) - cut])


def extra_seconds(times: list[float], length: int, kinds: int) -> float:
    """`times[i]` is the time of step i + 1; of the blocks of `length` steps the second, fourth ... are silent. A step
    with output counts with what it takes more than those of the silent blocks before and behind it, and each of the
    `kinds` of steps, by number modulo `kinds`, counts the same. Those not between two silent blocks are left out."""
    blocks: dict[int, list[float]] = {}
    for step, time in enumerate(times, 1):
        blocks.setdefault(step // length, []).append(time)
    quiet = {number: middle(of) for number, of in blocks.items() if number % 2 == 1}
    extra: list[list[float]] = [[] for _ in range(kinds)]
    for step, time in enumerate(times, 1):
        block = step // length
        if block % 2 == 0 and block - 1 in quiet and block + 1 in quiet:
            extra[step % kinds].append(time - (quiet[block - 1] + quiet[block + 1]) / 2)
    return fmean(middle(of) for of in extra)
