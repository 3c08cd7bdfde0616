#include "telemetry/report.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/bytes.hpp"
#include "telemetry/timings_json.hpp"

namespace tailrace::telemetry {
namespace {

using Json = nlohmann::ordered_json;

constexpr int schema_version = 1;

double seconds(const Counter& nanoseconds) { return 1e-9 * static_cast<double>(nanoseconds.get()); }

struct ClientSums {
  std::uint64_t puts = 0, unwanted = 0, bytes = 0, stalls = 0, gets = 0, waits = 0;
  double put_seconds = 0.0, stall_seconds = 0.0, get_seconds = 0.0, wait_seconds = 0.0;
};

ClientSums sums_of(const ClientCounters& client) {
  ClientSums sums;
  for (const FieldCounters& field : client.fields) {
    sums.puts += field.put.count.get();
    sums.unwanted += field.unwanted.get();
    sums.bytes += field.bytes.get();
    sums.stalls += field.stall.count.get();
    sums.put_seconds += field.put.seconds();
    sums.stall_seconds += field.stall.seconds();
    sums.gets += field.get.count.get();
    sums.waits += field.wait.count.get();
    sums.get_seconds += field.get.seconds();
    sums.wait_seconds += field.wait.seconds();
  }
  return sums;
}

Json client_json(const ClientCounters& client) {
  const ClientSums sums = sums_of(client);
  return {{"component", client.component},
          {"rank", client.rank},
          {"host", client.host},
          {"run_seconds", seconds(client.run_nanoseconds)},
          {"ready_seconds", seconds(client.ready_nanoseconds)},
          {"finish_seconds", seconds(client.finish_nanoseconds)},
          {"steps", client.step.count.get()},
          {"step_seconds", client.step.seconds()},
          {"checkpoints", client.checkpoint.count.get()},
          {"checkpoint_seconds", client.checkpoint.seconds()},
          {"model_time", client.model_seconds},
          {"puts", sums.puts},
          {"unwanted", sums.unwanted},
          {"put_seconds", sums.put_seconds},
          {"stalls", sums.stalls},
          {"stall_seconds", sums.stall_seconds},
          {"bytes", sums.bytes},
          {"gets", sums.gets},
          {"get_seconds", sums.get_seconds},
          {"waits", sums.waits},
          {"wait_seconds", sums.wait_seconds},
          {"buffer_capacity_bytes", client.buffer_capacity_bytes.get()},
          {"buffer_high_water_bytes", client.buffer_high_water_bytes.get()},
          {"spilled_packets", client.spilled_packets.get()},
          {"spilled_bytes", client.spilled_bytes.get()},
          {"resident_high_water_bytes", client.resident_high_water_bytes.get()}};
}

// Sums over all ranks of a component.
Json fields_json(const std::vector<ClientCounters>& clients) {
  std::vector<std::pair<std::string, FieldCounters>> fields;  // in the order of declaration
  std::map<std::pair<std::string, std::string>, std::size_t> places;
  for (const ClientCounters& client : clients) {
    for (const FieldCounters& field : client.fields) {
      const auto [place, is_new] = places.try_emplace({client.component, field.name}, fields.size());
      if (is_new) {
        fields.emplace_back(client.component, field);
        continue;
      }
      FieldCounters& sum = fields[place->second].second;
      sum.unwanted.add(field.unwanted.get());
      sum.bytes.add(field.bytes.get());
      sum.put.merge(field.put);
      sum.stall.merge(field.stall);
      sum.get.merge(field.get);
      sum.wait.merge(field.wait);
      sum.got_bytes.add(field.got_bytes.get());
    }
  }
  Json list = Json::array();
  for (const auto& [component, field] : fields) {
    list.push_back({{"component", component},
                    {"name", field.name},
                    {"unwanted", field.unwanted.get()},
                    {"bytes", field.bytes.get()},
                    {"put", timings_json(field.put)},
                    {"stall", timings_json(field.stall)}});
    if (field.get.count.get() == 0) continue;
    list.back()["get"] = timings_json(field.get);
    list.back()["wait"] = timings_json(field.wait);
    list.back()["got_bytes"] = field.got_bytes.get();
  }
  return list;
}

Json burst_buffer_json(const BurstBufferCounters& counters) {
  return {{"to_nodes", timings_json(counters.seconds)},
          {"bytes", counters.bytes.get()},
          {"high_water_bytes", counters.high_water_bytes.get()},
          {"overflowed_members", counters.overflowed.get()}};
}

Json server_json(const ServerCounters& server) {
  Json phases = Json::object();
  for (std::size_t k = 0; k < phase_count; ++k) {
    phases[phase_name(static_cast<Phase>(k))] = timings_json(server.phases[k]);
  }
  Json held = Json::object();
  for (std::size_t k = 0; k < held_count; ++k) {
    const auto what = static_cast<MemoryKind>(k);
    held[held_name(what)] = server.held.most(what);
  }
  Json series = Json::array();
  for (const Series::Point& point : server.lag_series.points()) series.push_back({point.at, point.value});
  return {{"rank", server.rank},
          {"host", server.host},
          {"threads", server.threads},
          {"run_seconds", seconds(server.run_nanoseconds)},
          {"phases", std::move(phases)},
          {"bytes_in", server.bytes_in.get()},
          {"packets_in", server.packets_in.get()},
          {"raw_bytes_out", server.raw_bytes_out.get()},
          {"encoded_bytes_out", server.encoded_bytes_out.get()},
          {"messages_sent", server.messages_sent.get()},
          {"message_bytes_sent", server.message_bytes_sent.get()},
          {"pending_high_water_bytes", server.held.most_total()},
          {"held_high_water_bytes", std::move(held)},
          {"commits", server.commits.get()},
          {"checkpoints", server.checkpoints.get()},
          {"checkpoint_bytes", server.checkpoint_bytes.get()},
          {"checkpoint", timings_json(server.checkpoint_seconds)},
          {"burst_buffer", burst_buffer_json(server.burst_buffer)},
          {"lag", timings_json(server.lag)},
          {"last_lag_seconds", seconds(server.last_lag_nanoseconds)},
          {"lag_series", std::move(series)},
          {"resident_high_water_bytes", server.resident_high_water_bytes.get()}};
}

struct FileSums {
  DatasetCounters counters;
  Json servers = Json::array();  // that committed to it
};

Json out_of_range_json(const std::vector<OutOfRange>& all, const std::string& path) {
  Json list = Json::array();
  for (const OutOfRange& one : all) {
    if (one.path != path) continue;
    list.push_back({{"variable", one.variable},
                    {"type", one.type},
                    {"values", one.values},
                    {"first_time", one.first_time}});
  }
  return list;
}

// By variable; the chunks of a variable are all counted on one server.
Json kept_json(const std::vector<KeptCounters>& all) {
  Json list = Json::array();
  for (const KeptCounters& one : all) {
    Json levels = Json::object();
    for (std::size_t i = 0; i < chosen_levels.size(); ++i)
      if (one.at_level[i] > 0) levels[std::to_string(chosen_levels[i])] = one.at_level[i];
    list.push_back({{"variable", one.variable},
                    {"bound", one.bound},
                    {"chunks", one.chunks},
                    {"exact_chunks", one.exact_chunks},
                    {"largest_absolute_error", one.absolute},
                    {"largest_relative_error", one.relative},
                    {"fewest_bits", one.fewest_bits},
                    {"chosen_levels", std::move(levels)}});
  }
  return list;
}

Json files_json(const std::vector<ServerCounters>& servers, const std::vector<OutOfRange>& out_of_range) {
  std::map<std::string, FileSums> files;
  for (const ServerCounters& server : servers) {
    for (const DatasetCounters& file : server.files) {
      auto& [sum, owners] = files[file.path];
      sum.raw_bytes.add(file.raw_bytes.get());
      sum.encoded_bytes.add(file.encoded_bytes.get());
      sum.disk_bytes.add(file.disk_bytes.get());
      sum.records.add(file.records.get());
      sum.commits.add(file.commits.get());
      sum.write.merge(file.write);
      if (sum.skipped.empty()) sum.skipped = file.skipped;
      sum.kept.insert(sum.kept.end(), file.kept.begin(), file.kept.end());
      sum.handed_over_steps.add(file.handed_over_steps.get());
      sum.unread_steps.add(file.unread_steps.get());
      sum.discarded_steps.add(file.discarded_steps.get());
      sum.lost_steps.add(file.lost_steps.get());
      sum.restarts.add(file.restarts.get());
      if (file.write.count.get() == 0) continue;
      const bool first = owners.empty();
      sum.last_model_time =
          first ? file.last_model_time : std::max(sum.last_model_time, file.last_model_time);
      if (first || owners.back() != server.rank) owners.push_back(server.rank);  // the home has two sinks
    }
  }
  Json list = Json::array();
  for (auto& [path, file] : files) {
    const DatasetCounters& sum = file.counters;
    list.push_back({{"path", path},
                    {"servers", std::move(file.servers)},
                    {"raw_bytes", sum.raw_bytes.get()},
                    {"encoded_bytes", sum.encoded_bytes.get()},
                    {"disk_bytes", sum.disk_bytes.get()},
                    {"records", sum.records.get()},
                    {"commits", sum.commits.get()},
                    {"write", timings_json(sum.write)},
                    {"last_model_time", sum.last_model_time},
                    {"skipped", sum.skipped},
                    {"compression", kept_json(sum.kept)},
                    {"stream",
                     {{"handed_over", sum.handed_over_steps.get()},
                      {"unread", sum.unread_steps.get()},
                      {"discarded", sum.discarded_steps.get()},
                      {"lost", sum.lost_steps.get()},
                      {"restarts", sum.restarts.get()}}},
                    {"out_of_range", out_of_range_json(out_of_range, path)}});
  }
  return list;
}

// Sums over all servers, by component and field.
Json inputs_json(const std::vector<ServerCounters>& servers) {
  std::map<std::pair<std::string, std::string>, InputCounters> inputs;
  for (const ServerCounters& server : servers)
    for (const InputCounters& input : server.inputs) {
      InputCounters& sum = inputs[{input.component, input.field}];
      sum.reads.merge(input.reads);
      sum.bytes_read.add(input.bytes_read.get());
      sum.failures.add(input.failures.get());
      sum.late.merge(input.late);
    }
  Json list = Json::array();
  for (const auto& [names, sum] : inputs) {
    list.push_back({{"component", names.first},
                    {"field", names.second},
                    {"reads", timings_json(sum.reads)},
                    {"bytes_read", sum.bytes_read.get()},
                    {"failures", sum.failures.get()},
                    {"late", timings_json(sum.late)}});
  }
  return list;
}

// Totals, which readers need first; the rest of the report gives the details.
Json totals_json(const std::vector<ClientCounters>& clients, const std::vector<ServerCounters>& servers) {
  ClientSums all;
  double most_put = 0.0, most_stall = 0.0, most_run = 0.0;
  for (const ClientCounters& client : clients) {
    const ClientSums sums = sums_of(client);
    all.puts += sums.puts;
    all.unwanted += sums.unwanted;
    all.bytes += sums.bytes;
    all.stalls += sums.stalls;
    all.put_seconds += sums.put_seconds;
    all.stall_seconds += sums.stall_seconds;
    most_put = std::max(most_put, sums.put_seconds);
    most_stall = std::max(most_stall, sums.stall_seconds);
    most_run = std::max(most_run, seconds(client.run_nanoseconds));
  }
  std::uint64_t raw = 0, encoded = 0, commits = 0, resident = 0;
  Timings lag;
  for (const ServerCounters& server : servers) {
    raw += server.raw_bytes_out.get();
    encoded += server.encoded_bytes_out.get();
    commits += server.commits.get();
    resident = std::max(resident, server.resident_high_water_bytes.get());
    lag.merge(server.lag);
  }
  return {{"puts", all.puts},
          {"unwanted", all.unwanted},
          {"bytes_in", all.bytes},
          {"put_seconds", all.put_seconds},
          {"most_put_seconds_of_a_client", most_put},
          {"stalls", all.stalls},
          {"stall_seconds", all.stall_seconds},
          {"most_stall_seconds_of_a_client", most_stall},
          {"client_run_seconds", most_run},
          {"raw_bytes_out", raw},
          {"encoded_bytes_out", encoded},
          {"commits", commits},
          {"mean_lag_seconds", lag.mean_seconds()},
          {"most_lag_seconds", lag.most_seconds()},
          {"most_resident_bytes_of_a_server", resident}};
}

}  // namespace

void RunReport::merge(RunReport&& other) {
  std::move(other.clients.begin(), other.clients.end(), std::back_inserter(clients));
  std::move(other.servers.begin(), other.servers.end(), std::back_inserter(servers));
}

std::vector<OutOfRange> RunReport::out_of_range() const {
  std::map<std::pair<std::string, std::string>, OutOfRange> sums;
  for (const ServerCounters& server : servers) {
    for (const OutOfRange& one : server.out_of_range) {
      if (one.values == 0) continue;
      OutOfRange& sum = sums[{one.path, one.variable}];
      sum.add(one.values, one.first_time);
      sum.path = one.path;
      sum.variable = one.variable;
      sum.type = one.type;
    }
  }
  std::vector<OutOfRange> list;
  for (auto& [key, sum] : sums) list.push_back(std::move(sum));
  return list;
}

std::vector<std::byte> RunReport::to_bytes() const {
  base::ByteWriter writer;
  const auto put_all = [&](const auto& list) {
    writer.put(static_cast<std::int64_t>(list.size()));
    for (const auto& counters : list) writer.put_all(std::span<const std::byte>(counters.to_bytes()));
  };
  put_all(clients);
  put_all(servers);
  return writer.take();
}

RunReport RunReport::from_bytes(std::span<const std::byte> bytes) {
  base::ByteReader reader(bytes);
  RunReport report;
  for (auto left = reader.get<std::int64_t>(); left > 0; --left) {
    report.clients.push_back(ClientCounters::from_bytes(reader.get_all<std::byte>()));
  }
  for (auto left = reader.get<std::int64_t>(); left > 0; --left) {
    report.servers.push_back(ServerCounters::from_bytes(reader.get_all<std::byte>()));
  }
  return report;
}

std::string RunReport::json() const {
  std::vector<ClientCounters> sorted_clients = clients;
  std::ranges::sort(sorted_clients, {},
                    [](const ClientCounters& c) { return std::tie(c.component, c.rank); });
  std::vector<ServerCounters> sorted_servers = servers;
  std::ranges::sort(sorted_servers, {}, &ServerCounters::rank);

  Json page{{"schema", "tailrace-report"}, {"version", schema_version}};
  page["run"] = {{"tailrace", info.version},
                 {"configuration", info.configuration},
                 {"mode", info.mode},
                 {"transport", info.transport},
                 {"started", info.started},
                 {"finished", info.finished},
                 {"seconds", info.seconds},
                 {"outcome", info.outcome},
                 {"drained_members", info.drained_members},
                 {"drained_bytes", info.drained_bytes},
                 {"clients", clients.size()},
                 {"servers", servers.size()}};
  page["totals"] = totals_json(sorted_clients, sorted_servers);
  page["fields"] = fields_json(sorted_clients);
  page["files"] = files_json(sorted_servers, out_of_range());
  page["inputs"] = inputs_json(sorted_servers);
  page["clients"] = Json::array();
  for (const ClientCounters& client : sorted_clients) page["clients"].push_back(client_json(client));
  page["servers"] = Json::array();
  for (const ServerCounters& server : sorted_servers) page["servers"].push_back(server_json(server));
  return page.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

void RunReport::write(env::FileSystem& files, const std::string& directory) const {
  files.make_directories(directory);
  files.write(directory + "/report.json", json());
}

}  // namespace tailrace::telemetry
