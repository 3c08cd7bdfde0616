// Files that have ended: no chunk lies raw, values are the same for every reader, and little space is unused.
#include "output/netcdf/repack/repack.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "env/faulty/recording_files.hpp"
#include "output/netcdf/creation.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/netcdf/metadata/snapshot.hpp"
#include "output/netcdf/repack/extensible_array.hpp"
#include "output/netcdf/repack/new_indices.hpp"
#include "output/netcdf/retired_places.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

// The filter masks of all chunks of a file, by variable, as HDF5 itself finds them.
std::map<std::string, std::vector<unsigned>> masks(const std::string& path) {
  const netcdf::Hdf5Lock lock;
  const netcdf::Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "open");
  std::map<std::string, std::vector<unsigned>> found;
  for (const VariableSpec& variable : sample_spec(path).variables) {
    const netcdf::Id dataset(H5Dopen2(file, variable.name.c_str(), H5P_DEFAULT), &H5Dclose, "open");
    const netcdf::Id space(H5Dget_space(dataset), &H5Sclose, "space");
    const netcdf::Id properties(H5Dget_create_plist(dataset), &H5Pclose, "properties");
    if (H5Pget_layout(properties) != H5D_CHUNKED) continue;
    hsize_t count = 0;
    netcdf::check(H5Dget_num_chunks(dataset, space, &count), "count");
    for (hsize_t i = 0; i < count; ++i) {
      unsigned mask = 99;
      haddr_t address = 0;
      hsize_t size = 0, offset[H5S_MAX_RANK] = {};
      netcdf::check(H5Dget_chunk_info(dataset, space, i, offset, &mask, &address, &size), "chunk");
      found[variable.name].push_back(mask);
    }
  }
  return found;
}

bool has_raw_chunk(const std::string& path) {
  for (const auto& [name, all] : masks(path))
    for (const unsigned mask : all)
      if (mask != 0) return true;
  return false;
}

class RepackedFile : public NetcdfFormat, public ::testing::WithParamInterface<codecs::CodecOptions> {
 protected:
  // `ballast`: a variable of so many MiB that is never raw, so that a copy is not worthwhile.
  DatasetSpec spec(const std::string& name, std::int64_t ballast = 0) const {
    DatasetSpec spec = sample_spec(path(name), GetParam());
    if (ballast == 0) return spec;
    const auto cells = ballast * (1 << 17);
    spec.dims.push_back({"cell", cells, false});
    spec.variables.push_back({"ballast",
                              model::DataType::float64,
                              {static_cast<int>(spec.dims.size()) - 1},
                              {},
                              codecs::CodecOptions(),
                              {},
                              {}});
    return spec;
  }
  static Commit commit(const DatasetSpec& spec, std::int64_t record) {
    Commit commit = sample_commit(spec, record);
    if (spec.variables.back().name == "ballast" && record == 0)
      commit.values.push_back({static_cast<int>(spec.variables.size()) - 1, 0,
                               pattern(static_cast<std::size_t>(spec.dims.back().size) * 8, 1)});
    return commit;
  }
  // The HDF5 of the tests cannot decode zstd; tests/readers read such files.
  static void expect_whole(const std::string& path, std::int64_t records) {
    if (GetParam().codec == "zlib") {
      EXPECT_EQ(check_whole(path), records);
    }
  }
  static void write(Dataset& dataset, const DatasetSpec& spec, std::int64_t first, std::int64_t end) {
    for (std::int64_t record = first; record < end; ++record) dataset.commit(commit(spec, record));
  }
};

TEST_P(RepackedFile, has_no_raw_chunk_once_it_is_closed) {
  for (const std::int64_t ballast : {0, 8})
    for (const std::int64_t records : {1, 3, 7, 135}) {
      if (records > 128 && ballast > 0) continue;  // the copy alone has header slots that were reused
      SCOPED_TRACE(fmt::format("{} records, {} MiB besides", records, ballast));
      const DatasetSpec spec = this->spec("closed.nc", ballast);
      const auto dataset = netcdf_format().create(spec);
      write(*dataset, spec, 0, records);
      // Readers of a commit that makes a file much larger know no place for the encoded chunk.
      EXPECT_EQ(has_raw_chunk(spec.path), ballast > 0 || records % flux_records != 0) << "while it is open";
      dataset->close();
      EXPECT_FALSE(has_raw_chunk(spec.path));
      expect_whole(spec.path, records);
      EXPECT_EQ(dataset->bytes_on_disk(), std::filesystem::file_size(spec.path));
      EXPECT_EQ(netcdf::inspect(spec.path, true).report,
                fmt::format("{}: complete; records: time {}, time_snap {}", spec.path, records, records));
      EXPECT_FALSE(std::filesystem::exists(netcdf::name_while_created(spec.path)));
    }
}

TEST_P(RepackedFile, goes_on_in_a_later_run) {
  for (const std::int64_t ballast : {0, 8})
    for (const std::int64_t records : {1, 4}) {
      SCOPED_TRACE(fmt::format("{} records, {} MiB besides", records, ballast));
      DatasetSpec spec = this->spec("continued.nc", ballast);
      const auto first = netcdf_format().create(spec);
      write(*first, spec, 0, records);
      first->close();
      spec.if_exists = IfExists::append;
      spec.kept = {{time_dim, records}, {snap_dim, records}};
      for (std::int64_t end = records + 2; end < 12; end += 5) {
        const auto next = netcdf_format().create(spec);
        write(*next, spec, spec.kept[time_dim], end);
        next->close();
        EXPECT_FALSE(has_raw_chunk(spec.path));
        expect_whole(spec.path, end);
        spec.kept = {{time_dim, end}, {snap_dim, end}};
      }
      std::filesystem::remove(spec.path);
    }
}

TEST_P(RepackedFile, is_repaired_after_a_kill) {
  for (const std::int64_t ballast : {0, 8}) {
    const DatasetSpec spec = this->spec("killed.nc", ballast);
    const auto dataset = netcdf_format().create(spec);
    write(*dataset, spec, 0, 4);
    const Bytes killed = contents(spec.path);
    dataset->close();
    const std::string name = path("left.nc");
    put_contents(name, killed);
    const auto looked_at = netcdf::inspect(name, false);
    EXPECT_THAT(looked_at.report, ::testing::HasSubstr("`tailrace inspect --repair` compresses them"));
    EXPECT_FALSE(looked_at.repaired);
    EXPECT_EQ(contents(name), killed);
    const auto repaired = netcdf::inspect(name, true);
    EXPECT_TRUE(repaired.readable && repaired.repaired) << repaired.report;
    EXPECT_THAT(repaired.report,
                ::testing::HasSubstr("chunks that several commits had filled were compressed"));
    EXPECT_FALSE(has_raw_chunk(name));
    expect_whole(name, 4);
    EXPECT_FALSE(netcdf::inspect(name, true).repaired) << "once";
  }
}

TEST_P(RepackedFile, is_whole_after_every_single_write_of_the_end) {
  if (GetParam().codec != "zlib" || !GetParam().shuffle) GTEST_SKIP() << "one codec shows it";
  const std::size_t stride = std::getenv("TAILRACE_TEST_FAULTS") != nullptr ? 1 : 5;  // each write takes long
  for (const std::int64_t ballast : {0, 3}) {
    const DatasetSpec spec = this->spec("recorded.nc", ballast);
    env::RecordingFiles files(env::system_files());
    const auto dataset = netcdf_format().create(spec, files);
    write(*dataset, spec, 0, 4);
    const std::size_t until_close = files.changes().size();
    dataset->close();
    const std::size_t in_all = files.changes().size();
    EXPECT_GT(in_all, until_close + 5);
    const std::string name = path("cut.nc");
    for (std::size_t count = until_close; count <= in_all; count += stride) {
      SCOPED_TRACE(count);
      put_contents(name, env::replay(files.changes(), [&](std::size_t i) { return i < count; }));
      EXPECT_EQ(check_whole(name), 4);
      const auto repaired = netcdf::inspect(name, true);
      EXPECT_TRUE(repaired.readable) << repaired.report;
      EXPECT_FALSE(has_raw_chunk(name)) << repaired.report;
      EXPECT_EQ(check_whole(name), 4);
    }
  }
}

TEST_P(RepackedFile, stays_as_it_is_for_a_reader_that_opened_it_before) {
  if (GetParam().codec != "zlib") GTEST_SKIP() << "the HDF5 of the tests cannot decode it";
  for (const std::int64_t ballast : {0, 8}) {
    const DatasetSpec spec = this->spec("read.nc", ballast);
    const auto dataset = netcdf_format().create(spec);
    write(*dataset, spec, 0, 4);
    netcdf::Id file, flux;
    {
      const netcdf::Hdf5Lock lock;
      file = netcdf::Id(H5Fopen(spec.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "open");
      flux = netcdf::Id(H5Dopen2(file, "flux", H5P_DEFAULT), &H5Dclose, "open");
    }
    dataset->close();
    const netcdf::Hdf5Lock lock;
    std::vector<double> values(4 * x_size);
    netcdf::check(H5Dread(flux, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "read");
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      ASSERT_EQ(values[i], sample_value(testing::flux, at / x_size, at % x_size));
    }
    flux = {};
    file = {};
  }
}

INSTANTIATE_TEST_SUITE_P(codecs, RepackedFile,
                         ::testing::Values(codecs::CodecOptions{"zlib", 1, true},
                                           codecs::CodecOptions{"zlib", 9, false},
                                           codecs::CodecOptions{"zstd", 3, true}),
                         [](const auto& info) {
                           return fmt::format("{}_{}", info.param.codec,
                                              info.param.shuffle ? "shuffled" : "plain");
                         });

// A time axis and series of numbers, with room for `chunk` records in a chunk.
DatasetSpec series_spec(const std::string& path, int series, std::int64_t chunk, const std::string& codec) {
  DatasetSpec spec;
  spec.path = path;
  spec.dims = {{"time", 0, true}};
  spec.variables = {{"time", model::DataType::float64, {0}, {chunk}, {}, {}, {}}};
  for (int i = 1; i <= series; ++i)
    spec.variables.push_back(
        {fmt::format("s{}", i), model::DataType::float64, {0}, {chunk}, {codec, 1, true}, {}, {}});
  return spec;
}

Bytes series_values(int series, std::int64_t records) {
  return pattern(static_cast<std::size_t>(records) * 8, series);
}

// Brings the records from `first` to `end`, in the first chunk of each series.
Commit series_commit(const DatasetSpec& spec, std::int64_t first, std::int64_t end, bool last) {
  Commit commit{.lengths = {{0, end}}, .chunks = {}, .values = {}, .last = last};
  const Bytes times = series_values(0, end);
  commit.values.push_back({0, first, {times.begin() + first * 8, times.end()}});
  for (int i = 1; i < static_cast<int>(spec.variables.size()); ++i) {
    Bytes raw(static_cast<std::size_t>(spec.variables[base::index(i)].chunk[0]) * 8);
    std::ranges::copy(series_values(i, end), raw.begin());
    commit.chunks.push_back({.variable = i,
                             .offset = {0},
                             .bytes = raw,
                             .filtered = false,
                             .committed_records = first,
                             .valid_records = end});
  }
  return commit;
}

void expect_series(const DatasetSpec& spec, std::int64_t records) {
  for (int i = 1; i < static_cast<int>(spec.variables.size()); ++i)
    EXPECT_EQ(read_with_hdf5(spec.path, spec.variables[base::index(i)].name), series_values(i, records));
}

// Series of few values, compressed or not, take little more than their values and the headers.
TEST_F(NetcdfFormat, a_short_series_takes_few_bytes_once_it_is_closed) {
  for (const char* codec : {"none", "zlib"}) {
    const DatasetSpec spec = series_spec(path(fmt::format("{}.nc", codec)), 20, 4096, codec);
    const auto dataset = netcdf_format().create(spec);
    constexpr std::int64_t records = 90;
    dataset->commit(series_commit(spec, 0, records, false));
    EXPECT_GT(std::filesystem::file_size(spec.path), 20 * 4096 * 8);
    dataset->close();
    EXPECT_LT(std::filesystem::file_size(spec.path), 21 * (records * 8 + 1200) + 10000) << codec;
    expect_series(spec, records);
  }
}

// A file of one commit is written once.
TEST_F(NetcdfFormat, chunks_that_are_new_in_the_last_commit_never_lie_raw) {
  const DatasetSpec spec = series_spec(path("last.nc"), 20, 4096, "zlib");
  env::RecordingFiles files(env::system_files());
  const auto dataset = netcdf_format().create(spec, files);
  dataset->commit(series_commit(spec, 0, 3000, true));
  dataset->close();
  std::size_t written = 0;
  for (const auto& change : files.changes()) written += change.bytes.size();
  EXPECT_LT(static_cast<double>(written), 1.3 * static_cast<double>(std::filesystem::file_size(spec.path)));
  EXPECT_EQ(std::filesystem::exists(netcdf::name_while_created(spec.path)), false);
  expect_series(spec, 3000);
}

// The empty room of a series without compression takes none on the device.
TEST_F(NetcdfFormat, a_large_file_is_copied_only_if_nearly_all_of_it_is_empty) {
  constexpr std::int64_t mib = 1 << 20, chunk = mib / 8;
  const DatasetSpec half = series_spec(path("half.nc"), 4, chunk, "none");
  const auto kept = netcdf_format().create(half);
  kept->commit(series_commit(half, 0, chunk * 2 / 5, true));
  kept->close();
  EXPECT_GT(std::filesystem::file_size(half.path), 4 * mib);
  expect_series(half, chunk * 2 / 5);
  const DatasetSpec empty = series_spec(path("empty.nc"), 40, chunk, "none");
  const auto copied = netcdf_format().create(empty);
  copied->commit(series_commit(empty, 0, chunk / 25, true));
  copied->close();
  EXPECT_LT(std::filesystem::file_size(empty.path), 2 * mib);
  expect_series(empty, chunk / 25);
}

ino_t file_number(const std::string& path) {
  struct stat found {};
  EXPECT_EQ(::stat(path.c_str(), &found), 0);
  return found.st_ino;
}

// Its series keep the room of their chunks, and so a later run adds to them in place.
TEST_F(NetcdfFormat, a_small_file_that_runs_append_to_is_copied_by_none) {
  DatasetSpec spec = series_spec(path("appended.nc"), 20, 4096, "none");
  spec.if_exists = IfExists::append;
  const auto first = netcdf_format().create(spec);
  const ino_t number = file_number(spec.path);
  first->commit(series_commit(spec, 0, 30, true));
  first->close();
  for (std::int64_t before : {30, 60}) {
    spec.kept = {{0, before}};
    const auto next = netcdf_format().create(spec);
    Commit commit = series_commit(spec, before, before + 30, true);
    for (EncodedChunk& chunk : commit.chunks) {  // this run knows nothing of the earlier records
      Bytes raw = chunk.bytes.copy();
      std::fill_n(raw.begin(), before * 8, std::byte{0});
      chunk.bytes = raw;
      chunk.committed_records = 0;
    }
    next->commit(commit);
    next->close();
    EXPECT_EQ(file_number(spec.path), number);
    expect_series(spec, before + 30);
  }
}

// An index of so many chunks that all of its levels exist, super blocks with pages among them.
TEST(ExtensibleArray, is_read_as_hdf5_wrote_it) {
  for (const bool filtered : {false, true}) {
    constexpr std::int64_t count = 140'000, left_out = 7;
    netcdf::StoredVariable variable;
    variable.shape = {count};
    variable.chunk = {1};
    variable.grows = true;
    variable.filters = filtered ? 1 : 0;
    variable.fill.resize(8);
    std::vector<netcdf::StoredChunk> chunks;
    for (std::int64_t i = 0; i < count; i += i % 1000 == 3 ? left_out : 1) {
      const auto size = filtered ? static_cast<std::uint64_t>(1 + i % 8) : std::uint64_t{8};
      chunks.push_back({{i}, static_cast<std::uint64_t>(100 + 16 * i), size, 0});
    }
    {
      const netcdf::Hdf5Lock lock;
      variable.data_type = netcdf::Id(H5Tcopy(H5T_IEEE_F64LE), &H5Tclose, "type");
      variable.properties = netcdf::Id(H5Pcreate(H5P_DATASET_CREATE), &H5Pclose, "properties");
      const hsize_t one = 1;
      netcdf::check(H5Pset_chunk(variable.properties, 1, &one), "chunk");
      if (filtered) netcdf::check(H5Pset_shuffle(variable.properties), "filter");
    }
    const netcdf::RepackedVariable repacked{&variable, {1}, chunks};
    const auto indices = netcdf::make_indices({&repacked, 1}, 10'000'000);
    const netcdf::ReadBytes read = [&](std::uint64_t address, std::span<std::byte> bytes) {
      std::ranges::fill(bytes, std::byte{0});
      indices.pieces.cover(address, bytes);
    };
    const auto& layout = indices.layouts[0];
    std::size_t next = 0;
    netcdf::for_each_element(read, netcdf::number_at(layout, layout.size() - 8, 8),
                             [&](const netcdf::ArrayElement& element) {
                               ASSERT_LT(next, chunks.size());
                               const netcdf::StoredChunk& chunk = chunks[next++];
                               ASSERT_EQ(element.number, static_cast<std::uint64_t>(chunk.offset[0]));
                               ASSERT_EQ(element.address, chunk.address);
                               ASSERT_EQ(element.size, filtered ? chunk.size : 0);
                             });
    EXPECT_EQ(next, chunks.size());
  }
}

TEST(RetiredPlaces, rest_until_no_reader_knows_them) {
  netcdf::RetiredPlaces places(3);
  places.give(1000, 100);
  places.abandon();
  for (int i = 0; i < 5; ++i) places.commit();
  EXPECT_FALSE(places.has(1)) << "the commit that gave it back did not happen";
  places.give(1000, 100);
  places.give(2000, 40);
  places.commit();
  for (int i = 0; i < 2; ++i) places.commit();
  EXPECT_FALSE(places.has(1));
  places.commit();
  EXPECT_EQ(places.take(30), 2000) << "the smallest that suffices";
  EXPECT_EQ(places.take(10), 2030) << "its rest";
  EXPECT_EQ(places.take(100), 1000);
  EXPECT_FALSE(places.has(1));
  places.abandon();
  EXPECT_EQ(places.take(40), 2000) << "the commit that took it did not happen";
  places.commit();
  EXPECT_FALSE(places.has(101));
  EXPECT_EQ(places.take(100), 1000);
}

}  // namespace
}  // namespace tailrace::output::testing
