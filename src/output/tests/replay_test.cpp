// Every moment in which a process can end, and what the device may hold when the power goes: the changes of a
// file are written down and made again in part.
#include <algorithm>
#include <random>

#include "env/faulty/recording_files.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

using env::Change;

struct Recorded {
  env::Changes changes;
  std::vector<std::size_t> ends;  // of the changes, after the creation, each commit, the close
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

// How many commits are over when so many changes have happened.
std::int64_t commits_before(const Recorded& recorded, std::size_t changes) {
  const auto over = std::ranges::count_if(recorded.ends, [&](std::size_t end) { return end <= changes; });
  return std::clamp<std::int64_t>(over - 1, 0, static_cast<std::int64_t>(recorded.ends.size()) - 2);
}

void expect_commits(const std::string& path, std::int64_t least) {
  const std::int64_t records = check_whole(path);
  EXPECT_GE(records, least);
  EXPECT_LE(records, least + 1);
}

// The same as below, where copies of headers take the places of older ones.
TEST_F(NetcdfFormat, is_whole_after_every_write_where_places_are_used_again) {
  const Recorded recorded = record(path("recorded.nc"), false, 133);
  const std::string name = path("killed.nc");
  for (std::size_t count = recorded.ends[127]; count <= recorded.ends[132]; ++count) {
    SCOPED_TRACE(count);
    put_contents(name, env::replay(recorded.changes, [&](std::size_t i) { return i < count; }));
    expect_commits(name, commits_before(recorded, count));
  }
}

// What a killed process leaves, and what a reader finds at any moment: the first changes, the next one
// perhaps up to the border of a page (a system call is cut off there). It is whole as it is, without repair,
// except in pieces of an index over two pages, which the samples here do not have.
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

// Of the changes since the last sync any may be on the device, in any combination.
TEST_F(NetcdfFormat, synced_commits_are_whole_whatever_the_device_has_of_the_rest) {
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
