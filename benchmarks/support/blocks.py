"""The extra cost of a step with output, from runs that alternate blocks with output and silent blocks
(programs/call_times.c). Both kinds of block have the same processor, memory and neighbours, and slow changes of the
machine affect both."""

from statistics import fmean

SHARED = 1.2  # in times of fast steps: where others use the same core, a step takes 1.5


def middle(values: list[float]) -> float:
    """The mean without the tenth at either end, where other activity of the machine dominates."""
    cut = len(values) // 10
    return fmean(sorted(values)[cut : len(values) - cut])


def longest_own(times: list[float]) -> float:
    """The limit in seconds above which a step, silent or with output, must have shared its processor."""
    return SHARED * sorted(times)[len(times) // 20]


def own_steps(times: list[float], length: int) -> dict[int, list[tuple[int, float]]]:
    """The steps with their times, by block, during which the run had the processor to itself."""
    limit = longest_own([time for step, time in enumerate(times, 1) if step // length % 2 == 1])
    blocks: dict[int, list[tuple[int, float]]] = {}
    for step, time in enumerate(times, 1):
        if time < limit:
            blocks.setdefault(step // length, []).append((step, time))
    return blocks


def extra_seconds(runs: list[list[float]], length: int, kinds: int) -> float:
    """`runs[r][i]` is the time of step i + 1; of the blocks of `length` steps the second, fourth ... are silent. A step
    with output counts with what it takes more than those of the silent blocks before and behind it, and each of the
    `kinds` of steps, by number modulo `kinds`, counts the same. Left out are steps that shared the processor, those
    beside a silent block in which most did, and kinds of which no step is left."""
    extra: list[list[float]] = [[] for _ in range(kinds)]
    for times in runs:
        blocks = own_steps(times, length)
        quiet = {
            number: middle([time for _, time in of])
            for number, of in blocks.items()
            if number % 2 == 1 and 4 * len(of) >= length
        }
        for number, of in blocks.items():
            if number - 1 in quiet and number + 1 in quiet:
                for step, time in of:
                    extra[step % kinds].append(time - (quiet[number - 1] + quiet[number + 1]) / 2)
    return fmean(middle(of) for of in extra if of)
