"""tools/check_threads: it finds accesses without their lock, and this tree has none."""

import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
EXAMPLE = """
#include "base/thread_safety.hpp"

namespace tailrace {

class Counter {
 public:
  void add() TAILRACE_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    count_here();
  }
  void wait_for_one() {
    base::MutexLock lock(mutex_);
    while (count_ == 0) changed_.wait(mutex_);
  }
  int count() const { %s return count_; }
  void skip() { %s count_here(); }

 private:
  void count_here() TAILRACE_REQUIRES(mutex_) { ++count_; }

  mutable base::Mutex mutex_;
  base::Condition changed_;
  int count_ TAILRACE_GUARDED_BY(mutex_) = 0;
};

int use(Counter& counter) { return counter.count(); }

}  // namespace tailrace
"""
LOCK = "const base::MutexLock lock(mutex_);"


def check(*arguments: Path) -> subprocess.CompletedProcess:
    done = subprocess.run(
        [sys.executable, TREE / "tools" / "check_threads", *arguments], capture_output=True, text=True
    )
    if done.returncode == 2 and "clang++" in done.stderr:
        pytest.skip(done.stderr)
    return done


@pytest.mark.parametrize(
    ("of_count", "of_skip", "expected"),
    [
        (LOCK, LOCK, None),
        ("", LOCK, "reading variable 'count_' requires holding mutex 'mutex_'"),
        (LOCK, "", "calling function 'count_here' requires holding mutex 'mutex_' exclusively"),
        (LOCK, f"{LOCK} add();", "cannot call function 'add' while mutex 'mutex_' is held"),
        (LOCK, f"{LOCK} mutex_.lock();", "acquiring mutex 'mutex_' that is already held"),
        (LOCK, "mutex_.lock();", "mutex 'mutex_' is still held at the end of function"),
    ],
)
def test_a_missing_lock_is_found(tmp_path, of_count, of_skip, expected):
    example = tmp_path / "example.cpp"
    example.write_text(EXAMPLE % (of_count, of_skip))
    done = check(example)
    assert done.returncode == (0 if expected is None else 1), done.stdout + done.stderr
    assert expected is None or expected in done.stdout


def test_this_tree():
    done = check()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 with offences" in done.stdout
    assert int(done.stdout.split()[-5]) > 8, done.stdout
