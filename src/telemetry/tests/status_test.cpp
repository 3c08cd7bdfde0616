#include "telemetry/status.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <thread>

#include "base/index.hpp"
#include "base/log.hpp"
#include "env/faulty/faulty_files.hpp"
#include "tailrace/error.hpp"
#include "telemetry/trace.hpp"

namespace tailrace::telemetry {
namespace {

struct StatusTest : testing::Test {
  std::unique_ptr<env::FileSystem> files = env::make_memory_files();
  env::ManualClock clock{1'000'000.0};
  void SetUp() override { files->make_directories("report"); }
  nlohmann::json page(const std::string& name = "status.json") {
    return nlohmann::json::parse(files->read(std::string("report/").append(name)));
  }
};

StatusSnapshot at_step(std::int64_t step) {
  StatusSnapshot snapshot;
  snapshot.components = {{"bubble", step, 0.5 * static_cast<double>(step)}};
  snapshot.files = {{"profiles.nc", 3, 12.0}};
  snapshot.encoded_bytes_out = static_cast<std::uint64_t>(1000 * step);
  snapshot.buffer_used = 0.25;
  snapshot.lag_seconds = 0.125;
  return snapshot;
}

TEST_F(StatusTest, tells_how_things_stand) {
  Status status(*files, clock, "report", 0, 2);
  ASSERT_TRUE(status.due());
  status.publish(at_step(10));
  const auto json = page();
  EXPECT_EQ(json["schema"], "tailrace-status");
  EXPECT_EQ(json["state"], "running");
  EXPECT_EQ(json["servers"], 2);
  EXPECT_EQ(json["components"][0]["name"], "bubble");
  EXPECT_EQ(json["components"][0]["step"], 10);
  EXPECT_EQ(json["components"][0]["time"], 5.0);
  EXPECT_TRUE(json["components"][0]["steps_per_second"].is_null());  // not known yet
  EXPECT_EQ(json["files"][0]["path"], "profiles.nc");
  EXPECT_EQ(json["files"][0]["model_time"], 12.0);
  EXPECT_EQ(json["buffer_used"], 0.25);
  EXPECT_EQ(json["lag_seconds"], 0.125);
}

TEST_F(StatusTest, tells_the_load_the_memory_and_what_was_logged) {
  Status status(*files, clock, "report", 0, 1);
  StatusSnapshot snapshot = at_step(10);
  snapshot.host = "node1";
  snapshot.memory_bytes = 1000;
  snapshot.memory_bounds_all = true;
  snapshot.resident_bytes = 4000;
  snapshot.phase_seconds[base::index(Phase::write)] = 2.5;
  snapshot.lag.record_seconds(0.125);
  base::log_warning("the disk is slow");
  status.publish(snapshot);
  const auto json = page();
  EXPECT_EQ(json["host"], "node1");
  EXPECT_EQ(json["memory_bytes"], 1000);
  EXPECT_EQ(json["memory_bounds_all"], true);
  EXPECT_EQ(json["resident_bytes"], 4000);
  EXPECT_EQ(json["phases"]["write"], 2.5);
  EXPECT_EQ(json["phases"]["idle"], 0.0);
  EXPECT_EQ(json["lag"]["count"], 1);
  EXPECT_EQ(json["lag"]["histogram"][0][1], 1);
  EXPECT_GE(json["warnings"]["count"], 1);
  EXPECT_EQ(json["warnings"]["last"].back(), "the disk is slow");
}

TEST_F(StatusTest, tells_what_waits_in_burst_buffers) {
  Status status(*files, clock, "report", 0, 1);
  StatusSnapshot snapshot = at_step(10);
  snapshot.checkpoints = {{.component = "bubble", .count = 2, .step = 6}, {.component = "ocean"}};
  snapshot.checkpoints[1].step_on_nodes = 9;
  snapshot.checkpoints[1].seconds_to_nodes = 0.5;
  snapshot.checkpoints[1].waiting = 3;
  snapshot.checkpoints[1].waiting_bytes = 4000;
  status.publish(snapshot);
  const auto json = page()["checkpoints"];
  EXPECT_FALSE(json[0].contains("burst_buffer"));
  EXPECT_EQ(json[1]["count"], 0);
  const nlohmann::json waits{{"step", 9}, {"seconds_to_nodes", 0.5}, {"waiting", 3}, {"waiting_bytes", 4000}};
  EXPECT_EQ(json[1]["burst_buffer"], waits);
}

TEST_F(StatusTest, is_written_at_most_twice_a_second) {
  env::FaultyFiles counting(*files);
  Status status(counting, clock, "report", 0, 1);
  for (int k = 0; k < 1000; ++k) {  // ten seconds
    status.publish(at_step(k));
    clock.advance(0.01);
  }
  EXPECT_GE(counting.writes(), 18u);
  EXPECT_LE(counting.writes(), 20u);
}

TEST_F(StatusTest, rates_settle_at_the_truth) {
  Status status(*files, clock, "report", 0, 1);
  for (int k = 0; k < 40; ++k) {
    status.publish(at_step(100 + 8 * k));
    clock.advance(2.0);
  }
  EXPECT_NEAR(page()["components"][0]["steps_per_second"], 4.0, 1e-6);
  EXPECT_NEAR(page()["components"][0]["model_seconds_per_second"], 2.0, 1e-6);
  EXPECT_NEAR(page()["bytes_out_per_second"], 4000.0, 1e-3);
}

TEST_F(StatusTest, too_short_a_time_makes_no_rate) {
  Status status(*files, clock, "report", 0, 1);
  status.publish(at_step(1));
  clock.advance(1e-9);
  status.finish(at_step(500), "complete");
  EXPECT_TRUE(page()["components"][0]["steps_per_second"].is_null());
  EXPECT_EQ(page()["bytes_out_per_second"], 0.0);
}

TEST_F(StatusTest, the_last_word_is_always_written) {
  Status status(*files, clock, "report", 1, 2);
  status.publish(at_step(1));
  EXPECT_FALSE(status.due());
  status.finish(at_step(2), "complete");
  EXPECT_EQ(page("status.1.json")["state"], "complete");
  EXPECT_EQ(page("status.1.json")["components"][0]["step"], 2);
  clock.advance(100.0);
  EXPECT_FALSE(status.due());
}

TEST_F(StatusTest, a_full_disk_does_not_stop_the_run) {
  env::FaultyFiles faulty(*files, {.fail_write = 1, .fail_times = 2});
  Status status(faulty, clock, "report", 0, 1);
  CommitLog log(faulty, clock, "report", 0);
  EXPECT_NO_THROW(status.publish(at_step(1)));
  EXPECT_NO_THROW(log.add({"a.nc", {{"time", 1}}, 1.0}));
  clock.advance(1.0);
  status.publish(at_step(2));
  EXPECT_EQ(page()["components"][0]["step"], 2);
}

TEST_F(StatusTest, the_last_commit_of_each_file_is_found_beside_half_a_line) {
  EXPECT_TRUE(last_commits(*files, "report").empty());
  CommitLog log(*files, clock, "report", 0);
  log.add({"profiles.nc", {{"time", 3}}, 30.0});
  log.add({"maps.nc", {{"time", 1}}, 31.5});
  log.add({"profiles.nc", {{"time", 4}}, 40.0});
  files->append("report/commits.jsonl", "{\"path\":\"maps.nc\",\"lengths\":{\"ti");
  const auto commits = last_commits(*files, "report");
  ASSERT_EQ(commits.size(), 2u);
  EXPECT_EQ(commits.at("profiles.nc").model_time, 40.0);
  EXPECT_EQ(commits.at("profiles.nc").lengths.at("time"), 4);
  EXPECT_EQ(commits.at("maps.nc").model_time, 31.5);
}

TEST_F(StatusTest, one_line_for_each_commit) {
  CommitLog zero(*files, clock, "report", 0), one(*files, clock, "report", 1);
  zero.add({"profiles.nc", {{"time", 3}, {"time_mean_10s", 2}}, 30.0});
  one.add({"maps.nc", {{"time", 1}}, 31.5});
  const std::string text = files->read("report/commits.jsonl");
  EXPECT_EQ(text,
            "{\"path\":\"profiles.nc\",\"lengths\":{\"time\":3,\"time_mean_10s\":2},\"model_time\":30.0,"
            "\"wall_time\":\"1970-01-12T13:46:40Z\",\"server\":0}\n"
            "{\"path\":\"maps.nc\",\"lengths\":{\"time\":1},\"model_time\":31.5,"
            "\"wall_time\":\"1970-01-12T13:46:40Z\",\"server\":1}\n");
}

TEST_F(StatusTest, preparing_takes_away_the_old_run_and_nothing_else) {
  for (const char* name :
       {".session", "report.json", "report.html", "status.json", "status.12.json", "commits.jsonl",
        "trace.server.0.json", "notes.txt", "status.txt", "my.report.json"})
    files->write(std::string("report/") + name, "x");
  auto mark = prepare_report_directory(*files, "report");
  ASSERT_TRUE(mark);
  EXPECT_EQ(files->list("report"),
            (std::vector<std::string>{".session", "my.report.json", "notes.txt", "status.txt"}));
  files->append("report/commits.jsonl", "of the run that goes on\n");
  EXPECT_FALSE(prepare_report_directory(*files, "report")) << "another run";
  EXPECT_EQ(files->read("report/commits.jsonl"), "of the run that goes on\n");
  mark.reset();
  EXPECT_TRUE(prepare_report_directory(*files, "report"));
  EXPECT_FALSE(files->exists("report/commits.jsonl"));
  prepare_report_directory(*files, "new/one");
  EXPECT_TRUE(files->exists("new/one"));
}

TEST_F(StatusTest, preparing_takes_away_nothing_where_no_run_reported) {
  files->make_directories("mine");
  files->write("mine/notes.txt", "x");
  EXPECT_TRUE(prepare_report_directory(*files, "mine"));
  files->make_directories("results");
  for (const char* name : {"results/report.html", "results/status.old.json"}) files->write(name, "precious");
  for (int tries = 0; tries < 2; ++tries) {
    try {
      prepare_report_directory(*files, "results");
      ADD_FAILURE() << "the files are replaced";
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(),
                   "servers.report_directory: results has files that the report would replace (report.html, "
                   "status.old.json), and no run is known to have made them; move them, or name another "
                   "directory");
    }
  }
  EXPECT_EQ(files->list("results"), (std::vector<std::string>{"report.html", "status.old.json"}));
}

TEST(Trace, is_what_perfetto_reads) {
  const auto files = env::make_memory_files();
  Trace trace(true, "server \"0\"", 5);
  const std::uint64_t begin = env::steady_nanoseconds();
  trace.span("encode", begin, begin + 2'500'000);
  std::jthread([&] { const TraceSpan span(&trace, "write"); }).join();
  trace.write(*files, "trace.json");
  const auto events = nlohmann::json::parse(files->read("trace.json"))["traceEvents"];
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0]["args"]["name"], "server \"0\"");
  EXPECT_EQ(events[1]["args"]["sort_index"], 5);
  EXPECT_EQ(events[2]["name"], "encode");
  EXPECT_EQ(events[2]["ph"], "X");
  EXPECT_EQ(events[2]["dur"], 2500.0);
  EXPECT_NEAR(events[2]["ts"].get<double>(), 1e6 * env::system_clock().wall_seconds(), 60e6);
  EXPECT_EQ(events[3]["name"], "write");
  EXPECT_NE(events[3]["tid"], events[2]["tid"]);
}

TEST(Trace, is_bounded_and_counts_what_did_not_fit) {
  const auto files = env::make_memory_files();
  Trace trace(true, "client 0", 0, 10);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < 100; ++k) trace.span("put", 1, 2);
      });
  }
  EXPECT_EQ(trace.dropped(), 390u);
  trace.write(*files, "trace.json");
  const auto page = nlohmann::json::parse(files->read("trace.json"));
  EXPECT_EQ(page["traceEvents"].size(), 12u);
  EXPECT_EQ(page["otherData"]["dropped"], 390);
}

TEST(Trace, off_it_writes_nothing) {
  const auto files = env::make_memory_files();
  Trace trace(false, "client 0", 0);
  trace.span("put", 1, 2);
  trace.write(*files, "trace.json");
  EXPECT_FALSE(trace.on());
  EXPECT_FALSE(files->exists("trace.json"));
}

}  // namespace
}  // namespace tailrace::telemetry
