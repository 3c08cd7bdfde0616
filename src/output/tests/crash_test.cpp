// Killed writers, full disks, cut-off commits: what was committed stays.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <thread>

#include "output/netcdf/atomic_file.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/testing/dataset_conformance.hpp"
#include "output/tests/read_back.hpp"

namespace tailrace::output {
namespace {

using netcdf::AtomicFile;
using netcdf::PosixFile;
using testing::Bytes;
using ::testing::HasSubstr;
using testing::NetcdfTest;
using testing::read_with_hdf5;
using testing::sample_commit;
using testing::sample_spec;

const Format& format() { return *find_format("netcdf"); }

Bytes contents(const std::string& path) {
  const PosixFile file(path, PosixFile::Mode::read);
  Bytes bytes(file.size());
  file.read(0, bytes);
  return bytes;
}

void put_contents(const std::string& path, std::span<const std::byte> bytes) {
  PosixFile file(path, PosixFile::Mode::create);
  file.truncate(0);
  file.write(0, bytes);
}

Bytes pattern(std::size_t size, int seed) {
  std::mt19937 random(static_cast<unsigned>(seed));
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// The whole values for as many records as a file says it has; how many.
std::int64_t check_whole(const std::string& path) {
  const auto records = static_cast<std::int64_t>(read_with_hdf5(path, "time").size() / sizeof(double));
  const auto spec = sample_spec(path);
  testing::check_records(spec, &read_with_hdf5, records);
  return records;
}

// ---- the file beneath: every point where a process can be cut off

struct Change {
  Bytes before, after;
  std::uint64_t journal_begin = 0;
};

class AtomicFileTest : public NetcdfTest {};

TEST_F(AtomicFileTest, is_the_old_file_until_the_journal_is_whole_and_the_new_one_after) {
  const std::string name = path("file");
  const Bytes before = pattern(5000, 1);
  put_contents(name, before);
  Bytes after = before;
  {
    AtomicFile file(PosixFile(name, PosixFile::Mode::update), before.size());
    file.begin();
    const auto change = [&](std::uint64_t address, const Bytes& bytes) {
      file.write(address, bytes, false);
      after.resize(std::max<std::size_t>(after.size(), address + bytes.size()));
      std::copy(bytes.begin(), bytes.end(), after.begin() + static_cast<std::ptrdiff_t>(address));
    };
    change(8, pattern(20, 2));
    change(500, pattern(1100, 3));
    change(4900, pattern(3000, 4));  // over the committed end
    change(2000, pattern(3, 5));
    Bytes seen(after.size());
    file.read(0, seen);
    EXPECT_EQ(seen, after) << "what was written must be read, though it is not in place yet";
    const Bytes disk = contents(name);
    EXPECT_TRUE(std::equal(before.begin(), before.end(), disk.begin()))
        << "nothing changes in place before the commit";
    file.set_end(after.size());
    file.commit(false);
  }
  EXPECT_EQ(contents(name), after);
}

TEST_F(AtomicFileTest, journal_brings_any_mixture_to_the_new_state) {
  const std::string name = path("file");
  const Bytes before = pattern(3000, 1);
  const netcdf::Journal journal{
      3000, 2900, {{0, pattern(512, 2)}, {1024, pattern(700, 3)}, {2500, pattern(9, 4)}}};
  Bytes after = before;
  for (const auto& patch : journal.patches)
    std::copy(patch.bytes.begin(), patch.bytes.end(),
              after.begin() + static_cast<std::ptrdiff_t>(patch.address));
  after.resize(2900);
  put_contents(name, before);
  {
    PosixFile file(name, PosixFile::Mode::update);
    write_journal(file, journal);
  }
  const Bytes with_journal = contents(name);

  for (std::size_t length = with_journal.size() - 1; length >= before.size();
       --length) {  // while it is written
    PosixFile file(name, PosixFile::Mode::update);
    file.truncate(length);
    EXPECT_FALSE(read_journal(file).has_value()) << length;
  }
  for (std::size_t changed = 0; changed < journal.patches.size(); ++changed) {  // cut off while it is applied
    for (const std::size_t part : {std::size_t{0}, std::size_t{5}, journal.patches[changed].bytes.size()}) {
      Bytes mixture = with_journal;
      for (std::size_t i = 0; i <= changed; ++i) {
        const auto& patch = journal.patches[i];
        const auto count = static_cast<std::ptrdiff_t>(i < changed ? patch.bytes.size() : part);
        std::copy(patch.bytes.begin(), patch.bytes.begin() + count,
                  mixture.begin() + static_cast<std::ptrdiff_t>(patch.address));
      }
      put_contents(name, mixture);
      PosixFile file(name, PosixFile::Mode::update);
      const auto found = read_journal(file);
      ASSERT_TRUE(found.has_value());
      finish_journal(file, *found, true);
      EXPECT_EQ(contents(name), after);
    }
  }
}

TEST_F(AtomicFileTest, damaged_journal_is_none) {
  const std::string name = path("file");
  put_contents(name, pattern(600, 1));
  {
    PosixFile file(name, PosixFile::Mode::update);
    write_journal(file, {600, 600, {{100, pattern(50, 2)}}});
  }
  Bytes bytes = contents(name);
  bytes[630] ^= std::byte{1};
  put_contents(name, bytes);
  EXPECT_FALSE(read_journal(PosixFile(name, PosixFile::Mode::read)).has_value());
}

// ---- kill -9

// A child that commits for ever and tells each commit through the pipe. Does not return.
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

// The time counts from the start of the child, or from its first commit, however long that takes on this
// machine.
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
  killed.created = netcdf::exists(path);
  return killed;
}

TEST_F(NetcdfTest, killed_writer_loses_nothing_that_was_committed) {
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
    EXPECT_THAT(netcdf::inspect(file, true).report, HasSubstr(": whole; records: "));
    committed += records;
    std::filesystem::remove(file);
  }
  EXPECT_GT(committed, 0);
  RecordProperty("readable_at_once", at_once);
  RecordProperty("repaired", repaired);
  std::printf("%d kills: %d files created, %d readable at once, %d had something to repair, %ld records\n",
              kills, created, at_once, repaired, static_cast<long>(committed));
}

TEST_F(NetcdfTest, killed_creation_leaves_a_hidden_file_that_the_next_one_replaces) {
  const auto spec = sample_spec(path("new.nc"));
  put_contents(path(".new.nc.new"), pattern(100000, 1));
  EXPECT_THAT(netcdf::inspect(spec.path, true).report, HasSubstr("no such file ("));
  EXPECT_THAT(netcdf::inspect(spec.path, true).report,
              HasSubstr("/.new.nc.new is left from a run that was killed"));
  format().create(spec)->close();
  EXPECT_EQ(netcdf::inspect(spec.path, true).report, spec.path + ": whole; records: time 0, time_snap 0");
  EXPECT_FALSE(netcdf::exists(path(".new.nc.new")));
}

// ---- the disk is full

// No file of this process may grow past `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::uint64_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(NetcdfTest, full_disk_at_any_byte_leaves_the_file_as_it_was_and_the_commit_can_be_tried_again) {
  const auto spec = sample_spec(path("full.nc"));
  const auto dataset = format().create(spec);
  for (std::int64_t record = 0; record < 4; ++record) dataset->commit(sample_commit(spec, record));
  const Bytes before = contents(spec.path);
  const Commit commit = sample_commit(spec, 4);
  int failures = 0;
  for (std::uint64_t spare = 0;; spare += 97) {
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
  EXPECT_EQ(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL), 0) << "a failure leaves something open";
}

TEST_F(NetcdfTest, full_disk_at_creation_leaves_nothing) {
  const auto spec = sample_spec(path("full.nc"));
  {
    const FileSizeLimit limit(2000);
    EXPECT_THROW(format().create(spec), Error);
  }
  EXPECT_TRUE(std::filesystem::is_empty(directory_));
  format().create(spec)->close();
}

// ---- inspection

TEST_F(NetcdfTest, inspection_says_what_is_wrong) {
  const auto report = [&](const std::string& name) { return netcdf::inspect(path(name), true).report; };
  EXPECT_EQ(report("absent.nc"), path("absent.nc") + ": no such file");
  EXPECT_EQ(netcdf::inspect(directory_, true).report, directory_ + ": is not a file");
  std::ofstream(path("empty.nc"));
  EXPECT_EQ(report("empty.nc"), path("empty.nc") + ": is empty");
  std::ofstream(path("text.nc")) << "time,value\n";
  EXPECT_EQ(report("text.nc"), path("text.nc") + ": is not a NetCDF-4 (HDF5) file");
  std::ofstream(path("classic.nc")) << "CDF\x01 and so on";
  EXPECT_THAT(report("classic.nc"), HasSubstr("is a classic netCDF file"));

  const auto spec = sample_spec(path("cut.nc"));
  format().create(spec)->close();
  const Bytes whole = contents(spec.path);
  put_contents(spec.path, std::span(whole).first(whole.size() - 1));
  EXPECT_EQ(report("cut.nc"), fmt::format("{}: is cut off: {} of {} bytes are there; this cannot be repaired",
                                          spec.path, whole.size() - 1, whole.size()));
}

TEST_F(NetcdfTest, repair_cuts_off_and_finishes) {
  const auto spec = sample_spec(path("repair.nc"));
  {
    const auto dataset = format().create(spec);
    dataset->commit(sample_commit(spec, 0));
  }
  const Bytes whole = contents(spec.path);
  Bytes longer = whole;
  longer.resize(whole.size() + 1234, std::byte{7});
  put_contents(spec.path, longer);
  EXPECT_EQ(netcdf::inspect(spec.path, false).report,
            spec.path +
                ": whole, with 1234 bytes of a commit that was cut off behind its end, which readers ignore; "
                "records: time 1, time_snap 1");
  EXPECT_EQ(check_whole(spec.path), 1);
  EXPECT_EQ(
      netcdf::inspect(spec.path, true).report,
      spec.path +
          ": repaired: 1234 bytes of a commit that was cut off are cut off; records: time 1, time_snap 1");
  EXPECT_EQ(contents(spec.path), whole);

  Bytes torn = whole;  // killed in the middle of changing the front of the file
  std::fill_n(torn.begin() + 20, 300, std::byte{0});
  put_contents(spec.path, torn);
  {
    PosixFile file(spec.path, PosixFile::Mode::update);
    write_journal(file, {whole.size(), whole.size(), {{0, Bytes(whole.begin(), whole.begin() + 512)}}});
  }
  const auto unrepaired = netcdf::inspect(spec.path, false);
  EXPECT_FALSE(unrepaired.readable);
  EXPECT_THAT(unrepaired.report, HasSubstr("`tailrace inspect --repair` finishes it"));
  const auto repaired = netcdf::inspect(spec.path, true);
  EXPECT_TRUE(repaired.readable && repaired.repaired) << repaired.report;
  EXPECT_EQ(contents(spec.path), whole);
}

// ---- readers

// A child that opens the file with HDF5's own lock, says so, and reads it when it is told to. Does not
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

TEST_F(NetcdfTest, reader_that_holds_the_file_open_disturbs_nothing) {
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
  EXPECT_EQ(status, 0) << "the reader could not go on";
  for (const int end : {told[0], told[1], tell[0], tell[1]}) ::close(end);
}

}  // namespace
}  // namespace tailrace::output
