// Killed writers, full disks and concurrent readers of stores: committed records survive.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "env/faulty/faulty_files.hpp"
#include "output/testing/dataset_conformance.hpp"
#include "output/tests/file_size_limit.hpp"
#include "output/tests/raw_files.hpp"
#include "output/tests/read_zarr.hpp"
#include "output/tests/together_zarr.hpp"
#include "output/zarr/existing.hpp"

namespace tailrace::output {
namespace {

using ::testing::HasSubstr;
using testing::sample_commit;
using testing::sample_spec;

enum class Kind { plain, sharded, by_many };

// Without and with shards, and by many writers. Uses a folder in memory if there is one: the tests check the
// order of changes to many small files, and syncs take long on a disk.
class ZarrStore : public testing::NetcdfFormat, public ::testing::WithParamInterface<Kind> {
 protected:
  DatasetSpec spec_of(const std::string& name) const {
    const auto spec = sample_spec(path(name));
    return GetParam() == Kind::plain ? spec : testing::sharded(spec);
  }

  void SetUp() override {
    const std::string memory = "/dev/shm";
    std::string pattern =
        std::filesystem::is_directory(memory) ? memory + "/tailrace-test-XXXXXX" : "tailrace-test-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    directory_ = std::filesystem::absolute(pattern).string();
  }
};

const Format& format() {
  static const testing::TogetherFormat by_many;
  return ZarrStore::GetParam() == Kind::by_many ? static_cast<const Format&>(by_many) : *find_format("zarr");
}

// Reads the metadata once and checks all values of the records that they count. Returns their number.
std::int64_t check_whole(const std::string& path) {
  const auto arrays = testing::zarr_json(path).at("consolidated_metadata").at("metadata");
  const auto read = [&](const std::string& store, const std::string& name) {
    return testing::read_zarr_array(store, name, arrays.at(name));
  };
  const auto records = arrays.at("time").at("shape").at(0).get<std::int64_t>();
  testing::check_records(sample_spec(path), read, records);
  return records;
}

[[noreturn]] void commit_until_killed(const DatasetSpec& spec, int pipe) {
  const auto dataset = format().create(spec);
  for (std::int64_t record = 0;; ++record) {
    dataset->commit(sample_commit(spec, record));
    if (::write(pipe, &record, sizeof record) != sizeof record) _exit(1);
  }
}

std::int64_t records_told_before_kill(const DatasetSpec& spec, std::chrono::microseconds time) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) commit_until_killed(spec, ends[1]);
  ::close(ends[1]);
  std::this_thread::sleep_for(time);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  std::int64_t record = 0, told = 0;
  while (::read(ends[0], &record, sizeof record) == sizeof record) told = record + 1;
  ::close(ends[0]);
  return told;
}

TEST_P(ZarrStore, killed_writer_loses_no_commit) {
  const char* wish = std::getenv("TAILRACE_TEST_KILLS");
  const int kills = wish != nullptr ? std::atoi(wish) : 15;
  std::mt19937 random(std::random_device{}());
  std::int64_t committed = 0;
  for (int i = 0; i < kills; ++i) {
    auto spec = spec_of(fmt::format("killed{}.zarr", i));
    const std::int64_t told = records_told_before_kill(spec, std::chrono::microseconds(random() % 100000));
    if (!std::filesystem::exists(spec.path)) {
      EXPECT_EQ(told, 0);
      format().create(spec)->close();  // with any leftover of the killed creation
    }
    const std::int64_t records = check_whole(spec.path);
    EXPECT_GE(records, told);
    EXPECT_LE(records, told + 1);
    const auto after = zarr::inspect(spec.path, true);
    EXPECT_TRUE(after.readable) << after.report;
    EXPECT_THAT(zarr::inspect(spec.path, false).report, HasSubstr(": complete; records: time "));
    testing::check_records(spec, &testing::read_zarr, records);
    // A later run appends to it.
    spec.if_exists = IfExists::append;
    spec.kept = {{testing::time_dim, records}, {testing::snap_dim, records}};
    if (records == 0) continue;
    const auto dataset = format().create(spec);
    for (std::int64_t more = records; more < records + 4; ++more)
      dataset->commit(testing::commit_of_later_run(spec, more, records));
    dataset->close();
    testing::check_records(spec, &testing::read_zarr, records + 4);
    committed += records;
    std::filesystem::remove_all(spec.path);
  }
  EXPECT_GT(committed, 0);
}

// Readers see complete records at any time while records are added.
TEST_P(ZarrStore, reader_at_any_moment_sees_whole_records) {
  const auto spec = spec_of("read.zarr");
  const auto dataset = format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  std::atomic<bool> ended{false};
  std::thread writer([&] {
    for (std::int64_t record = 1; record < 150; ++record) dataset->commit(sample_commit(spec, record));
    ended = true;
  });
  std::int64_t before = 0, looks = 0;
  while (!ended) {
    const std::int64_t records = check_whole(spec.path);
    EXPECT_GE(records, before);
    before = records;
    ++looks;
  }
  writer.join();
  EXPECT_EQ(check_whole(spec.path), 150);
  EXPECT_GT(looks, 3);
}

TEST_P(ZarrStore, full_disk_changes_nothing_and_the_commit_can_be_retried) {
  const auto spec = spec_of("full.zarr");
  const auto dataset = format().create(spec);
  for (std::int64_t record = 0; record < 4; ++record) dataset->commit(sample_commit(spec, record));
  int failures = 0;
  for (std::uint64_t room = 0;; room += 37) {
    try {
      const testing::FileSizeLimit limit(room);
      dataset->commit(sample_commit(spec, 4));
      break;
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.code(), ErrorCode::resource);
      EXPECT_THAT(error.what(), ::testing::StartsWith(spec.path + ": cannot "));
    }
    ASSERT_EQ(check_whole(spec.path), 4);
  }
  EXPECT_GT(failures, 10);
  dataset->commit(sample_commit(spec, 5));
  dataset->close();
  testing::check_records(spec, &testing::read_zarr, 6);
}

TEST_P(ZarrStore, full_disk_at_creation_leaves_nothing) {
  const auto spec = spec_of("full.zarr");
  {
    const testing::FileSizeLimit limit(700);
    EXPECT_THROW(format().create(spec), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  format().create(spec)->close();
}

// The disk is full for a while, at any write: one retry suffices, and nothing is lost.
TEST_P(ZarrStore, a_failed_write_needs_one_retry) {
  constexpr std::int64_t commits = 2;
  const auto spec = spec_of("retry.zarr");
  std::uint64_t writes = 0;
  {
    env::FaultyFiles files(env::system_files());
    const auto dataset = format().create(spec, files);
    for (std::int64_t record = 0; record < commits; ++record) dataset->commit(sample_commit(spec, record));
    writes = files.writes();
  }
  for (std::uint64_t write = 1; write <= writes; write += 7) {
    SCOPED_TRACE(write);
    env::FaultyFiles files(env::system_files(), {.fail_write = write});
    std::unique_ptr<Dataset> dataset;
    for (int tries = 0; !dataset && tries < 2; ++tries) {
      try {
        dataset = format().create(spec, files);
      } catch (const Error&) {
        EXPECT_EQ(tries, 0);
      }
    }
    ASSERT_TRUE(dataset);
    for (std::int64_t record = 0; record < commits; ++record) {
      try {
        dataset->commit(sample_commit(spec, record));
      } catch (const Error&) {
        EXPECT_EQ(check_whole(spec.path), record);
        dataset->commit(sample_commit(spec, record));
      }
    }
    dataset->close();
    testing::check_records(spec, &testing::read_zarr, commits);
  }
}

// For every third n, the disk fails from the n-th write of the commits on and then the power fails: each
// store has the state of the last synced commit. (The simulation does not lose changes of directories, so the
// creation is not interrupted.)
TEST_P(ZarrStore, a_power_failure_in_any_commit_leaves_the_last_one) {
  constexpr std::int64_t commits = 3;
  std::uint64_t created = 0;
  std::int64_t done = 0;
  for (std::uint64_t write = 0; done < commits; write += 3) {
    SCOPED_TRACE(write);
    auto spec = spec_of(fmt::format("power{}.zarr", write));
    spec.sync = true;
    const env::Faults faults{.fail_write = write == 0 ? 0 : created + write,
                             .fail_times = std::uint64_t{1} << 40};
    env::FaultyFiles files(env::system_files(), faults);
    const auto dataset = format().create(spec, files);
    done = 0;
    if (write == 0) {
      created = files.writes();
      continue;
    }
    try {
      for (; done < commits; ++done) dataset->commit(sample_commit(spec, done));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resource);
    }
    // The end removes the folder of the marks, and the simulation would bring them back without it.
    if (GetParam() != Kind::by_many) dataset->close();
    files.lose_power();
    const std::int64_t records = check_whole(spec.path);
    EXPECT_GE(records, done);
    EXPECT_LE(records, done + 1);
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ZarrStore, ::testing::Values(Kind::plain, Kind::sharded, Kind::by_many),
                         [](const auto& tested) {
                           if (tested.param == Kind::plain) return "plain";
                           return tested.param == Kind::sharded ? "sharded" : "by_many";
                         });

}  // namespace
}  // namespace tailrace::output
