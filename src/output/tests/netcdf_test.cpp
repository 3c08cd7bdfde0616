#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <thread>

#include "base/index.hpp"
#include "env/faulty/recording_files.hpp"
#include "env/threads.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/testing/dataset_conformance.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output {
namespace {

using testing::check_whole;
using ::testing::HasSubstr;
using testing::NetcdfFormat;
using testing::read_with_hdf5;
using testing::sample_commit;
using testing::sample_spec;
using ::testing::StartsWith;

const Format& format() { return *find_format("netcdf"); }

template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The output of a command; empty if the program is not installed.
std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return text;
  char line[512];
  while (fgets(line, sizeof line, pipe) != nullptr) text += line;
  return pclose(pipe) == 0 ? text : "failed: " + text;
}

TEST_F(NetcdfFormat, keeps_the_contract) {
  testing::check_format(format(), directory_, &read_with_hdf5, true, &testing::attribute_with_hdf5);
}

// HDF5 stores the time of creation in the object header after the superblock, and no property switches this
// off; the copy of a file that has ended is without it. Returns the bytes without these times and the
// header's checksum.
std::string without_time_of_creation(std::string bytes) {
  constexpr std::size_t header = 48, times = header + 6, size = times + 16, messages = size + 1;
  constexpr unsigned char stores_times = 0x20, width_of_size = 0x03;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes.at(i)); };
  EXPECT_EQ(bytes.substr(header, 4), "OHDR");
  EXPECT_EQ(byte(header + 5) & (stores_times | width_of_size), stores_times);
  bytes.replace(times, 16, 16, '\0');
  return bytes.replace(messages + byte(size), 4, 4, '\0');
}

TEST_F(NetcdfFormat, same_commits_give_the_same_bytes) {
  const auto contents = [&](const std::string& name, const codecs::CodecOptions& codec) {
    const auto spec = sample_spec(path(name), codec);
    const auto dataset = format().create(spec);
    for (int record = 0; record < 4; ++record) dataset->commit(sample_commit(spec, record));
    dataset->close();
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const codecs::CodecOptions zlib{"zlib", 1, true}, none;
  const std::string copied = contents("copied.nc", zlib), grown = contents("grown.nc", none);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_EQ(copied, contents("again.nc", zlib));
  EXPECT_EQ(without_time_of_creation(grown), without_time_of_creation(contents("again.nc", none)));
}

TEST_F(NetcdfFormat, ncdump_reads_it_between_commits) {
  if (output_of("ncdump").find("netcdf library version") == std::string::npos &&
      output_of("which ncdump").empty())
    GTEST_SKIP() << "ncdump is not installed";
  const auto spec = sample_spec(path("sample.nc"));
  const auto dataset = format().create(spec);
  EXPECT_THAT(output_of("ncdump -h " + spec.path), HasSubstr("time = UNLIMITED ; // (0 currently)"));
  dataset->commit(sample_commit(spec, 0));
  dataset->commit(sample_commit(spec, 1));
  const std::string text = output_of("ncdump -s " + spec.path);
  for (const char* part : {"time = UNLIMITED ; // (2 currently)",
                           "time_snap = UNLIMITED ; // (2 currently)",
                           "z = 5 ;\n\tx = 7 ;\n\tnv = 2",
                           "double time_bnds(time, nv)",
                           "float theta(time, z, x)",
                           "theta:_FillValue = -9.e+33f",
                           "int64 number ;",
                           "char options(entry, character) ;",
                           "options =\n  \"dt\",\n  \"\",\n  \"0.25\" ;",
                           "theta:units = \"K\"",
                           "theta:_DeflateLevel = 1",
                           "theta:_Shuffle = \"true\"",
                           "flux:_ChunkSizes = 3, 4",
                           ":title = \"Sämple\"",
                           ":empty = \"\"",
                           ":level = 3 ;",
                           ":seed = 1099511627776LL",
                           ":factor = 0.5 ;",
                           ":single = 0.25f",
                           ":range = -1., 1.",
                           " number = 7000 ;",
                           " time = 1000, 1010 ;"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("_NCProperties = \"version=2,netcdf")));
}

TEST_F(NetcdfFormat, zstd_chunks_have_filter_32015) {
  const auto spec = sample_spec(path("zstd.nc"), {"zstd", 3, true});
  const auto dataset = format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  dataset->close();

  const netcdf::Hdf5Lock lock;
  const netcdf::Id file(H5Fopen(spec.path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "open");
  const netcdf::Id theta(H5Dopen2(file, "theta", H5P_DEFAULT), &H5Dclose, "open theta");
  const netcdf::Id properties(H5Dget_create_plist(theta), &H5Pclose, "properties");
  ASSERT_EQ(H5Pget_nfilters(properties), 2);
  unsigned flags = 0, value = 0, config = 0;
  std::size_t values = 1;
  EXPECT_EQ(H5Pget_filter2(properties, 0, &flags, &values, &value, 0, nullptr, &config), H5Z_FILTER_SHUFFLE);
  EXPECT_EQ(value, 4U);
  EXPECT_EQ(H5Pget_filter2(properties, 1, &flags, &values, &value, 0, nullptr, &config), 32015);
  EXPECT_EQ(value, 3U);

  const hsize_t offset[3] = {0, 0, 4};
  hsize_t size = 0;
  netcdf::check(H5Dget_chunk_storage_size(theta, offset, &size), "size");
  testing::Bytes bytes(size);
  std::uint32_t mask = 99;
  netcdf::check(H5Dread_chunk(theta, H5P_DEFAULT, offset, &mask, bytes.data()), "read");
  EXPECT_EQ(mask, 0U);
  EXPECT_EQ(bytes, sample_commit(spec, 0).chunks[1].bytes);
}

haddr_t address_of_flux(const std::string& path) {
  const netcdf::Hdf5Lock lock;
  const netcdf::Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), &H5Fclose, "open");
  const netcdf::Id flux(H5Dopen2(file, "flux", H5P_DEFAULT), &H5Dclose, "open flux");
  const hsize_t offset[2] = {0, 0};
  unsigned mask = 0;
  haddr_t address = 0;
  hsize_t size = 0;
  netcdf::check(H5Dget_chunk_info_by_coord(flux, offset, &mask, &address, &size), "look up a chunk");
  return address;
}

// The first chunk of flux, full; an earlier commit wrote its first record, and the others are zeros.
Commit full_chunk(const DatasetSpec& spec) {
  Commit commit{.lengths = {{testing::snap_dim, testing::flux_records}}, .chunks = {}, .values = {}};
  const auto raw = testing::as_bytes(
      model::DataType::float64, testing::flux_records * testing::x_chunk,
      [](std::int64_t i) { return i < testing::x_chunk ? testing::sample_value(testing::flux, 0, i) : 0.0; });
  commit.chunks.push_back(testing::encoded(spec, testing::flux, {0, 0}, raw, true));
  commit.chunks.back().committed_records = 1;
  return commit;
}

// A reader that found an unencoded chunk before it was replaced must not find other values at that address.
TEST_F(NetcdfFormat, replaced_chunk_is_not_overwritten) {
  const auto spec = sample_spec(path("replace.nc"));
  const auto dataset = format().create(spec);
  dataset->commit(sample_commit(spec, 0));
  const haddr_t raw = address_of_flux(spec.path);
  const std::uint64_t end = dataset->bytes_on_disk();
  dataset->commit(full_chunk(spec));
  EXPECT_GE(address_of_flux(spec.path), end) << "the compressed chunk has a new address";
  testing::Bytes values(8);
  std::ifstream file(spec.path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(raw));
  file.read(reinterpret_cast<char*>(values.data()), 8);
  EXPECT_EQ(values, testing::as_bytes(model::DataType::float64, 1,
                                      [](auto) { return testing::sample_value(testing::flux, 0, 0); }));
}

TEST_F(NetcdfFormat, names_of_dimensions_may_be_names_of_other_variables) {
  DatasetSpec spec;
  spec.path = path("names.nc");
  spec.dims = {{"x", 3, false}, {"y", 2, false}};
  spec.variables = {
      {"x", model::DataType::int32, {1}, {}, {}, {}, {}},        // not along x
      {"y", model::DataType::float64, {1, 0}, {}, {}, {}, {}}};  // two-dimensional, along y first
  const auto dataset = format().create(spec);
  Commit commit;
  commit.values = {{0, 0, testing::as_bytes(model::DataType::int32, 2, [](auto i) { return i + 7; })},
                   {1, 0, testing::as_bytes(model::DataType::float64, 6, [](auto i) { return i; })}};
  dataset->commit(commit);
  const std::string text = output_of("ncdump " + spec.path);
  if (text.find("not found") != std::string::npos) GTEST_SKIP() << "ncdump is not installed";
  EXPECT_THAT(text, HasSubstr("int x(y)"));
  EXPECT_THAT(text, HasSubstr("double y(y, x)"));
  EXPECT_THAT(text, HasSubstr(" x = 7, 8 ;"));
}

TEST_F(NetcdfFormat, long_attributes_and_many_variables) {
  DatasetSpec spec;
  spec.path = path("many.nc");
  spec.attributes = {{"configuration", std::string(200000, 'c')}};
  spec.dims = {{"time", 0, true}};
  for (int i = 0; i < 300; ++i) {
    VariableSpec variable;
    variable.name = fmt::format("v{}", i);
    variable.dims = {0};
    variable.chunk = {64};
    spec.variables.push_back(variable);
  }
  const auto dataset = format().create(spec);
  for (int record = 0; record < 3; ++record) {
    Commit commit;
    commit.lengths = {{0, record + 1}};
    for (int i = 0; i < 300; ++i) {
      commit.values.push_back({i, record, testing::as_bytes(model::DataType::float64, 1, [&](auto) {
                                 return i + 0.5 * record;
                               })});
    }
    dataset->commit(commit);
  }
  EXPECT_EQ(read_with_hdf5(spec.path, "v299"), testing::as_bytes(model::DataType::float64, 3, [](auto i) {
              return 299 + 0.5 * static_cast<double>(i);
            }));
  EXPECT_EQ(netcdf::inspect(spec.path, false).report,
            spec.path + ": is being written by a running session; records: time 3");
}

TEST_F(NetcdfFormat, fill_value_must_fit_the_type) {
  auto spec = sample_spec(path("fill.nc"));
  spec.variables[testing::count].fill_value = 0.5;
  EXPECT_EQ(message_of([&] { format().create(spec); }),
            spec.path + ": variable \"count\": fill value 0.5 is not a value of type int32");
  EXPECT_TRUE(std::filesystem::is_empty(directory_)) << "a failed creation leaves no file";
}

TEST_F(NetcdfFormat, overwriting) {
  auto spec = sample_spec(path("there.nc"));
  std::ofstream(spec.path) << "precious";
  spec.if_exists = IfExists::fail;
  EXPECT_EQ(message_of([&] { format().create(spec); }),
            spec.path + ": exists, and is not replaced; expected another path, or `if_exists: replace`");
  EXPECT_EQ(std::filesystem::file_size(spec.path), 8U);
  spec.if_exists = IfExists::replace;
  format().create(spec)->close();
  EXPECT_TRUE(netcdf::inspect(spec.path, false).readable);
}

TEST_F(NetcdfFormat, two_sessions_cannot_write_the_same_file) {
  const auto spec = sample_spec(path("twice.nc"));
  const auto first = format().create(spec);
  const std::string here = fmt::format("process {} (output_test) on ", env::process_id());
  EXPECT_THAT(message_of([&] { format().create(spec); }),
              StartsWith(spec.path + ": is being written by another session: " + here));
  first->commit(sample_commit(spec, 0));
  first->close();
  format().create(spec)->close();
}

TEST_F(NetcdfFormat, missing_directory) {
  const auto spec = sample_spec(path("nowhere/file.nc"));
  EXPECT_EQ(message_of([&] { format().create(spec); }),
            spec.path + ": cannot create: the folder " + path("nowhere") + " does not exist");
}

TEST_F(NetcdfFormat, removed_file_is_an_error) {
  const auto spec = sample_spec(path("removed.nc"));
  const auto dataset = format().create(spec);
  std::filesystem::remove(spec.path);
  EXPECT_THAT(message_of([&] { dataset->commit(sample_commit(spec, 0)); }),
              StartsWith(spec.path + ": was removed"));
}

TEST_F(NetcdfFormat, change_of_working_directory_does_not_matter) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  const auto spec = sample_spec("relative.nc");
  const auto dataset = format().create(spec);
  std::filesystem::current_path(before);
  dataset->commit(sample_commit(spec, 0));
  dataset->close();
  EXPECT_THAT(netcdf::inspect(path("relative.nc"), false).report,
              HasSubstr("complete; records: time 1, time_snap 1"));
}

// A chunk of many records that grows by one record at each commit: only that record is written.
TEST_F(NetcdfFormat, writes_only_new_records_of_a_chunk) {
  constexpr std::int64_t records = 40, cells = 4096;
  constexpr std::size_t record_bytes = cells * sizeof(double);
  DatasetSpec spec;
  spec.path = path("grows.nc");
  spec.dims = {{"time", 0, true}, {"x", cells, false}};
  spec.variables = {{"time", model::DataType::float64, {0}, {512}, {}, {}, {}},
                    {"w", model::DataType::float64, {0, 1}, {16, cells}, {}, {}, {}}};
  env::RecordingFiles files(env::system_files());
  const auto dataset = format().create(spec, files);
  std::vector<double> values(16 * cells);
  for (std::int64_t record = 0; record < records; ++record) {
    const std::int64_t first = record / 16 * 16, known = record - first;
    if (known == 0) std::ranges::fill(values, -1.0);
    for (std::int64_t x = 0; x < cells; ++x)
      values[base::index(known * cells + x)] = static_cast<double>(record * cells + x);
    const auto bytes = std::as_bytes(std::span(values));
    const auto time = static_cast<double>(record);
    const auto times = std::as_bytes(std::span(&time, 1));
    dataset->commit({.lengths = {{0, record + 1}},
                     .chunks = {{.variable = 1,
                                 .offset = {first, 0},
                                 .bytes = std::vector<std::byte>(bytes.begin(), bytes.end()),
                                 .filtered = known == 15,
                                 .committed_records = known,
                                 .valid_records = known + 1}},
                     .values = {{0, record, {times.begin(), times.end()}}}});
  }
  dataset->close();
  std::size_t written = 0;
  for (const env::Change& change : files.changes()) written += change.bytes.size();
  EXPECT_LT(written, records * (record_bytes + 8 * 1024)) << "the records, and headers of some kilobytes";
  const auto read = read_with_hdf5(spec.path, "w");
  ASSERT_EQ(read.size(), records * record_bytes);
  for (std::size_t i = 0; i < records * cells; ++i) {
    double value = 0.0;
    std::memcpy(&value, read.data() + i * sizeof value, sizeof value);
    ASSERT_EQ(value, static_cast<double>(i));
  }
}

}  // namespace
}  // namespace tailrace::output
