// Kills at every moment, and every state of the device that a power failure may leave: the changes of a file
// are recorded and replayed in part.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "base/index.hpp"
#include "env/faulty/recording_files.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/netcdf/metadata/snapshot.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

using env::Change;

struct Recorded {
  env::Changes changes;
  std::vector<std::size_t>
      ends;  // number of changes after the creation, after each commit and after the close
};

Recorded record(const std::string& path, bool sync, std::int64_t commits) {
  DatasetSpec spec = sample_spec(path);
  spec.sync = sync;
  env::RecordingFiles files(env::system_files());
  const auto dataset = netcdf_format().create(spec, files);
  Recorded recorded;
  recorded.ends.push_back(files.changes().size());
  for (std::int64_t i = 0; i < commits; ++i) {
    dataset->commit(sample_commit(spec, i));
    recorded.ends.push_back(files.changes().size());
  }
  dataset->close();
  recorded.changes = files.changes();
  recorded.ends.push_back(recorded.changes.size());
  std::filesystem::remove(path);
  return recorded;
}

// The number of commits that are complete after so many changes.
std::int64_t commits_before(const Recorded& recorded, std::size_t changes) {
  const auto over = std::ranges::count_if(recorded.ends, [&](std::size_t end) { return end <= changes; });
  return std::clamp<std::int64_t>(over - 1, 0, static_cast<std::int64_t>(recorded.ends.size()) - 2);
}

void expect_commits(const std::string& path, std::int64_t least) {
  const std::int64_t records = check_whole(path);
  EXPECT_GE(records, least);
  EXPECT_LE(records, least + 1);
}

// Like the next test, with header slots that are reused.
TEST_F(NetcdfFormat, is_whole_after_every_write_to_reused_slots) {
  const Recorded recorded = record(path("recorded.nc"), false, 133);
  const std::string name = path("killed.nc");
  for (std::size_t count = recorded.ends[127]; count <= recorded.ends[132]; ++count) {
    SCOPED_TRACE(count);
    put_contents(name, env::replay(recorded.changes, [&](std::size_t i) { return i < count; }));
    expect_commits(name, commits_before(recorded, count));
  }
}

// The state that a killed process leaves, or that a reader sees at any moment: all changes up to some point,
// the next one possibly up to a page boundary, where a system call may be interrupted. The file is consistent
// without repair, except for blocks of an index that span two pages, which these samples do not have.
TEST_F(NetcdfFormat, is_whole_for_readers_after_every_single_write) {
  const Recorded recorded = record(path("recorded.nc"), false, 5);
  const std::string name = path("killed.nc");
  for (std::size_t count = recorded.ends[0]; count <= recorded.changes.size(); ++count) {
    SCOPED_TRACE(count);
    put_contents(name, env::replay(recorded.changes, [&](std::size_t i) { return i < count; }));
    expect_commits(name, commits_before(recorded, count));
    const auto repaired = netcdf::inspect(name, true);
    EXPECT_TRUE(repaired.readable) << repaired.report;
    expect_commits(name, commits_before(recorded, count));
  }
}

// Readers that have the superblock of one commit while the writer continues. All data of their state must
// stay within the length that they know, although chunks become full and large commits follow.
class ReaderWithOldSuperblock : public NetcdfFormat {
 protected:
  static constexpr std::int64_t cells = 700, chunk_records = 4, burst_cells = 300'000;
  enum { time, wave, burst };

  DatasetSpec spec() const {
    DatasetSpec spec;
    spec.path = path("held.nc");
    spec.dims = {{"time", 0, true}, {"later", 0, true}, {"x", cells, false}, {"y", burst_cells, false}};
    const codecs::CodecOptions none;
    spec.variables = {
        {"time", model::DataType::float64, {0}, {512}, none, {}, {}},
        {"w", model::DataType::float64, {0, 2}, {chunk_records, cells}, {"zlib", 1, true}, {}, {}},
        {"burst", model::DataType::float64, {1, 3}, {1, burst_cells}, none, {}, {}}};
    return spec;
  }

  // The name by which the reader has the file open. A file that has ended may give its name to a copy.
  std::string held() const { return path("held.link"); }
  void hold() const { std::filesystem::create_hard_link(path("held.nc"), held()); }

  // Every fifth commit has a large burst of values, written before the chunk of w that it may fill.
  static Commit commit(const DatasetSpec& spec, std::int64_t record, bool bursts = true) {
    Commit commit{.lengths = {{0, record + 1}}, .chunks = {}, .values = {}};
    if (bursts && record % 5 == 0) {
      commit.lengths[1] = record / 5 + 1;
      commit.chunks.push_back({burst, {record / 5, 0}, pattern(burst_cells * sizeof(double), 3), true});
    }
    const std::int64_t first = record / chunk_records * chunk_records, known = record - first;
    const Bytes raw = as_bytes(model::DataType::float64, chunk_records * cells, [&](std::int64_t i) {
      return i / cells <= known ? value(first + i / cells, i % cells) : 0.0;
    });
    commit.chunks.push_back(encoded(spec, wave, {first, 0}, raw, known + 1 == chunk_records));
    commit.chunks.back().committed_records = known;
    commit.chunks.back().valid_records = known + 1;
    commit.values.push_back(
        {time, record, as_bytes(model::DataType::float64, 1, [&](auto) { return record; })});
    return commit;
  }

  // Values that compress well, or not at all.
  static double value(std::int64_t record, std::int64_t x) {
    const auto noise = static_cast<double>((x * x * 7919 + x * record) % 104729) / 104729.0;
    return static_cast<double>(record) + (record / chunk_records % 2 == 0 ? 0.0 : noise);
  }

  // Throws HDF5's error.
  void expect_as_before(const Bytes& superblock, std::int64_t records) const {
    const std::string name = held();
    const auto file = open(name, Access::update);
    Bytes now(superblock.size());
    file->read(0, now);
    const std::uint64_t length = file->size(), known = netcdf::number_at(superblock, 28, 8);
    file->write(0, superblock);
    if (known > length) file->truncate(known);  // the reader queried the length when it opened the file
    const auto put_back = [&] {
      file->write(0, now);
      file->truncate(length);
    };
    try {
      EXPECT_EQ(read_with_hdf5(name, "time").size(), static_cast<std::size_t>(records) * sizeof(double));
      EXPECT_EQ(read_with_hdf5(name, "w"),
                as_bytes(model::DataType::float64, static_cast<std::size_t>(records * cells),
                         [](std::int64_t i) { return value(i / cells, i % cells); }));
    } catch (...) {
      put_back();
      throw;
    }
    put_back();
  }

  // Reads in another process, since HDF5 never closes a file completely after such an error.
  bool is_an_error_with(const Bytes& superblock, std::int64_t records) const {
    const pid_t reader = ::fork();
    if (reader == 0) {
      try {
        expect_as_before(superblock, records);
      } catch (const Error&) {
        ::_exit(0);
      }
      ::_exit(1);
    }
    int status = -1;
    ::waitpid(reader, &status, 0);
    return status == 0;
  }

  // Checks after each commit up to `end`, and after the close.
  void go_on(Dataset& dataset, const DatasetSpec& spec, std::int64_t end) {
    for (; records_ < end; ++records_) {
      dataset.commit(commit(spec, records_));
      remember(records_ + 1);
      expect_all_as_before();
    }
    dataset.close();
    expect_all_as_before();
  }
  void remember(std::int64_t records) {
    Bytes superblock(netcdf::superblock_size);
    open(path("held.nc"), Access::read)->read(0, superblock);
    held_.emplace_back(std::move(superblock), records);
  }
  void expect_all_as_before() const {
    for (const auto& [superblock, records] : held_) {
      SCOPED_TRACE(::testing::Message() << records << " records, of now " << records_ + 1);
      ASSERT_NO_THROW(expect_as_before(superblock, records));
    }
  }

  std::vector<std::pair<Bytes, std::int64_t>> held_;
  std::int64_t records_ = 0;
};

TEST_F(ReaderWithOldSuperblock, sees_the_same_state_from_creation_to_close) {
  const DatasetSpec described = spec();
  const auto dataset = netcdf_format().create(described);
  hold();
  remember(0);
  go_on(*dataset, described, 23);
}

TEST_F(ReaderWithOldSuperblock, sees_the_same_state_while_a_later_run_appends) {
  DatasetSpec described = spec();
  const auto first = netcdf_format().create(described);
  hold();
  go_on(*first, described, 6);
  held_.clear();
  std::filesystem::remove(held());
  hold();
  remember(6);
  described.if_exists = IfExists::append;
  described.kept = {{0, 6}, {1, 2}};
  go_on(*netcdf_format().create(described), described, 13);
}

TEST_F(ReaderWithOldSuperblock, gets_an_error_when_its_slot_was_reused) {
  const DatasetSpec described = spec();
  const auto dataset = netcdf_format().create(described);
  hold();
  for (; records_ < 140; ++records_) {
    dataset->commit(commit(described, records_, false));
    remember(records_ + 1);
    constexpr auto places = static_cast<std::int64_t>(netcdf::SnapshotMaker::slot_count);
    if (records_ < places) continue;
    const auto& [kept, kept_records] = held_[base::index(records_ - places + 1)];
    const auto& [gone, gone_records] = held_[base::index(records_ - places)];
    ASSERT_NO_THROW(expect_as_before(kept, kept_records));
    EXPECT_TRUE(is_an_error_with(gone, gone_records));
  }
}

// After a power failure the device may have any subset of the changes since the last sync.
TEST_F(NetcdfFormat, synced_commits_survive_any_subset_of_later_changes) {
  const Recorded recorded = record(path("recorded.nc"), true, 4);
  const env::Changes& changes = recorded.changes;
  const std::string name = path("power.nc");
  std::mt19937 random(11);
  std::size_t synced = recorded.ends[0];
  for (std::size_t count = recorded.ends[0]; count <= changes.size(); ++count) {
    if (count < changes.size() && changes[count].kind != Change::Kind::sync) continue;
    for (int trial = 0; trial < 40; ++trial) {
      SCOPED_TRACE(::testing::Message() << synced << " synced, some of " << count - synced << " more");
      const std::uint32_t odds = trial % 5;  // none, few, ..., all
      std::vector<bool> kept(changes.size());
      for (std::size_t i = 0; i < count; ++i) kept[i] = i < synced || random() % 4 < odds;
      put_contents(name, env::replay(changes, [&](std::size_t i) { return kept[i]; }));
      const auto repaired = netcdf::inspect(name, true);
      ASSERT_TRUE(repaired.readable) << repaired.report;
      const std::int64_t records = check_whole(name);
      EXPECT_GE(records, commits_before(recorded, synced));
      EXPECT_LE(records, commits_before(recorded, count) + 1);
    }
    synced = count + 1;
  }
}

}  // namespace
}  // namespace tailrace::output::testing
