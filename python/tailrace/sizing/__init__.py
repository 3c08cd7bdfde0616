"""How many servers a run needs: `tailrace measure` and `tailrace plan`.

`machine` holds the figures of a node, `workload` what the clocks of a plan say about a run, `costs` what reports say
about the price of its parts. `predict` puts the three together (docs/guide/how_many_servers.md has the formulas).
"""
