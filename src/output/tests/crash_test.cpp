// Killed writers, full disks and concurrent readers: committed records survive.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <thread>

#include "output/netcdf/hdf5.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/tests/file_size_limit.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output {
namespace {

using testing::Bytes;
using testing::check_whole;
using testing::contents;
using testing::FileSizeLimit;
using ::testing::HasSubstr;
using testing::NetcdfFormat;
using testing::pattern;
using testing::put_contents;
using testing::sample_commit;
using testing::sample_spec;

const Format& format() { return testing::netcdf_format(); }

// ---- kill -9

// A child process that commits until it is killed and reports each commit through the pipe. Does not return.
[[noreturn]] void commit_until_killed(const std::string& path, int pipe) {
  const auto spec = sample_spec(path);
  const auto dataset = format().create(spec);
  for (std::int64_t record = 0;; ++record) {
    dataset->commit(sample_commit(spec, record));
    if (::write(pipe, &record, sizeof record) != sizeof record) _exit(1);
  }
}

struct Killed {
  std::int64_t reported = 0;  // records
  bool created = false;
};

// Whether the time is measured from the start of the child or from its first commit, which may take long on a
// slow machine.
enum class From { start, first_commit };

Killed kill_writer_after(const std::string& path, std::chrono::microseconds time, From from) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) commit_until_killed(path, ends[1]);
  ::close(ends[1]);
  Killed killed;
  std::int64_t record = 0;
  if (from == From::first_commit && ::read(ends[0], &record, sizeof record) == sizeof record)
    killed.reported = record + 1;
  std::this_thread::sleep_for(time);
  ::kill(child, SIGKILL);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  while (::read(ends[0], &record, sizeof record) == sizeof record) killed.reported = record + 1;
  ::close(ends[0]);
  killed.created = std::filesystem::exists(path);
  return killed;
}

TEST_F(NetcdfFormat, killed_writer_loses_no_commit) {
  const char* wish = std::getenv("TAILRACE_TEST_KILLS");
  const int kills = wish != nullptr ? std::atoi(wish) : 15;
  std::mt19937 random(std::random_device{}());
  int created = 0, repaired = 0, at_once = 0;
  std::int64_t committed = 0;
  for (int i = 0; i < kills; ++i) {
    const std::string file = path(fmt::format("killed{}.nc", i));
    const Killed killed = kill_writer_after(file, std::chrono::microseconds(random() % 120000),
                                            i % 2 == 0 ? From::first_commit : From::start);
    if (!killed.created) {
      EXPECT_EQ(killed.reported, 0);
      continue;
    }
    ++created;
    const auto before = netcdf::inspect(file, false);
    at_once += before.readable;
    if (before.readable) {
      EXPECT_GE(check_whole(file), killed.reported);
    }
    const auto after = netcdf::inspect(file, true);
    repaired += after.repaired;
    EXPECT_TRUE(after.readable) << after.report;
    const std::int64_t records = check_whole(file);
    EXPECT_GE(records, killed.reported);
    EXPECT_LE(records, killed.reported + 1);
    EXPECT_THAT(netcdf::inspect(file, true).report, HasSubstr(": complete; records: "));
    committed += records;
    std::filesystem::remove(file);
  }
  EXPECT_GT(committed, 0);
  RecordProperty("readable_at_once", at_once);
  RecordProperty("repaired", repaired);
  std::printf("%d kills: %d files created, %d readable at once, %d had something to repair, %ld records\n",
              kills, created, at_once, repaired, static_cast<long>(committed));
}

TEST_F(NetcdfFormat, killed_creation_leaves_a_hidden_file_that_the_next_one_replaces) {
  const auto spec = sample_spec(path("new.nc"));
  put_contents(path(".new.nc.new"), pattern(100000, 1));
  EXPECT_THAT(netcdf::inspect(spec.path, true).report, HasSubstr("no such file ("));
  EXPECT_THAT(netcdf::inspect(spec.path, true).report,
              HasSubstr("/.new.nc.new is left from a run that was killed"));
  format().create(spec)->close();
  EXPECT_EQ(netcdf::inspect(spec.path, true).report, spec.path + ": complete; records: time 0, time_snap 0");
  EXPECT_FALSE(std::filesystem::exists(path(".new.nc.new")));
}

TEST_F(NetcdfFormat, creation_does_not_follow_a_link) {
  const auto spec = sample_spec(path("new.nc"));
  put_contents(path("precious"), pattern(1000, 1));
  std::filesystem::create_symlink(path("precious"), path(".new.nc.new"));
  format().create(spec)->close();
  EXPECT_EQ(contents(path("precious")), pattern(1000, 1));
  EXPECT_FALSE(std::filesystem::is_symlink(path("new.nc")));
  std::filesystem::create_symlink(path("nowhere"), path(".new.nc.new"));
  format().create(spec)->close();
  EXPECT_FALSE(std::filesystem::exists(path("nowhere")));
  EXPECT_EQ(netcdf::inspect(spec.path, true).report, spec.path + ": complete; records: time 0, time_snap 0");
}

// ---- the disk is full

TEST_F(NetcdfFormat, full_disk_at_any_byte_changes_nothing_and_the_commit_can_be_retried) {
  const auto spec = sample_spec(path("full.nc"));
  const auto dataset = format().create(spec);
  for (std::int64_t record = 0; record < 4; ++record) dataset->commit(sample_commit(spec, record));
  const Bytes before = contents(spec.path);
  const Commit commit = sample_commit(spec, 4);
  int failures = 0;
  for (std::uint64_t spare = 0;; spare += 31) {
    try {
      const FileSizeLimit limit(before.size() + spare);
      dataset->commit(commit);
      break;
    } catch (const Error& error) {
      ++failures;
      EXPECT_EQ(error.code(), ErrorCode::resource);
      EXPECT_THAT(error.what(), ::testing::StartsWith(spec.path + ": cannot "));
      EXPECT_THAT(error.what(), HasSubstr("File too large"));
    }
    ASSERT_EQ(check_whole(spec.path), 4);
    ASSERT_EQ(contents(spec.path).size(), before.size());
  }
  EXPECT_GT(failures, 10);
  EXPECT_EQ(check_whole(spec.path), 5);
  dataset->commit(sample_commit(spec, 5));
  dataset->close();
  EXPECT_EQ(check_whole(spec.path), 6);
  const netcdf::Hdf5Lock lock;
  EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << "a failure leaves HDF5 objects open";
}

TEST_F(NetcdfFormat, full_disk_at_creation_leaves_nothing) {
  const auto spec = sample_spec(path("full.nc"));
  {
    const FileSizeLimit limit(2000);
    EXPECT_THROW(format().create(spec), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  format().create(spec)->close();
}

// ---- readers

// A child process that opens the file with HDF5's own lock, reports that, and reads it on request. Does not
// return.
[[noreturn]] void hold_open(const std::string& path, int told, int tell) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const char opened = file >= 0 ? 'y' : 'n';
  char go = 0;
  if (::write(tell, &opened, 1) != 1 || ::read(told, &go, 1) != 1) _exit(1);
  const hid_t dataset = H5Dopen2(file, "z", H5P_DEFAULT);
  std::vector<double> values(testing::z_size);
  const bool read = H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0;
  _exit(read && values.back() == testing::sample_value(testing::z_var, 0, testing::z_size - 1) ? 0 : 2);
}

TEST_F(NetcdfFormat, open_reader_does_not_disturb_the_writer) {
  const auto spec = sample_spec(path("read.nc"));
  const auto dataset = format().create(spec);
  std::int64_t committed = 0;
  for (; committed < 3; ++committed) dataset->commit(sample_commit(spec, committed));
  int told[2], tell[2];
  ASSERT_EQ(::pipe(told) + ::pipe(tell), 0);
  const pid_t reader = ::fork();
  if (reader == 0) hold_open(spec.path, told[0], tell[1]);
  char opened = 0;
  ASSERT_EQ(::read(tell[0], &opened, 1), 1);
  EXPECT_EQ(opened, 'y');
  for (; committed < 10; ++committed) {
    dataset->commit(sample_commit(spec, committed));
    EXPECT_EQ(check_whole(spec.path), committed + 1);
  }
  ASSERT_EQ(::write(told[1], "g", 1), 1);
  int status = -1;
  ::waitpid(reader, &status, 0);
  EXPECT_EQ(status, 0) << "the reader failed";
  for (const int end : {told[0], told[1], tell[0], tell[1]}) ::close(end);
}

}  // namespace
}  // namespace tailrace::output
