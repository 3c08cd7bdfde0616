#ifdef TAILRACE_WITH_ADIOS2
#include <adios2.h>
#endif

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "output/adios2/step_cutter.hpp"
#include "output/checks.hpp"
#include "output/testing/dataset_conformance.hpp"

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
// All records of all steps, or the last value of what does not grow.
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
  io.SetEngine("BP5");
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
#endif

TEST(Adios2Format, keeps_the_contract) {
#ifdef TAILRACE_WITH_ADIOS2
  const Directory directory;
  testing::check_format(*find_format("adios2"), directory.path(), read_back);
#else
  EXPECT_THAT(find_format("adios2")->missing(), ::testing::HasSubstr("built without ADIOS2"));
#endif
}

TEST(Adios2Format, replaces_only_what_is_a_dataset) {
  if (!find_format("adios2")->missing().empty()) GTEST_SKIP() << "without ADIOS2";
  const Directory directory;
  DatasetSpec spec = testing::sample_spec(directory.path() + "/out.bp");
  const auto message = [&] {
    try {
      find_format("adios2")->create(spec);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  fs::create_directory(spec.path);
  EXPECT_EQ(message(), spec.path + ": exists, and is not a dataset of ADIOS2");
  fs::remove(spec.path);
  EXPECT_EQ(message(), "no error");
  EXPECT_EQ(message(), "no error");
  spec.if_exists = IfExists::fail;
  EXPECT_EQ(message(), spec.path + ": " + exists_already());
}

TEST(StepCutter, repeats_for_streams_what_does_not_grow_and_holds_nothing_else) {
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
