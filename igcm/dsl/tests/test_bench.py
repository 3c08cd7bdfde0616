"""The programs that measure generated kernels (igcm/bench/generated.py), on small meshes."""

import numpy as np
from stencils import DSL, analysis_of, library, module_of

generated = module_of(DSL.parent / "bench" / "generated.py")
by_hand = generated.by_hand


def test_each_program_by_hand_has_its_functions():
    assert set(generated.FUNCTIONS) == set(by_hand.KERNELS)
    for source, names in generated.FUNCTIONS.values():
        assert set(names) <= {facts.kernel.name for facts in analysis_of(source).kernels}


def test_each_call_begins_with_the_same_values(tmp_path, monkeypatch):
    monkeypatch.setattr(by_hand, "LARGE", by_hand.CACHED)
    for program in ("comp_caldyn_vert", "dyn_horiz_adv_limiter"):
        source, names = generated.FUNCTIONS[program]
        calls = generated.Prepared(library(source, "serial"), names, generated.grids_of(tmp_path, program))
        assert calls.seconds(1) > 0
        once = [array.copy() for call in calls.calls for array, _ in call.changed]
        assert any((array != before).any() for call in calls.calls for array, before in call.changed)
        calls.seconds(1)
        again = [array for call in calls.calls for array, _ in call.changed]
        assert all(np.array_equal(a, b) for a, b in zip(once, again, strict=True))


def test_parts_of_ranks_cover_the_mesh(tmp_path, monkeypatch):
    monkeypatch.setattr(by_hand, "LARGE", by_hand.CACHED)
    for program in ("comp_pvort", "dyn_diffusion"):
        (grid, *_) = generated.grids_of(tmp_path, program)
        for name, ranks in generated.owners(grid, 3).items():
            assert len(ranks) == grid.counts[name] and set(ranks) == {0, 1, 2}
