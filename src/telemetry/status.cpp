#include "telemetry/status.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "base/log.hpp"
#include "base/logged_warnings.hpp"
#include "tailrace/error.hpp"
#include "telemetry/timings_json.hpp"

namespace tailrace::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;
constexpr double publish_every = 0.5;  // seconds
constexpr double smooth_over = 3.0;    // seconds
constexpr double shortest_elapsed = 0.1;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string log_of(const std::string& directory) { return directory + "/commits.jsonl"; }
std::string earlier_log_of(const std::string& directory) { return directory + "/commits.earlier.jsonl"; }

constexpr const char* mark_name = ".session";

// Whether an earlier run may have left a file of this name.
bool is_of_report(const std::string& name) {
  return name == "report.json" || name == "report.html" || name == "commits.jsonl" ||
         name == "commits.earlier.jsonl" || (name.starts_with("status.") && name.ends_with("json")) ||
         (name.starts_with("in_situ.") && name.ends_with("json")) ||
         (name.starts_with("trace.") && name.ends_with("json"));
}

// Other programs use such names too. A directory where a run reported has its mark.
void check_is_free(env::FileSystem& files, const std::string& directory) {
  if (files.exists(directory + "/" + mark_name)) return;
  std::string found;
  for (const std::string& name : files.list(directory))
    if (is_of_report(name)) found += (found.empty() ? "" : ", ") + name;
  if (found.empty()) return;
  throw Error(
      ErrorCode::resource,
      fmt::format("servers.report_directory: {} has files that the report would replace ({}), and no run "
                  "is known to have made them; move them, or name another directory",
                  directory, found));
}

}  // namespace

std::unique_ptr<env::File> prepare_report_directory(env::FileSystem& files, const std::string& directory,
                                                    bool keeps_commits) {
  files.make_directories(directory);
  check_is_free(files, directory);
  auto mark = files.open(directory + "/" + mark_name, env::Access::create);
  if (!mark->mark_as_writer()) return nullptr;
  // A run that died before it took the earlier commits over has left them in place.
  if (keeps_commits && files.exists(log_of(directory)))
    files.rename(log_of(directory), earlier_log_of(directory));
  for (const std::string& name : files.list(directory)) {
    const bool is_kept = keeps_commits && name == "commits.earlier.jsonl";
    if (is_of_report(name) && !is_kept) files.remove(directory + "/" + name);
  }
  return mark;
}

Status::Status(env::FileSystem& files, const env::Clock& clock, std::string directory, int server,
               int servers)
    : files_(files),
      clock_(clock),
      path_(server == 0 ? directory + "/status.json" : fmt::format("{}/status.{}.json", directory, server)),
      server_(server),
      servers_(servers),
      begin_(clock.seconds()),
      next_(begin_) {}

void Status::publish(const StatusSnapshot& snapshot) {
  if (!due()) return;
  next_ = clock_.seconds() + publish_every;
  write(snapshot, "running");
}

void Status::finish(const StatusSnapshot& snapshot, const std::string& outcome) {
  next_ = std::numeric_limits<double>::infinity();
  write(snapshot, outcome);
}

// The rate between two publications, smoothed over a few seconds. Two in quick succession, like the last two
// of a run, do not update it.
std::optional<double> Status::rate(const std::string& what, double value) {
  const double now = clock_.seconds();
  const auto [place, is_new] = rates_.try_emplace(what, Rate{value, now, std::nullopt});
  Rate& rate = place->second;
  const double elapsed = now - rate.at;
  if (is_new || elapsed < shortest_elapsed) return rate.smooth;
  const double fresh = (value - rate.value) / elapsed;
  const double old = rate.smooth.value_or(fresh);
  rate = {value, now, old + (1.0 - std::exp(-elapsed / smooth_over)) * (fresh - old)};
  return rate.smooth;
}

void Status::write(const StatusSnapshot& snapshot, const std::string& state) {
  const double now = clock_.seconds();
  Json page{{"schema", "tailrace-status"},
            {"version", schema_version},
            {"server", server_},
            {"servers", servers_},
            {"host", snapshot.host},
            {"state", state},
            {"wall_time", env::iso_time(clock_)},
            {"seconds", now - begin_}};
  page["components"] = Json::array();
  for (const ComponentStatus& component : snapshot.components) {
    const auto speed = rate("steps of " + component.name, static_cast<double>(component.step));
    const auto pace = rate("time of " + component.name, component.time);
    page["components"].push_back({{"name", component.name},
                                  {"step", component.step},
                                  {"time", component.time},
                                  {"steps_per_second", speed ? Json(*speed) : Json()},
                                  {"model_seconds_per_second", pace ? Json(*pace) : Json()}});
  }
  page["bytes_in"] = snapshot.bytes_in;
  page["bytes_in_per_second"] = rate("in", static_cast<double>(snapshot.bytes_in)).value_or(0.0);
  page["bytes_out"] = snapshot.encoded_bytes_out;
  page["bytes_out_per_second"] = rate("out", static_cast<double>(snapshot.encoded_bytes_out)).value_or(0.0);
  page["lag_seconds"] = snapshot.lag_seconds;
  page["buffer_used"] = snapshot.buffer_used;
  page["pending_bytes"] = snapshot.pending_bytes;
  page["memory_bytes"] = snapshot.memory_bytes;
  page["memory_bounds_all"] = snapshot.memory_bounds_all;
  page["resident_bytes"] = snapshot.resident_bytes;
  page["phases"] = Json::object();  // seconds
  for (std::size_t k = 0; k < phase_count; ++k)
    page["phases"][phase_name(static_cast<Phase>(k))] = snapshot.phase_seconds[k];
  page["lag"] = timings_json(snapshot.lag);
  const base::LoggedWarnings logged = base::logged_warnings();
  page["warnings"] = {{"count", logged.count}, {"last", logged.last}};
  page["files"] = Json::array();
  for (const DatasetStatus& file : snapshot.files) {
    page["files"].push_back(
        {{"path", file.path}, {"commits", file.commits}, {"model_time", file.model_time}});
  }
  page["checkpoints"] = Json::array();
  for (const CheckpointStatus& one : snapshot.checkpoints) {
    page["checkpoints"].push_back(
        {{"component", one.component},
         {"count", one.count},
         {"step", one.step},
         {"time", one.time},
         {"seconds_to_durable", one.seconds},
         {"bytes", one.bytes},
         {"bytes_per_second", one.seconds > 0.0 ? static_cast<double>(one.bytes) / one.seconds : 0.0},
         {"model_seconds", one.model_seconds}});
    if (one.step_on_nodes >= 0)
      page["checkpoints"].back()["burst_buffer"] = {{"step", one.step_on_nodes},
                                                    {"seconds_to_nodes", one.seconds_to_nodes},
                                                    {"waiting", one.waiting},
                                                    {"waiting_bytes", one.waiting_bytes}};
  }
  page["inputs"] = Json::array();
  for (const InputStatus& input : snapshot.inputs) {
    page["inputs"].push_back({{"component", input.component},
                              {"field", input.field},
                              {"reads", input.reads},
                              {"bytes_read", input.bytes_read},
                              {"late", input.late},
                              {"late_seconds", input.late_seconds}});
  }
  try {
    files_.write(path_, text_of(page));
  } catch (const Error& error) {
    if (!std::exchange(complained_, true))
      base::log_warning(fmt::format("cannot write the status: {}", error.what()));
  }
}

std::map<std::string, CommitLine> last_commits(const env::FileSystem& files, const std::string& directory) {
  std::map<std::string, CommitLine> commits;
  std::string text;
  try {
    text = files.read(log_of(directory));
  } catch (const Error&) {  // no report, or no commit yet
  }
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    try {
      const Json json = Json::parse(line);
      CommitLine commit{json.at("path"), json.at("lengths"), json.at("model_time")};
      commits[commit.path] = std::move(commit);
    } catch (const Json::exception&) {  // a writer that died may have left an incomplete line
    }
  }
  return commits;
}

CommitLog::CommitLog(env::FileSystem& files, const env::Clock& clock, const std::string& directory,
                     int server)
    : files_(files), clock_(clock), directory_(directory), server_(server) {}

void CommitLog::add(const CommitLine& line) {
  Json json{{"path", line.path},
            {"lengths", line.lengths},
            {"model_time", line.model_time},
            {"wall_time", env::iso_time(clock_)},
            {"server", server_}};
  if (!line.component.empty()) json["component"] = line.component;
  if (line.checkpoint >= 0) json["checkpoint"] = line.checkpoint;
  append(text_of(json));
}

void CommitLog::take_over(const std::string& component, std::int64_t step) {
  const std::string earlier = earlier_log_of(directory_);
  if (!files_.exists(earlier)) return;
  std::istringstream lines(files_.read(earlier));
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    try {
      const Json json = Json::parse(line);
      if (json.value("component", "") == component && json.value("checkpoint", std::int64_t{-1}) < step)
        text += line + "\n";
    } catch (const Json::exception&) {  // an incomplete line
    }
  }
  if (!text.empty()) append(text);
}

void CommitLog::append(const std::string& text) {
  try {
    files_.append(log_of(directory_), text);
  } catch (const Error& error) {
    if (!std::exchange(complained_, true))
      base::log_warning(fmt::format("cannot write the line of a commit: {}", error.what()));
  }
}

}  // namespace tailrace::telemetry
