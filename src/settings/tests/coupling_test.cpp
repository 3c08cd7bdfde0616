// `yac:` in a configuration, and what `tailrace serve --yac` gets of it.
#include "settings/coupling/coupling.hpp"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "config/testing/section_conformance.hpp"
#include "settings/configuration.hpp"
#include "settings/coupling/request.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings {
namespace {

TEST(CouplingSection, keeps_the_contract) { config::testing::check_section(coupling_section()); }

TEST(CouplingSection, tells_what_is_wrong) {
  const auto told = [](const char* yaml) { return config::testing::problems_of(coupling_section(), yaml); };
  EXPECT_THAT(told("yac: {grids: {boxes: {latlon: 7 deg}}}"),
              ::testing::HasSubstr(
                  "run.yaml:1:31  yac.grids.boxes.latlon: expected a size in degrees that divides 180"));
  EXPECT_THAT(told("yac: {grids: {boxes: {}}}"), ::testing::HasSubstr("expected one of latlon, gaussian"));
  EXPECT_THAT(told("yac: {component: \"\", grids: {boxes: {latlon: 9 deg}}}"),
              ::testing::HasSubstr("yac.component: expected a name"));
  EXPECT_EQ(told("yac: {component: io}"), "");  // enough for `serve --pism`, whose grids are PISM's
}

nlohmann::json request_of(const std::string& yaml, const std::string& text = {}) {
  const std::string path = ::testing::TempDir() + "coupling_request.yaml";
  std::ofstream(path) << yaml;
  const std::string made = coupling_request(path, text);
  std::filesystem::remove(path);
  return nlohmann::json::parse(made);
}

TEST(CouplingRequest, has_what_the_text_has_with_its_places) {
  const auto made = request_of(
      "tailrace: 1\n"
      "servers: {mode: inline, watchdog: 7 s}\n"
      "model_time: {calendar: noleap, start: 2001-02-03}\n"
      "yac:\n"
      "  component: io\n"
      "  grids:\n"
      "    ball: {healpix: {level: 2, order: ring}}\n"
      "    rows: {gaussian: F3}\n"
      "  fields: {ta: {levels: height, fill_value: -9}}\n"
      "  levels: {height: {file: levels.nc}, lev: {file: levels.nc, variable: plev}}\n"
      "  wait_for: 5 s\n"
      "fields:\n"
      "  fast: {names: [ta]}\n"
      "  slow: {every: 2 h, names: [qv]}\n"
      "  fixed: {every: once, names: [oro]}\n"
      "output: {a.nc: {variables: [{fields: \"*a\", operation: mean, every: 6 h}]}}\n");
  EXPECT_EQ(made["component"], "io");
  EXPECT_EQ(made["wait_seconds"], 5.0);
  EXPECT_EQ(made["watchdog_seconds"], 7.0);
  EXPECT_EQ(made["grids"]["ball"]["target"],
            (nlohmann::json{{"kind", "healpix"}, {"level", 2}, {"order", "ring"}}));
  EXPECT_EQ(made["grids"]["rows"]["target"], (nlohmann::json{{"kind", "gaussian"}, {"number", 3}}));
  EXPECT_THAT(made["grids"]["rows"]["place"].get<std::string>(),
              ::testing::HasSubstr("coupling_request.yaml:8:5"));
  EXPECT_EQ(made["fields"]["ta"]["levels"], "height");
  EXPECT_EQ(made["fields"]["ta"]["fill_value"], -9.0);
  EXPECT_EQ(made["levels"]["height"]["variable"], "height");
  EXPECT_EQ(made["levels"]["lev"]["variable"], "plev");
  EXPECT_EQ(made["levels"]["lev"]["file"], ::testing::TempDir() + "levels.nc");
  EXPECT_THAT(made["levels"]["lev"]["place"].get<std::string>(),
              ::testing::HasSubstr("coupling_request.yaml:10:"));
  EXPECT_EQ(made["given"]["servers.mode"]["value"], "inline");
  EXPECT_EQ(made["given"]["model_time.start"]["value"], "2001-02-03");
  EXPECT_EQ(made["given"].size(), 3u);
  ASSERT_EQ(made["asked"].size(), 2u);  // no fixed field
  EXPECT_EQ(made["asked"][0]["steps"], 1);
  EXPECT_EQ(made["asked"][1]["seconds"], 7200.0);
  ASSERT_EQ(made["variables"].size(), 1u);
  EXPECT_EQ(made["variables"][0]["field"], "ta");
  EXPECT_EQ(made["variables"][0]["seconds"], 21600.0);
  EXPECT_EQ(made["checkpoints"], false);
}

TEST(CouplingSection, has_servers_in_its_own_processes) {
  const auto servers_of = [](const std::string& yaml) {
    return parse_configuration({{.name = "run.yaml", .text = "tailrace: 1\n" + yaml}}, nullptr).servers;
  };
  const std::string section = "yac: {grids: {boxes: {latlon: 9 deg}}}\n";
  EXPECT_EQ(servers_of(section).mode, Mode::attached);
  EXPECT_FALSE(servers_of(section).model_uses_hdf5);
  EXPECT_EQ(servers_of(section + "servers: {mode: inline, model_uses_hdf5: true}\n").mode, Mode::inline_);
  EXPECT_TRUE(servers_of(section + "servers: {model_uses_hdf5: true}\n").model_uses_hdf5);
  EXPECT_EQ(servers_of("").mode, Mode::dedicated);
}

TEST(CouplingRequest, has_no_patterns_in_place_of_names) {
  try {
    request_of("tailrace: 1\nyac: {grids: {boxes: {latlon: 9 deg}}}\nfields: {a: {names: [\"t*\"]}}\n");
    ADD_FAILURE() << "accepted";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr(":3:22  fields.a.names: \"t*\" stands for fields that a model"));
  }
}

TEST(CouplingRequest, has_no_place_without_the_section) {
  EXPECT_EQ(request_of("tailrace: 1\n")["place"], "");
}

// `tailrace serve --pism` gives the files; of those that the user leaves out none is left.
TEST(CouplingRequest, has_the_files_of_the_text_beside_it) {
  const std::string text =
      "fields: {a: {names: [t]}}\n"
      "output: {\"{file}\": {variables: [{field: t, every: 1 step}]}}\n";
  auto made = request_of("tailrace: 1\n", text);
  ASSERT_EQ(made["files"].size(), 1u);
  EXPECT_EQ(made["files"][0]["name"], "{file}");
  EXPECT_EQ(made["files"][0]["has_if_exists"], false);
  made = request_of("tailrace: 1\ndefaults: {if_exists: replace}\n", text);
  EXPECT_EQ(made["files"][0]["has_if_exists"], true);
  EXPECT_EQ(request_of("tailrace: 1\noutput:\n  \"{file}\":\n", text)["files"].size(), 0u);
}

}  // namespace
}  // namespace tailrace::settings
