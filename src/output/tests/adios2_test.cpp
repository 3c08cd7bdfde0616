#ifdef TAILRACE_WITH_ADIOS2
#include <adios2.h>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/index.hpp"
#include "output/adios2/existing.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/step_cutter.hpp"
#include "output/adios2/step_index.hpp"
#include "output/checks.hpp"
#include "output/testing/dataset_conformance.hpp"
#include "output/tests/file_size_limit.hpp"

namespace tailrace::output {
namespace {

namespace fs = std::filesystem;
using testing::Bytes;

class Directory {
 public:
  Directory() : path_(fs::path(::testing::TempDir()) / ("adios2_" + std::to_string(getpid()))) {
    fs::create_directories(path_);
  }
  ~Directory() { fs::remove_all(path_); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

#ifdef TAILRACE_WITH_ADIOS2
// All records of all steps, or the last value of a variable of fixed size.
template <class T>
Bytes read_as(::adios2::IO& io, ::adios2::Engine& engine, const std::string& name) {
  auto variable = io.InquireVariable<T>(name);
  if (!variable) return {};
  std::vector<std::string> unlimited, dims;
  if (auto attribute = io.InquireAttribute<std::string>("__unlimited_dimensions__"))
    unlimited = attribute.Data();
  if (auto attribute = io.InquireAttribute<std::string>(name + "/__xarray_dimensions__"))
    dims = attribute.Data();
  const bool grows = !dims.empty() && std::ranges::find(unlimited, dims[0]) != unlimited.end();
  Bytes bytes;
  for (std::size_t step = 0; step < variable.Steps(); ++step) {
    variable.SetStepSelection({step, 1});
    const auto shape = variable.Shape(step);
    if (!shape.empty()) variable.SetSelection({::adios2::Dims(shape.size(), 0), shape});
    std::vector<T> values;
    engine.Get(variable, values, ::adios2::Mode::Sync);
    if (!grows) bytes.clear();
    const auto* begin = reinterpret_cast<const std::byte*>(values.data());
    bytes.insert(bytes.end(), begin, begin + values.size() * sizeof(T));
  }
  return bytes;
}

Bytes read_back(const std::string& path, const std::string& name) {
  ::adios2::ADIOS adios;
  auto io = adios.DeclareIO("reader");
  io.SetEngine("BPFile");
  auto engine = io.Open(path, ::adios2::Mode::ReadRandomAccess);
  const std::string type = io.VariableType(name);
  Bytes bytes;
  if (type == "char") bytes = read_as<char>(io, engine, name);
  if (type == "int8_t") bytes = read_as<std::int8_t>(io, engine, name);
  if (type == "uint8_t") bytes = read_as<std::uint8_t>(io, engine, name);
  if (type == "int16_t") bytes = read_as<std::int16_t>(io, engine, name);
  if (type == "int32_t") bytes = read_as<std::int32_t>(io, engine, name);
  if (type == "int64_t") bytes = read_as<std::int64_t>(io, engine, name);
  if (type == "float") bytes = read_as<float>(io, engine, name);
  if (type == "double") bytes = read_as<double>(io, engine, name);
  engine.Close();
  return bytes;
}

std::optional<double> attribute_of(const std::string& path, const std::string& variable,
                                   const std::string& name) {
  ::adios2::ADIOS adios;
  auto io = adios.DeclareIO("reader");
  io.SetEngine("BPFile");
  auto engine = io.Open(path, ::adios2::Mode::ReadRandomAccess);
  const auto attribute = io.InquireAttribute<double>(variable.empty() ? name : variable + "/" + name);
  const auto value = attribute ? std::optional(attribute.Data().at(0)) : std::nullopt;
  engine.Close();
  return value;
}
#endif

TEST(Adios2Format, keeps_the_contract) {
#ifdef TAILRACE_WITH_ADIOS2
  const Directory directory;
  testing::check_format(*find_format("adios2"), directory.path(), read_back, false, attribute_of);
#else
  EXPECT_THAT(find_format("adios2")->missing(), ::testing::HasSubstr("built without ADIOS2"));
#endif
}

std::string message_of(const DatasetSpec& spec) {
  try {
    find_format("adios2")->create(spec);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Adios2Format, replaces_only_a_dataset) {
  if (!find_format("adios2")->missing().empty()) GTEST_SKIP() << "without ADIOS2";
  const Directory directory;
  DatasetSpec spec = testing::sample_spec(directory.path() + "/out.bp");
  fs::create_directory(spec.path);
  EXPECT_EQ(message_of(spec), spec.path + ": exists, and is not a dataset of ADIOS2");
  fs::remove(spec.path);
  EXPECT_EQ(message_of(spec), "no error");
  EXPECT_EQ(message_of(spec), "no error");
  spec.if_exists = IfExists::fail;
  EXPECT_EQ(message_of(spec), spec.path + ": " + exists_already());
}

#ifdef TAILRACE_WITH_ADIOS2
void write_records(const DatasetSpec& spec, std::int64_t records) {
  const auto dataset = find_format("adios2")->create(spec);
  for (std::int64_t record = 0; record < records; ++record)
    dataset->commit(testing::sample_commit(spec, record));
  dataset->close();
}

void expect_records(const DatasetSpec& spec, std::int64_t records) {
  for (const int variable : {testing::time_var, testing::theta, testing::flux, testing::shorts})
    EXPECT_EQ(read_back(spec.path, spec.variables[base::index(variable)].name),
              testing::expected(spec, variable, records));
}

TEST(Adios2Format, refuses_a_dataset_that_another_session_writes) {
  const Directory directory;
  for (const char* const engine : {"bp5", "bp4", "drained"}) {
    DatasetSpec spec = testing::sample_spec(directory.path() + "/" + engine + ".bp");
    const std::string refusal = spec.path + ": is being written by another session: process ";
    adios2::Options options;
    if (engine != std::string("bp5")) options.engine = adios2::Engine::bp4;
    if (engine == std::string("drained")) options.burst_buffer = directory.path() + "/node";
    spec.options = wrap_options(options);
    const auto dataset = find_format("adios2")->create(spec);
    DatasetSpec later = spec;
    later.if_exists = IfExists::append;
    later.kept = {{testing::time_dim, 1}, {testing::snap_dim, 1}};
    for (std::int64_t record = 0; record < 3; ++record) {
      dataset->commit(testing::sample_commit(spec, record));
      EXPECT_THAT(message_of(spec), ::testing::StartsWith(refusal));
      EXPECT_THAT(message_of(later), ::testing::StartsWith(refusal));
    }
    dataset->close();
    expect_records(spec, 3);
    EXPECT_EQ(message_of(spec), "no error");
    expect_records(spec, 0);
  }
}

// The disk is full from one commit on.
TEST(Adios2Format, retries_a_failed_step) {
  const Directory directory;
  const DatasetSpec spec = testing::sample_spec(directory.path() + "/again.bp");
  const auto dataset = find_format("adios2")->create(spec);
  for (std::int64_t record = 0; record < 9; ++record) {
    const Commit commit = testing::sample_commit(spec, record);
    if (record % 3 == 2) {
      const std::uint64_t room = fs::file_size(spec.path + (record == 2 ? "/data.0" : "/md.0")) + 10;
      const testing::FileSizeLimit limit(room);
      EXPECT_THROW(dataset->commit(commit), Error);
      EXPECT_THROW(dataset->commit(commit), Error);
      expect_records(spec, record);
    }
    dataset->commit(commit);
    expect_records(spec, record + 1);
  }
  dataset->close();
  expect_records(spec, 9);
}

// A run that is killed while it removes records leaves all records as they were or removes them completely.
TEST(Adios2Format, keeps_all_records_until_a_rollback_is_complete) {
  const Directory directory;
  const DatasetSpec spec = testing::sample_spec(directory.path() + "/back.bp");
  const std::string branch = spec.path + ".tailrace";
  write_records(spec, 5);
  adios2::make_branch(spec.path, branch, 3);  // the first step holds texts
  expect_records(spec, 5);
  DatasetSpec of_branch = spec;
  of_branch.path = branch;
  expect_records(of_branch, 2);
  of_branch.if_exists = IfExists::append;
  of_branch.kept = {{testing::time_dim, 2}, {testing::snap_dim, 2}};
  {
    const auto dataset = find_format("adios2")->create(of_branch);
    dataset->commit(testing::commit_of_later_run(spec, 2, 2));
    dataset->close();
  }
  expect_records(of_branch, 3);
  expect_records(spec, 5);
  adios2::take_branch(spec.path, branch);
  expect_records(spec, 3);
  EXPECT_FALSE(fs::exists(branch));
}

TEST(Adios2Format, keeps_part_of_a_step) {
  const Directory directory;
  DatasetSpec spec = testing::sample_spec(directory.path() + "/part.bp", {"zstd", 3, true});
  {
    const auto dataset = find_format("adios2")->create(spec);
    Commit many;  // three records in a step
    for (std::int64_t record = 0; record < 3; ++record) {
      Commit one = testing::sample_commit(spec, record);
      many.lengths = one.lengths;
      std::erase_if(many.chunks, [&](const EncodedChunk& old) { return old.variable == testing::flux; });
      std::ranges::move(one.chunks, std::back_inserter(many.chunks));
      std::ranges::move(one.values, std::back_inserter(many.values));
    }
    dataset->commit(many);
    dataset->close();
  }
  expect_records(spec, 3);
  spec.if_exists = IfExists::append;
  spec.kept = {{testing::time_dim, 2}, {testing::snap_dim, 2}};
  find_format("adios2")->create(spec)->close();
  expect_records(spec, 2);
  EXPECT_EQ(read_back(spec.path, "mask"), testing::expected(spec, testing::mask, 1));
  for (const std::int64_t kept : {2, 1}) {
    spec.kept = {{testing::time_dim, kept}, {testing::snap_dim, kept}};
    const auto dataset = find_format("adios2")->create(spec);
    EXPECT_THAT(message_of(spec),
                ::testing::StartsWith(spec.path + ": is being written by another session: "));
    dataset->commit(testing::commit_of_later_run(spec, kept, kept));
    dataset->close();
    expect_records(spec, kept + 1);
  }
}
#endif

TEST(StepCutter, repeats_fixed_variables_for_streams_and_holds_nothing_else) {
  const DatasetSpec spec = testing::sample_spec("stream");
  adios2::StepCutter once(spec, false), always(spec, true);
  std::vector<std::int64_t> lengths = first_lengths(spec);
  for (std::int64_t record = 0; record < 3; ++record) {
    const Commit commit = testing::sample_commit(spec, record);
    const auto after = lengths_after(spec, lengths, commit);
    const auto has_z = [&](adios2::StepCutter& cutter) {
      return std::ranges::any_of(cutter.cut(commit, lengths, after),
                                 [](const adios2::Block& block) { return block.variable == testing::z_var; });
    };
    EXPECT_EQ(has_z(once), record == 0);
    EXPECT_TRUE(has_z(always));
    lengths = after;
  }
  const std::size_t flux_chunks = 2 * testing::flux_records * testing::x_chunk * sizeof(double);
  EXPECT_LE(once.held(), flux_chunks + 16 * (4 + 1 + 1) + 200);
}

}  // namespace
}  // namespace tailrace::output
