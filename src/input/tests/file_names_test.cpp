#include "input/file_names.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using ::testing::ElementsAre;

// A file system with these files.
std::unique_ptr<env::FileSystem> with(const std::vector<std::string>& paths) {
  auto files = env::make_memory_files();
  for (const std::string& path : paths) {
    const std::size_t slash = path.rfind('/');
    if (slash != std::string::npos) files->make_directories(path.substr(0, slash));
    files->write(path, "x");
  }
  return files;
}

std::string complaint(const std::vector<std::string>& names, const std::vector<std::string>& paths,
                      const std::string& directory = "/d") {
  try {
    find_files(names, directory, *with(paths));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::resource);
    return error.what();
  }
  return "none";
}

TEST(FileNames, OfAListKeepTheirOrder) {
  const auto files = with({"/d/a.nc", "/d/b.nc", "/e/c.nc"});
  EXPECT_THAT(find_files({"b.nc", "/e/c.nc", "./a.nc", "https://x/y?z=1"}, "/d", *files),
              ElementsAre("/d/b.nc", "/e/c.nc", "/d/a.nc", "https://x/y?z=1"));
}

TEST(FileNames, CountOnceAtTheirLastPlace) {
  const auto files = with({"/d/a.nc", "/d/b.nc", "/d/c.nc"});
  EXPECT_THAT(find_files({"b.nc", "*.nc", "a.nc"}, "/d", *files),
              ElementsAre("/d/b.nc", "/d/c.nc", "/d/a.nc"));
}

TEST(FileNames, OfAPatternAreSortedOverAllFolders) {
  const auto files =
      with({"/d/2/u_b.nc", "/d/1/u_a.nc", "/d/1/v_a.nc", "/d/10/u_c.nc", "/d/.1/u_a.nc", "/d/1/u_a.nc.part"});
  EXPECT_THAT(find_files({"*/u_*.nc"}, "/d", *files),
              ElementsAre("/d/1/u_a.nc", "/d/10/u_c.nc", "/d/2/u_b.nc"));
  EXPECT_THAT(find_files({"?/u_[!a].nc"}, "/d", *files), ElementsAre("/d/2/u_b.nc"));
}

TEST(FileNames, OfAPatternMayBeTakenAsTheyAre) {
  EXPECT_THAT(find_files({"a[1].nc"}, "/d", *with({"/d/a[1].nc", "/d/a1.nc"})), ElementsAre("/d/a[1].nc"));
}

TEST(FileNames, OfATemplateAreInTheOrderOfTheirDates) {
  const auto files = with({"/d/f_012026.nc", "/d/f_122025.nc", "/d/f_022026.nc", "/d/f_132026.nc",
                           "/d/f_002026.nc", "/d/f_12025.nc", "/d/f_022026.nc.bak", "/d/f_x22026.nc"});
  EXPECT_THAT(find_files({"f_{time:%m%Y}.nc"}, "/d", *files),
              ElementsAre("/d/f_122025.nc", "/d/f_012026.nc", "/d/f_022026.nc"));
}

TEST(FileNames, OfATemplateHaveTheSameDateInAllTheirParts) {
  const auto files = with({"/d/2025/e_202512.nc", "/d/2026/e_202601.nc", "/d/2026/e_202512.nc",
                           "/d/2026/b_202601.nc", "/d/10000/e_1000001.nc"});
  EXPECT_THAT(find_files({"{time:%Y}/e_{time:%Y%m}.nc"}, "/d", *files),
              ElementsAre("/d/2025/e_202512.nc", "/d/2026/e_202601.nc", "/d/10000/e_1000001.nc"));
  EXPECT_THAT(find_files({"{time:%Y}/?_{time:%Y%m}.nc"}, "/d", *files),
              ElementsAre("/d/2025/e_202512.nc", "/d/2026/b_202601.nc", "/d/2026/e_202601.nc",
                          "/d/10000/e_1000001.nc"));
}

TEST(FileNames, OfATemplateMayHaveMarksOfPatterns) {
  EXPECT_THAT(find_files({"a+(b)[c]_{time:%d.%%}.nc"}, "/d",
                         *with({"/d/a+(b)[c]_31.%.nc", "/d/a+(b)[c]_32.%.nc", "/d/aab c_31.%.nc"})),
              ElementsAre("/d/a+(b)[c]_31.%.nc"));
}

TEST(FileNames, TellWhatIsThereInPlaceOfThem) {
  const std::vector<std::string> paths{"/d/forcing/era5_202601.nc", "/d/forcing/era5_202602.nc"};
  EXPECT_EQ(complaint({"forcing/era5_202603.nc"}, paths),
            "there is no file /d/forcing/era5_202603.nc; /d/forcing has no \"era5_202603.nc\". Did you mean "
            "\"era5_202601.nc\"? (known: era5_202601.nc, era5_202602.nc)");
  EXPECT_EQ(complaint({"forcng/era5_202601.nc"}, paths),
            "there is no file /d/forcng/era5_202601.nc; /d has no \"forcng\". Did you mean \"forcing\"? "
            "(known: forcing)");
  EXPECT_EQ(complaint({"forcing/merra_*.nc"}, paths),
            "no file matches /d/forcing/merra_*.nc; /d/forcing has no \"merra_*.nc\". (known: "
            "era5_202601.nc, era5_202602.nc)");
  EXPECT_EQ(complaint({"forcing/era5_{time:%Y}.nc"}, paths),
            "there is no file for any date of /d/forcing/era5_{time:%Y}.nc; /d/forcing has no "
            "\"era5_{time:%Y}.nc\". (known: era5_202601.nc, era5_202602.nc)");
}

TEST(FileNames, HaveAForm) {
  EXPECT_EQ(file_name_complaint("forcing/*.nc"), std::nullopt);
  EXPECT_EQ(file_name_complaint("{x}{y z_{time:%Y}"), std::nullopt);
  EXPECT_EQ(file_name_complaint(""), "expected the name of a file, but got nothing");
  EXPECT_EQ(file_name_complaint("a_{tim:%Y}"),
            "only `{time:...}` can have a form, but \"tim\" has one. Did you mean \"time\"? (known: time)");
  EXPECT_EQ(file_name_complaint("a_{time:%y}"),
            "{time:%y}: \"%y\" is no part of a date (known: %Y, %m, %d, %H, %M, %S, %%)");
  EXPECT_EQ(file_name_complaint("https://a/{time:%Y}.nc"),
            "the files behind \"https://a/{time:%Y}.nc\" cannot be listed; expected a URL without dates, or "
            "a list");
}

TEST(FileNames, OfDatesFollowTheFinestPartOfTheTemplate) {
  const calendar::Calendar calendar("360_day", {.year = 2026, .month = 2, .day = 29, .hour = 18});
  const Stretch a_day{0.0, 86400.0}, two_days{0.0, 172800.0};
  EXPECT_THAT(names_of_dates("{time:%Y}/a_{time:%m}.nc", two_days, calendar),
              ElementsAre("2026/a_02.nc", "2026/a_03.nc"));
  EXPECT_THAT(names_of_dates("a_{time:%Y}.nc", a_day, calendar), ElementsAre("a_2026.nc"));
  EXPECT_THAT(names_of_dates("a_{time:%d}.nc", a_day, calendar), ElementsAre("a_29.nc", "a_30.nc"));
  EXPECT_EQ(names_of_dates("a_{time:%d%H}.nc", {0.0, 86399.0}, calendar).size(), 24U);
  // A name for each month, and not for each of each year.
  EXPECT_EQ(names_of_dates("a_{time:%m}.nc", {0.0, 360.0 * 3 * 86400.0}, calendar).size(), 12U);
  EXPECT_THROW(names_of_dates("a_{time:%Y}.nc", a_day, calendar::Calendar("none")), Error);
}

}  // namespace
}  // namespace tailrace::input
