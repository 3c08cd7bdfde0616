"""A coupled component reads its configuration before it knows YAC."""

import pytest
from tailrace.yac.errors import CouplingError
from tailrace.yac.request import read_request


@pytest.mark.parametrize("section", ["", "yac: {component: io}\n"])
def test_a_component_needs_grids(tmp_path, section):
    """Only `serve --pism` goes without."""
    (tmp_path / "run.yaml").write_text("tailrace: 1\n" + section)
    with pytest.raises(CouplingError, match="has no grids in its section `yac`; expected those of this component"):
        read_request(tmp_path / "run.yaml")
