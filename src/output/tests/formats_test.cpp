#include "base/testing/has_test.hpp"
#include "output/memory/memory_format.hpp"
#include "output/testing/dataset_conformance.hpp"

namespace tailrace::output {
namespace {

using ::testing::ElementsAre;

TEST(Registry, knows_formats_by_name) {
  EXPECT_THAT(format_names(), ::testing::IsSupersetOf({"memory", "netcdf", "null"}));
  EXPECT_EQ(find_format("netcdf")->name(), "netcdf");
  EXPECT_EQ(find_format("grib"), nullptr);
}

TEST(Formats, all_have_a_conformance_test) {
  for (const std::string& name : format_names())
    if (find_format(name)->is_for_files()) base::testing::expect_conformance_test(name, "Format");
}

std::optional<double> attribute_in_memory(const std::string& path, const std::string& variable,
                                          const std::string& name) {
  const DatasetSpec& spec = memory::contents_of(path)->spec();
  const auto found = std::ranges::find(spec.variables, variable, &VariableSpec::name);
  const Attributes& all = variable.empty() ? spec.attributes : found->attributes;
  for (const auto& [other, value] : all)
    if (other == name) return std::get<double>(value);
  return std::nullopt;
}

TEST(Formats, have_sections_of_their_own_names) {
  for (const Format* format : formats()) {
    const auto section = format->section();
    EXPECT_EQ(section ? section->option.name : format->name(), format->name());
  }
}

TEST(Formats, know_their_own_options_only) {
  struct Own {
    int number = 3;
  };
  struct Other {};
  const auto options = wrap_options(Own{.number = 4});
  EXPECT_EQ(unwrap_options<Own>(options.get()).number, 4);
  EXPECT_EQ(unwrap_options<Own>(nullptr).number, 3);
  EXPECT_THROW(unwrap_options<Other>(options.get()), Error);
}

TEST(Formats, inspect_what_no_other_recognises_as_the_default_one) {
  const std::string path = ::testing::TempDir() + "none.nc";
  EXPECT_EQ(inspect(path, false).report, find_format(default_format)->inspect(path, false).report);
  EXPECT_FALSE(inspect(path, false).readable);
}

TEST(MemoryFormat, keeps_the_contract) {
  testing::check_format(
      *find_format("memory"), "memory",
      [](const std::string& path, const std::string& variable) {
        return memory::contents_of(path)->bytes(variable);
      },
      true, &attribute_in_memory);
}

TEST(MemoryFormat, gives_values_by_name) {
  const auto spec = testing::sample_spec("values.nc", {"zstd", 3, false});
  const auto dataset = find_format("memory")->create(spec);
  dataset->commit(testing::sample_commit(spec, 0));
  const auto contents = memory::contents_of("values.nc");
  EXPECT_EQ(contents->length("time"), 1);
  EXPECT_THAT(contents->shape("theta"), ElementsAre(1, testing::z_size, testing::x_size));
  EXPECT_EQ(contents->values<double>("z")[2], testing::sample_value(testing::z_var, 0, 2));
  EXPECT_THROW(contents->values<float>("z"), Error);
  try {
    contents->bytes("theto");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("Did you mean \"theta\"?"));
  }
  EXPECT_EQ(memory::contents_of("nothing.nc"), nullptr);
}

TEST(MemoryFormat, damaged_chunk_changes_nothing) {
  const auto spec = testing::sample_spec("damaged.nc");
  const auto dataset = find_format("memory")->create(spec);
  dataset->commit(testing::sample_commit(spec, 0));
  Commit commit = testing::sample_commit(spec, 1);
  commit.chunks.back().filtered = true;  // but it is unencoded, not a zlib stream
  EXPECT_THROW(dataset->commit(commit), Error);
  EXPECT_EQ(memory::contents_of("damaged.nc")->length("time"), 1);
}

TEST(NullFormat, keeps_the_contract) { testing::check_format(*find_format("null"), "null", {}); }

}  // namespace
}  // namespace tailrace::output
