#include "telemetry/report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "tailrace/error.hpp"

namespace tailrace::telemetry {
namespace {

ClientCounters client(int rank, const std::string& component = "bubble") {
  ClientCounters counters;
  counters.component = component;
  counters.rank = rank;
  counters.fields.resize(2);
  counters.fields[0].name = std::string("w");
  counters.fields[1].name = std::string("u");
  for (int k = 0; k <= rank; ++k) {  // rank + 1 puts of 1, 2, ... ms
    counters.fields[0].put.record(1'000'000u * static_cast<unsigned>(k + 1));
    counters.fields[0].bytes.add(1000);
  }
  counters.fields[0].stall.record(500'000);
  counters.fields[1].unwanted.add(10);
  counters.run_nanoseconds.set(2'000'000'000u + static_cast<unsigned>(rank));
  return counters;
}

ServerCounters server(int rank) {
  ServerCounters counters;
  counters.rank = rank;
  counters.raw_bytes_out.add(4000);
  counters.encoded_bytes_out.add(1000);
  counters.committed(1.0 + rank, 0.5 * (rank + 1));
  counters.resident_high_water_bytes.set(1u << (20 + rank));
  DatasetCounters& shared = counters.add_file("profiles.nc");
  shared.raw_bytes.add(300);
  if (rank == 1) {  // its owner
    shared.disk_bytes.set(999);
    shared.commits.add();
    shared.write.record(7'000'000);
    shared.last_model_time = -5.0;
  }
  return counters;
}

RunReport some_report() {
  RunReport report;
  report.info = {.version = "0.1.0",
                 .configuration = "tailrace.yaml",
                 .mode = "dedicated",
                 .transport = "shm",
                 .started = "2026-01-01T00:00:00Z",
                 .finished = "2026-01-01T00:00:02Z",
                 .seconds = 2.0};
  report.clients = {client(2), client(0)};
  report.servers = {server(1)};
  RunReport other;
  other.clients = {client(1), client(0, "ocean")};
  other.servers = {server(0)};
  report.merge(RunReport::from_bytes(other.to_bytes()));
  return report;
}

TEST(RunReport, adds_up_what_all_ranks_counted) {
  const auto page = nlohmann::json::parse(some_report().json());
  EXPECT_EQ(page["schema"], "tailrace-report");
  EXPECT_EQ(page["version"], 1);
  EXPECT_EQ(page["run"]["clients"], 4);
  EXPECT_EQ(page["run"]["outcome"], "complete");

  // bubble: 1 + 2 + 3 puts: 1, 1+2, 1+2+3 ms; ocean: one more of 1 ms
  EXPECT_EQ(page["totals"]["puts"], 7);
  EXPECT_EQ(page["totals"]["bytes_in"], 7000);
  EXPECT_NEAR(page["totals"]["put_seconds"], 0.011, 1e-12);
  EXPECT_NEAR(page["totals"]["most_put_seconds_of_a_client"], 0.006, 1e-12);
  EXPECT_NEAR(page["totals"]["stall_seconds"], 0.002, 1e-12);
  EXPECT_EQ(page["totals"]["unwanted"], 40);
  EXPECT_EQ(page["totals"]["commits"], 2);
  EXPECT_NEAR(page["totals"]["most_lag_seconds"], 1.0, 1e-9);
  EXPECT_NEAR(page["totals"]["mean_lag_seconds"], 0.75, 1e-9);
  EXPECT_EQ(page["totals"]["most_resident_bytes_of_a_server"], 2u << 20);

  ASSERT_EQ(page["fields"].size(), 4u);  // two of each component
  EXPECT_EQ(page["fields"][0]["component"], "bubble");
  EXPECT_EQ(page["fields"][0]["name"], "w");
  EXPECT_EQ(page["fields"][0]["put"]["count"], 6);
  EXPECT_NEAR(page["fields"][0]["put"]["most_seconds"], 0.003, 1e-12);
  EXPECT_EQ(page["fields"][0]["stall"]["count"], 3);
  EXPECT_EQ(page["fields"][1]["name"], "u");
  EXPECT_EQ(page["fields"][1]["unwanted"], 30);

  ASSERT_EQ(page["clients"].size(), 4u);
  for (int rank = 0; rank < 3; ++rank) EXPECT_EQ(page["clients"][rank]["rank"], rank);
  EXPECT_EQ(page["clients"][3]["component"], "ocean");
  ASSERT_EQ(page["servers"].size(), 2u);
  EXPECT_EQ(page["servers"][0]["rank"], 0);
  EXPECT_EQ(page["servers"][1]["lag_series"], nlohmann::json::parse("[[2.0, 1.0]]"));
}

TEST(RunReport, adds_up_what_all_ranks_got) {
  RunReport report;
  for (const int rank : {0, 1}) {
    ClientCounters& counters = report.clients.emplace_back(client(rank));
    counters.fields[1].get.record(2'000'000);
    counters.fields[1].wait.record(1'500'000);
    counters.fields[1].got_bytes.add(4096);
  }
  const auto page = nlohmann::json::parse(report.json());
  EXPECT_FALSE(page["fields"][0].contains("get"));
  const auto& input = page["fields"][1];
  EXPECT_EQ(input["get"]["count"], 2);
  EXPECT_NEAR(input["get"]["seconds"], 0.004, 1e-12);
  EXPECT_NEAR(input["wait"]["seconds"], 0.003, 1e-12);
  EXPECT_EQ(input["got_bytes"], 8192);
  EXPECT_EQ(page["clients"][1]["gets"], 1);
  EXPECT_NEAR(page["clients"][1]["get_seconds"], 0.002, 1e-12);
  EXPECT_EQ(page["clients"][1]["waits"], 1);
  EXPECT_NEAR(page["clients"][1]["wait_seconds"], 0.0015, 1e-12);
}

TEST(RunReport, a_file_is_told_once_and_names_the_server_that_wrote_it) {
  const auto page = nlohmann::json::parse(some_report().json());
  ASSERT_EQ(page["files"].size(), 1u);
  const auto& file = page["files"][0];
  EXPECT_EQ(file["path"], "profiles.nc");
  EXPECT_EQ(file["servers"], nlohmann::json::parse("[1]"));
  EXPECT_EQ(file["raw_bytes"], 600);
  EXPECT_EQ(file["disk_bytes"], 999);
  EXPECT_EQ(file["commits"], 1);
  EXPECT_EQ(file["last_model_time"], -5.0);
}

TEST(RunReport, adds_up_values_that_no_type_could_hold) {
  RunReport report = some_report();
  RunReport other;
  other.servers = {server(2)};
  for (const auto& [of, values, time] : {std::tuple(&report, 3u, 20.0), {&other, 5u, 10.0}}) {
    auto& counted = of->servers.back().out_of_range;
    counted.push_back({"profiles.nc", "t", "int16", 0, 0.0});
    counted.back().add(values, time + 1.0);
    counted.back().add(1, time);
    counted.push_back({"profiles.nc", "fits", "int8", 0, 0.0});
  }
  report.merge(RunReport::from_bytes(other.to_bytes()));
  const auto files = nlohmann::json::parse(report.json()).at("files");
  const nlohmann::json expected = {
      {{"variable", "t"}, {"type", "int16"}, {"values", 10}, {"first_time", 10.0}}};
  EXPECT_EQ(files.at(0).at("out_of_range"), expected);
}

TEST(RunReport, of_an_empty_run_is_still_a_report) {
  const auto page = nlohmann::json::parse(RunReport{}.json());
  EXPECT_EQ(page["totals"]["puts"], 0);
  EXPECT_TRUE(page["fields"].empty());
}

TEST(RunReport, odd_names_do_no_harm) {
  RunReport report;
  report.info.configuration = "caf\xe9 \"x\".yaml";  // Latin-1, not UTF-8
  EXPECT_EQ(nlohmann::json::parse(report.json())["run"]["configuration"], "caf\xef\xbf\xbd \"x\".yaml");
}

TEST(RunReport, makes_its_directory_and_says_when_it_cannot) {
  const auto files = env::make_memory_files();
  some_report().write(*files, "out/report");
  EXPECT_TRUE(nlohmann::json::accept(files->read("out/report/report.json")));
  const auto small = env::make_memory_files(10);
  try {
    some_report().write(*small, "out");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "cannot write out/report.json: No space left on device");
  }
}

}  // namespace
}  // namespace tailrace::telemetry
