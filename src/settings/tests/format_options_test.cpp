// The options of formats, which only their formats understand.
#include <gmock/gmock.h>

#include "output/adios2/options.hpp"
#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using ::testing::HasSubstr;

// `about` begins on line 3.
std::string with_file(const std::string& about, const std::string& path = "a.bp") {
  return "tailrace: 1\n" + testing::fields + "output: {" + path + ": {" + about +
         ", variables: [{field: u, every: 1 s}]}}\n";
}

// Options are read even where the library of their format is missing, which is a mistake of its own.
bool has_adios2() { return output::find_format("adios2")->missing().empty(); }

TEST(FormatOptions, ReachTheEntryAsTheirFormatReadsThem) {
  if (!has_adios2()) GTEST_SKIP() << "without ADIOS2";
  const auto file = testing::parse(with_file("format: adios2, adios2: {engine: bp4, queue: 7}")).files.at(0);
  const auto& options = output::unwrap_options<output::adios2::Options>(file.format_options.get());
  EXPECT_EQ(options.engine, output::adios2::Engine::bp4);
  EXPECT_EQ(options.queue, 7);
  EXPECT_EQ(testing::parse(with_file("sync: true")).files.at(0).format_options, nullptr);
}

TEST(FormatOptions, OfTheDefaultsReachTheEntryToo) {
  if (!has_adios2()) GTEST_SKIP() << "without ADIOS2";
  const auto file =
      testing::parse("defaults: {adios2: {queue: 9}}\n" + with_file("format: adios2")).files.at(0);
  EXPECT_EQ(output::unwrap_options<output::adios2::Options>(file.format_options.get()).queue, 9);
}

TEST(FormatOptions, ChooseTheFormatThatWrites) {
  const auto writer = [](const std::string& format, std::shared_ptr<const output::FormatOptions> options) {
    OutputEntry file;
    file.format = format;
    file.format_options = std::move(options);
    return file.writer();
  };
  const auto with = [](output::adios2::Engine engine) {
    return output::wrap_options(output::adios2::Options{.engine = engine});
  };
  const output::Format* files = writer("adios2", nullptr);
  EXPECT_EQ(files, output::find_format("adios2"));
  EXPECT_EQ(writer("adios2", with(output::adios2::Engine::bp4)), files);
  const output::Format* streams = writer("adios2", with(output::adios2::Engine::sst));
  EXPECT_NE(streams, files);
  EXPECT_FALSE(streams->can_append());
  EXPECT_FALSE(streams->is_for_files());
  EXPECT_EQ(writer("netcdf", nullptr), output::find_format("netcdf"));
  EXPECT_EQ(writer("{format}", nullptr), nullptr);
}

TEST(FormatOptions, AreAMistakeBesideAnotherFormat) {
  EXPECT_THAT(testing::complaint(with_file("adios2: {queue: 7}")),
              HasSubstr("output.a.bp.adios2: the file has format \"netcdf\"; expected `format: adios2`"));
}

TEST(FormatOptions, AreCheckedByTheirFormatBesideTheRestOfTheEntry) {
  EXPECT_THAT(testing::complaint(with_file("format: adios2, adios2: {engine: sst}, if_exists: append")),
              HasSubstr("output.a.bp.if_exists: of ADIOS2's engines `bp5` alone"));
  EXPECT_THAT(testing::complaint(with_file("format: adios2, adios2: {operator: blosc}, compression: zlib")),
              HasSubstr("output.a.bp.adios2: its values have a `compression` already"));
  EXPECT_THAT(testing::complaint(with_file("format: adios2, adios2: {engine: sst}, compression: zlib")),
              HasSubstr("output.a.bp.format: the values of a stream are not compressed"));
}

TEST(FormatOptions, AreNotNeededForWhatAFormatChecks) {
  EXPECT_THAT(
      testing::complaint(with_file("sync: true", "a.zarr")),
      HasSubstr("output.a.zarr: the name is that of a Zarr store, and the format is \"netcdf\"; expected "
                "`format: zarr`, or a name that ends in .nc"));
  EXPECT_EQ(testing::complaint(with_file("format: zarr", "a.nc")), "none");
}

}  // namespace
}  // namespace tailrace::settings
