// Disks that break and power that goes at any write of a dataset.
#include <gmock/gmock.h>

#include <utility>

#include "env/faulty/faulty_files.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

constexpr std::uint64_t for_ever = std::uint64_t{1} << 40;
constexpr std::size_t one_snapshot = 10000;

DatasetSpec synced_spec(const std::string& path) {
  DatasetSpec spec = sample_spec(path);
  spec.sync = true;
  return spec;
}

// Creates a dataset and commits to it until something fails; the commits that came back, -1: not even the
// creation.
std::int64_t write_until_failure(const DatasetSpec& spec, env::FileSystem& files, std::int64_t commits) {
  std::int64_t done = -1;
  try {
    const auto dataset = netcdf_format().create(spec, files);
    for (done = 0; done < commits; ++done) dataset->commit(sample_commit(spec, done));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("No space left on device"));
  }
  return done;
}

// The disk takes nothing from the n-th write on, then the power goes, for every n: each dataset is as the
// last synced commit left it.
TEST_F(NetcdfFormat, power_that_goes_at_any_write_leaves_the_last_commit) {
  constexpr std::int64_t commits = 4;
  std::int64_t done = -1;
  int lost = 0;
  for (std::uint64_t write = 1; done < commits; ++write) {
    SCOPED_TRACE(write);
    const auto spec = synced_spec(path("power.nc"));
    env::FaultyFiles files(env::system_files(), {.fail_write = write, .fail_times = for_ever});
    done = write_until_failure(spec, files, commits);
    files.lose_power();
    if (done < 0) {
      EXPECT_FALSE(std::filesystem::exists(spec.path));
      ++lost;
      continue;
    }
    const auto inspected = netcdf::inspect(spec.path, true);
    ASSERT_TRUE(inspected.readable) << inspected.report;
    const std::int64_t records = check_whole(spec.path);
    EXPECT_GE(records, done);
    EXPECT_LE(records, done + 1);  // the last one's journal was whole
    std::filesystem::remove(spec.path);
  }
  EXPECT_GT(lost, 0);
}

// Does it twice where it fails; whether it did.
template <class Work>
int failed_once(Work work) {
  try {
    work();
    return 0;
  } catch (const Error&) {
    work();
    return 1;
  }
}

void check_each_failure(const DatasetSpec& spec) {
  std::uint64_t writes = 0;
  {
    env::FaultyFiles files(env::system_files());
    EXPECT_EQ(write_until_failure(spec, files, 2), 2);
    writes = files.writes();
  }
  const Bytes expected = contents(spec.path);
  ASSERT_GT(writes, 5u);
  int untold = 0;
  for (std::uint64_t write = 1; write <= writes; ++write) {
    SCOPED_TRACE(write);
    env::FaultyFiles files(env::system_files(), {.fail_write = write});
    std::unique_ptr<Dataset> dataset;
    int failures = failed_once([&] { dataset = netcdf_format().create(spec, files); });
    for (std::int64_t record = 0; record < 2; ++record)
      failures += failed_once([&] { dataset->commit(sample_commit(spec, record)); });
    bool again = false;
    failures += failed_once([&] {
      if (std::exchange(again, true)) dataset->commit(sample_commit(spec, 1));  // which came with the close
      dataset->close();
    });
    EXPECT_LE(failures, 1);
    untold += 1 - failures;
    EXPECT_EQ(check_whole(spec.path), 2);
    // A commit that is tried again after its last part had failed leaves one snapshot more.
    EXPECT_LT(contents(spec.path).size(), expected.size() + one_snapshot);
  }
  EXPECT_EQ(untold, 2) << "only the room that is reserved ahead, once in each commit, may be missing";
}

// A disk that has no room for a while, at any write or flush: it is told, nothing is lost, and the commit can
// be tried again.
TEST_F(NetcdfFormat, a_write_that_fails_once_costs_one_more_try) {
  check_each_failure(sample_spec(path("retry.nc")));
}

TEST_F(NetcdfFormat, a_flush_that_fails_once_costs_one_more_try) {
  check_each_failure(synced_spec(path("flushed.nc")));
}

}  // namespace
}  // namespace tailrace::output::testing
