// Disk errors and power failures at any write of a dataset.
#include <gmock/gmock.h>

#include <utility>

#include "env/faulty/faulty_files.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/netcdf/names.hpp"
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

// Creates a dataset and commits to it until something fails. Returns the number of successful commits, -1 if
// the creation failed.
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

// For every n, the disk fails from the n-th write on and then the power fails: each dataset has the state of
// the last synced commit.
TEST_F(NetcdfFormat, a_power_failure_at_any_write_leaves_the_last_commit) {
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
    EXPECT_LE(records, done + 1);  // the journal of the last one was complete
    std::filesystem::remove(spec.path);
  }
  EXPECT_GT(lost, 0);
}

// Calls `work`, and once more if it fails. Returns whether it failed.
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

struct Written {
  std::uint64_t until_close = 0, in_all = 0;  // writes
};

Written count_writes(const DatasetSpec& spec) {
  env::FaultyFiles files(env::system_files());
  const auto dataset = netcdf_format().create(spec, files);
  for (std::int64_t record = 0; record < 2; ++record) dataset->commit(sample_commit(spec, record));
  const std::uint64_t until_close = files.writes();
  dataset->close();
  return {until_close, files.writes()};
}

void check_each_failure(const DatasetSpec& spec) {
  const Written writes = count_writes(spec);
  const Bytes expected = contents(spec.path);
  ASSERT_GT(writes.until_close, 5u);
  ASSERT_GT(writes.in_all, writes.until_close + 5u);
  std::map<bool, int> untold;  // by whether the write is one of close()
  for (std::uint64_t write = 1; write <= writes.in_all; ++write) {
    SCOPED_TRACE(write);
    env::FaultyFiles files(env::system_files(), {.fail_write = write});
    std::unique_ptr<Dataset> dataset;
    int failures = failed_once([&] { dataset = netcdf_format().create(spec, files); });
    for (std::int64_t record = 0; record < 2; ++record)
      failures += failed_once([&] { dataset->commit(sample_commit(spec, record)); });
    bool again = false;
    failures += failed_once([&] {
      if (std::exchange(again, true))
        dataset->commit(sample_commit(spec, 1));  // because close() had completed it
      dataset->close();
    });
    EXPECT_LE(failures, 1);
    untold[write > writes.until_close] += 1 - failures;
    EXPECT_EQ(check_whole(spec.path), 2);
    // A commit that is retried after the changes in place failed leaves one more snapshot, and where the copy
    // fails, the chunks are encoded in the file itself.
    if (write <= writes.until_close) {
      EXPECT_LT(contents(spec.path).size(), expected.size() + one_snapshot);
    }
    EXPECT_FALSE(std::filesystem::exists(netcdf::name_while_created(spec.path)));
  }
  EXPECT_EQ(untold[false], 2) << "only reserving room, once in each commit, may fail silently";
  EXPECT_GT(untold[true], 0) << "where the copy fails, the file is complete without it";
}

// The disk is full for a while, at any write or flush: the error is reported, nothing is lost, and the commit
// can be retried.
TEST_F(NetcdfFormat, a_failed_write_needs_one_retry) { check_each_failure(sample_spec(path("retry.nc"))); }

TEST_F(NetcdfFormat, a_failed_flush_needs_one_retry) { check_each_failure(synced_spec(path("flushed.nc"))); }

}  // namespace
}  // namespace tailrace::output::testing
