"""A disk that reports a failed write only when the file is closed, like network file systems with quotas."""

import subprocess

import numpy as np
import pytest
from support.harness import block_grid, field, model, servers
from support.reading import read
from support.values import put_values

SHAPE = (3, 7, 11)
STEPS = 9
FAILS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int close(int descriptor) {
  static int failed;
  int (*const real)(int) = (int (*)(int))dlsym(RTLD_NEXT, "close");
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  const int writes = (fcntl(descriptor, F_GETFL) & O_ACCMODE) != O_RDONLY;
  path[length > 0 ? length : 0] = 0;
  const int result = real(descriptor);
  if (!writes || !strstr(path, "a_6.nc") || failed >= atoi(getenv("FAILING_CLOSES"))) return result;
  ++failed;
  errno = EDQUOT;
  return -1;
}
"""


@pytest.fixture(scope="module")
def over_quota(tmp_path_factory) -> dict[str, str]:
    """Environment variables."""
    folder = tmp_path_factory.mktemp("closes")
    (folder / "closes.c").write_text(FAILS)
    subprocess.run(["cc", "-shared", "-fPIC", "closes.c", "-o", "closes.so", "-ldl"], cwd=folder, check=True)
    return {"LD_PRELOAD": str(folder / "closes.so")}


def run(job, environment, closes: int, **options):
    file = {"write_every": "3 steps", "file_per_write": True, "variables": [{"field": "w", "every": "1 step"}]}
    config = {"fields": {"state": {"names": ["w"]}}, "output": {"a.nc": file | options}}
    times = [float(step + 1) for step in range(STEPS)]
    played = model(3, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les")], times=times)
    return job(played, servers(2), config=config, environment=environment | {"FAILING_CLOSES": str(closes)})


def assert_whole(folder, last: int) -> None:
    steps = range(last - 2, last + 1)
    assert np.array_equal(read(folder / f"a_{last}.nc").w, [put_values(0, SHAPE, float(n), n) for n in steps])


@pytest.mark.parametrize("closes", [1, 3])
def test_it_is_tried_again(job, over_quota, closes):
    result = run(job, over_quota, closes, on_error="retry", retry_for="60 s").finished()
    told = "a_6.nc: cannot close: Disk quota exceeded; trying again (on_error: retry)"
    assert result.output.count(told) == closes, result.output
    assert "was removed" not in result.output
    for last in (3, 6, 9):
        assert_whole(result.folder, last)


def test_the_run_stops_with_a_message(job, over_quota):
    result = run(job, over_quota, 1, on_error="stop")
    result.failed_with("a_6.nc: cannot close: Disk quota exceeded")
    assert_whole(result.folder, 3)
