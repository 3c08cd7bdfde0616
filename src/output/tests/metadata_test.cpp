// Overlays, snapshots of metadata and HDF5's checksum.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string_view>
#include <vector>

#include "base/index.hpp"
#include "env/faulty/recording_files.hpp"
#include "output/netcdf/collected_writes.hpp"
#include "output/netcdf/metadata/checksum.hpp"
#include "output/netcdf/metadata/overlay.hpp"
#include "output/netcdf/metadata/snapshot.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

TEST(MetadataChecksum, agrees_with_its_author) {
  const auto of = [](std::string_view text) {
    return netcdf::metadata_checksum(std::as_bytes(std::span(text)));
  };
  EXPECT_EQ(of(""), 0xdeadbeefu);
  EXPECT_EQ(of("Four score and seven years ago"), 0x17770551u);
}

TEST(Overlay, has_the_last_write_to_each_byte) {
  std::mt19937 random(5);
  netcdf::Overlay overlay;
  Bytes expected(300), file(300);
  std::vector<bool> written(300);
  for (int i = 0; i < 400; ++i) {
    const std::size_t at = random() % 290, size = random() % std::min<std::size_t>(40, 300 - at);
    const Bytes bytes = pattern(size, i);
    overlay.put(at, bytes);
    std::ranges::copy(bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
    const std::size_t from = random() % 300, count = random() % (300 - from);
    Bytes seen(file.begin() + static_cast<std::ptrdiff_t>(from),
               file.begin() + static_cast<std::ptrdiff_t>(from + count));
    overlay.cover(from, seen);
    ASSERT_TRUE(std::equal(seen.begin(), seen.end(), expected.begin() + static_cast<std::ptrdiff_t>(from)));
    std::fill_n(written.begin() + static_cast<std::ptrdiff_t>(at), size, true);
    const auto first = written.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last = first + static_cast<std::ptrdiff_t>(count);
    ASSERT_EQ(overlay.has_all(from, from + count), std::find(first, last, false) == last);
    ASSERT_EQ(overlay.touches(from, from + count), std::find(first, last, true) != last);
  }
  std::uint64_t end = 0;
  for (const auto& [address, bytes] : overlay.pieces()) {
    EXPECT_GE(address, end);
    end = address + bytes.size();
  }
}

TEST(CollectedWrites, have_the_last_write_to_each_byte) {
  std::mt19937 random(7);
  const auto files = env::make_memory_files();
  for (int round = 0; round < 40; ++round) {
    netcdf::CollectedWrites writes;
    std::vector<Bytes> lasting;  // the bytes that are referred to
    lasting.reserve(30);
    Bytes expected(300);
    for (int i = 0; i < 30; ++i) {
      const std::size_t at = random() % 290, size = random() % std::min<std::size_t>(60, 300 - at);
      Bytes bytes = pattern(size, i);
      std::ranges::copy(bytes, expected.begin() + static_cast<std::ptrdiff_t>(at));
      if (random() % 2 == 0) {
        lasting.push_back(bytes);
        writes.refer_to(lasting.back());
        writes.put(at, lasting.back());
      } else {
        writes.put(at, bytes);
        std::ranges::fill(bytes, std::byte{0});  // the writes keep a copy
      }
      const std::size_t from = random() % 300, count = random() % (300 - from);
      Bytes seen(count);
      writes.cover(from, seen);
      ASSERT_TRUE(std::equal(seen.begin(), seen.end(), expected.begin() + static_cast<std::ptrdiff_t>(from)));
    }
    const auto file = files->open(fmt::format("written_{}", round), Access::create);
    writes.write_to(*file);
    Bytes seen(300);
    file->read(0, seen);
    ASSERT_EQ(seen, expected);
  }
}

// Every variable refers to its dims: reading each reference separately would take quadratic time.
TEST_F(NetcdfFormat, snapshot_reads_each_piece_of_metadata_once) {
  auto spec = sample_spec(path("wide.nc"));
  for (int i = 0; i < 60; ++i) {
    spec.variables.push_back(spec.variables[theta]);
    spec.variables.back().name = fmt::format("theta_{}", i);
  }
  netcdf_format().create(spec)->close();
  const auto file = open(spec.path, Access::read);
  netcdf::Superblock superblock;
  file->read(0, superblock.bytes);
  std::map<std::uint64_t, int> reads;
  const auto read = [&](std::uint64_t address, std::span<std::byte> bytes) {
    ++reads[address];
    file->read(address, bytes);
  };
  const auto snapshot = netcdf::SnapshotMaker().make(read, superblock.root(), superblock.end());
  EXPECT_GT(snapshot.originals.size(), spec.variables.size());
  for (const auto& [address, count] : reads) EXPECT_LE(count, 3) << "at " << address;
}

// More commits than slots for copies of headers.
TEST_F(NetcdfFormat, slots_of_headers_are_used_in_turn) {
  const auto spec = sample_spec(path("long.nc"));
  const auto dataset = netcdf_format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  const auto length = [&] { return std::filesystem::file_size(spec.path); };
  for (std::int64_t record = 1; record < 300; ++record) {
    dataset->commit(sample_commit(spec, record));
    if (record % 37 == 0) {
      EXPECT_EQ(check_whole(spec.path), record + 1);
    }
  }
  EXPECT_LT(dataset->bytes_on_disk(), 1'500'000u) << "128 copies of the headers, not 300";
  EXPECT_GT(length(), dataset->bytes_on_disk()) << "the file has reserved room after its end";
  dataset->close();
  EXPECT_EQ(length(), dataset->bytes_on_disk());
  EXPECT_EQ(check_whole(spec.path), 300);
}

// HDF5 queries the length of a file, then reads its superblock, and rejects a file that is shorter than the
// superblock states. A reader may be slow in between.
TEST_F(NetcdfFormat, superblock_names_a_length_that_the_file_has_had_for_some_commits) {
  constexpr std::int64_t cells = 2000;
  DatasetSpec spec;
  spec.path = path("named.nc");
  spec.dims = {{"time", 0, true}, {"x", cells, false}};
  spec.variables = {{"w", model::DataType::float64, {0, 1}, {1, cells}, {}, {}, {}}};
  const auto dataset = netcdf_format().create(spec);
  std::vector<std::uint64_t> lengths{std::filesystem::file_size(spec.path)};  // after each commit
  std::set<std::uint64_t> named;
  for (std::int64_t record = 0; record < 200; ++record) {
    dataset->commit({.lengths = {{0, record + 1}},
                     .chunks = {{0, {record, 0}, pattern(cells * sizeof(double), 1), true}},
                     .values = {}});
    lengths.push_back(std::filesystem::file_size(spec.path));
    netcdf::Superblock superblock;
    open(spec.path, Access::read)->read(0, superblock.bytes);
    named.insert(superblock.end());
    ASSERT_LE(superblock.end(), lengths[base::index(std::max<std::int64_t>(record - 9, 0))]);
    ASSERT_LE(dataset->bytes_on_disk(), superblock.end());
  }
  EXPECT_GT(named.size(), 2U) << "the file was extended";
}

// The first round fills the slots; later rounds write only the differences.
TEST_F(NetcdfFormat, reused_slots_are_written_in_part) {
  const auto spec = sample_spec(path("again.nc"));
  env::RecordingFiles files(env::system_files());
  const auto dataset = netcdf_format().create(spec, files);
  std::vector<std::size_t> bytes;  // of each commit
  for (std::int64_t record = 0; record < 300; ++record) {
    const std::size_t before = files.changes().size();
    dataset->commit(sample_commit(spec, record));
    const env::Changes changes = files.changes();
    bytes.push_back(0);
    for (std::size_t i = before; i < changes.size(); ++i) bytes.back() += changes[i].bytes.size();
  }
  dataset->close();
  EXPECT_LT(bytes[250] + 500, bytes[100]);
  EXPECT_EQ(check_whole(spec.path), 300);
}

}  // namespace
}  // namespace tailrace::output::testing
