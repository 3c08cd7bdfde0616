// The reports of inspection for files in every state, and the result of a repair.
#include "output/netcdf/inspect.hpp"

#include <fmt/format.h>

#include <fstream>

#include "output/netcdf/journal.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

using ::testing::HasSubstr;

TEST_F(NetcdfFormat, inspection_reports_what_is_wrong) {
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
  netcdf_format().create(spec)->close();
  const Bytes whole = contents(spec.path);
  put_contents(spec.path, std::span(whole).first(whole.size() - 1));
  EXPECT_EQ(report("cut.nc"), fmt::format("{}: is truncated: {} of {} bytes exist; this cannot be repaired",
                                          spec.path, whole.size() - 1, whole.size()));
}

TEST_F(NetcdfFormat, repair_truncates_or_completes_a_commit) {
  const auto spec = sample_spec(path("repair.nc"), {});  // without chunks that a repair compresses
  {
    const auto dataset = netcdf_format().create(spec);
    dataset->commit(sample_commit(spec, 0));
  }
  const Bytes whole = contents(spec.path);
  Bytes longer = whole;
  longer.resize(whole.size() + 1234, std::byte{7});
  put_contents(spec.path, longer);
  EXPECT_EQ(netcdf::inspect(spec.path, false).report,
            spec.path +
                ": complete, with 1234 bytes of an interrupted commit after its end, which readers ignore; "
                "records: time 1, time_snap 1");
  EXPECT_EQ(check_whole(spec.path), 1);
  EXPECT_EQ(netcdf::inspect(spec.path, true).report,
            spec.path +
                ": repaired: 1234 bytes of an interrupted commit were removed; records: time 1, time_snap 1");
  EXPECT_EQ(contents(spec.path), whole);

  longer = whole;  // killed between two commits, with room for the next
  longer.resize(whole.size() + 777);
  put_contents(spec.path, longer);
  EXPECT_EQ(netcdf::inspect(spec.path, true).report, spec.path + ": complete; records: time 1, time_snap 1");
  EXPECT_EQ(contents(spec.path), longer);

  Bytes torn = whole;  // killed in the middle of changing the front of the file
  std::fill_n(torn.begin() + 20, 300, std::byte{0});
  put_contents(spec.path, torn);
  {
    const auto file = open(spec.path, Access::update);
    netcdf::write_journal(*file,
                          {whole.size(), whole.size(), {{0, Bytes(whole.begin(), whole.begin() + 512)}}});
  }
  const auto unrepaired = netcdf::inspect(spec.path, false);
  EXPECT_FALSE(unrepaired.readable);
  EXPECT_THAT(unrepaired.report, HasSubstr("`tailrace inspect --repair` completes it"));
  const auto repaired = netcdf::inspect(spec.path, true);
  EXPECT_TRUE(repaired.readable && repaired.repaired) << repaired.report;
  EXPECT_EQ(contents(spec.path), whole);
}

}  // namespace
}  // namespace tailrace::output::testing
