"""A twin of a run: its ranks, servers, network and disks as discrete events, on a clock that costs no time.

`events` is the queue with two kinds of resources, `replay` the run on it. Amounts and prices are those of the formulas;
what the twin adds is their order: bursts, buffers that fill, servers that wait for each other and for a disk.
"""
