#include "telemetry/counters.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::telemetry {
namespace {

// A list of members for each struct, which serves both to write and to read it, so that the two always match.
// `S` is the struct, const when it is written.
template <class S, class Visitor>
void visit_timings(S& timings, Visitor& visit) {
  visit(timings.count);
  visit(timings.nanoseconds);
  visit(timings.most_nanoseconds);
  visit(timings.histogram);
}

template <class S, class Visitor>
void visit_field(S& field, Visitor& visit) {
  visit(field.name);
  visit(field.unwanted);
  visit(field.bytes);
  visit_timings(field.put, visit);
  visit_timings(field.stall, visit);
  if (!visit.flag(field.get.count.get() > 0)) return;
  visit_timings(field.get, visit);
  visit_timings(field.wait, visit);
  visit(field.got_bytes);
}

template <class S, class Visitor>
void visit_client(S& client, Visitor& visit) {
  visit(client.component);
  visit(client.rank);
  visit(client.host);
  visit.resize(client.fields);
  for (auto& field : client.fields) visit_field(field, visit);
  visit_timings(client.step, visit);
  visit_timings(client.checkpoint, visit);
  visit(client.ready_nanoseconds);
  visit(client.finish_nanoseconds);
  visit(client.run_nanoseconds);
  visit(client.buffer_capacity_bytes);
  visit(client.buffer_high_water_bytes);
  visit(client.spilled_packets);
  visit(client.spilled_bytes);
  visit(client.resident_high_water_bytes);
  visit(client.model_seconds);
}

template <class S, class Visitor>
void visit_kept(S& kept, Visitor& visit) {
  visit(kept.variable);
  visit(kept.bound);
  visit(kept.chunks);
  visit(kept.exact_chunks);
  visit(kept.absolute);
  visit(kept.relative);
  visit(kept.fewest_bits);
  for (auto& chunks : kept.at_level) visit(chunks);
}

template <class S, class Visitor>
void visit_file(S& file, Visitor& visit) {
  visit(file.path);
  visit(file.raw_bytes);
  visit(file.encoded_bytes);
  visit(file.disk_bytes);
  visit(file.records);
  visit(file.commits);
  visit_timings(file.write, visit);
  visit(file.last_model_time);
  visit(file.skipped);
  visit.resize(file.kept);
  for (auto& kept : file.kept) visit_kept(kept, visit);
  visit(file.handed_over_steps);
  visit(file.unread_steps);
  visit(file.discarded_steps);
  visit(file.lost_steps);
  visit(file.restarts);
}

template <class S, class Visitor>
void visit_input(S& input, Visitor& visit) {
  visit(input.component);
  visit(input.field);
  visit_timings(input.reads, visit);
  visit(input.bytes_read);
  visit(input.failures);
  visit_timings(input.late, visit);
  visit(input.last_late_nanoseconds);
}

template <class S, class Visitor>
void visit_out_of_range(S& one, Visitor& visit) {
  visit(one.path);
  visit(one.variable);
  visit(one.type);
  visit(one.values);
  visit(one.first_time);
}

template <class S, class Visitor>
void visit_server(S& server, Visitor& visit) {
  visit(server.rank);
  visit(server.host);
  visit(server.threads);
  for (auto& phase : server.phases) visit_timings(phase, visit);
  visit(server.bytes_in);
  visit(server.packets_in);
  visit(server.raw_bytes_out);
  visit(server.encoded_bytes_out);
  visit(server.messages_sent);
  visit(server.message_bytes_sent);
  MemoryAccount::visit(server.held, visit);
  visit(server.commits);
  visit_timings(server.lag, visit);
  visit(server.checkpoints);
  visit(server.checkpoint_bytes);
  visit_timings(server.checkpoint_seconds, visit);
  visit_timings(server.burst_buffer.seconds, visit);
  visit(server.burst_buffer.bytes);
  visit(server.burst_buffer.high_water_bytes);
  visit(server.burst_buffer.overflowed);
  visit(server.last_lag_nanoseconds);
  visit(server.lag_series);
  visit(server.run_nanoseconds);
  visit(server.resident_high_water_bytes);
  visit.resize(server.files);
  for (auto& file : server.files) visit_file(file, visit);
  visit.resize(server.inputs);
  for (auto& input : server.inputs) visit_input(input, visit);
  visit.resize(server.out_of_range);
  for (auto& one : server.out_of_range) visit_out_of_range(one, visit);
}

struct Writing {
  base::ByteWriter bytes;

  template <bool shared>
  void operator()(const BasicCounter<shared>& counter) {
    bytes.put(counter.get());
  }
  // Only buckets that are not empty: there are two histograms for each field of each client.
  template <bool shared>
  void operator()(const Histogram<shared>& histogram) {
    std::int64_t filled = 0;
    for (std::size_t k = 0; k < histogram.size(); ++k) filled += histogram[k] > 0;
    bytes.put(filled);
    for (std::size_t k = 0; k < histogram.size(); ++k) {
      if (histogram[k] == 0) continue;
      bytes.put(static_cast<std::int64_t>(k));
      bytes.put(histogram[k]);
    }
  }
  void operator()(const std::string& text) { bytes.put_text(text); }
  void operator()(int value) { bytes.put(value); }
  void operator()(double value) { bytes.put(value); }
  void operator()(std::uint64_t value) { bytes.put(value); }
  void operator()(const Series& series) { bytes.put_all(std::span<const Series::Point>(series.points())); }
  bool flag(bool value) {
    bytes.put(value);
    return value;
  }
  template <class List>
  void resize(const List& list) {
    bytes.put(static_cast<std::int64_t>(list.size()));
  }
};

struct Reading {
  base::ByteReader bytes;

  template <bool shared>
  void operator()(BasicCounter<shared>& counter) {
    counter.set(bytes.get<std::uint64_t>());
  }
  template <bool shared>
  void operator()(Histogram<shared>& histogram) {
    for (auto left = bytes.get<std::int64_t>(); left > 0; --left) {
      const auto bucket = bytes.get<std::int64_t>();
      TAILRACE_ASSERT(bucket >= 0 && static_cast<std::size_t>(bucket) < Buckets::count,
                      "a message has an invalid bucket of a histogram");
      histogram.add(static_cast<std::size_t>(bucket), bytes.get<std::uint64_t>());
    }
  }
  void operator()(std::string& text) { text = bytes.get_text(); }
  void operator()(int& value) { value = bytes.get<int>(); }
  void operator()(double& value) { value = bytes.get<double>(); }
  void operator()(std::uint64_t& value) { value = bytes.get<std::uint64_t>(); }
  void operator()(Series& series) {
    const auto points = bytes.get_all<Series::Point>();
    series = Series(std::max<std::size_t>(points.size(), 512));
    for (const Series::Point& point : points) series.add(point.at, point.value);
  }
  bool flag(bool) { return bytes.get<bool>(); }
  template <class List>
  void resize(List& list) {
    const auto count = bytes.get<std::int64_t>();
    TAILRACE_ASSERT(count >= 0 && static_cast<std::size_t>(count) <= bytes.rest().size(),
                    "the message is truncated");
    list.resize(static_cast<std::size_t>(count));
  }
};

}  // namespace

const char* phase_name(Phase phase) {
  static constexpr std::array<const char*, phase_count> names{
      "receive", "analyse", "accumulate", "regrid", "assemble", "encode", "write", "message", "idle"};
  return names[base::index(phase)];
}

std::vector<std::byte> ClientCounters::to_bytes() const {
  Writing writing;
  visit_client(*this, writing);
  return writing.bytes.take();
}

ClientCounters ClientCounters::from_bytes(std::span<const std::byte> bytes) {
  Reading reading{base::ByteReader(bytes)};
  ClientCounters client;
  visit_client(client, reading);
  return client;
}

std::vector<std::byte> ServerCounters::to_bytes() const {
  Writing writing;
  visit_server(*this, writing);
  return writing.bytes.take();
}

ServerCounters ServerCounters::from_bytes(std::span<const std::byte> bytes) {
  Reading reading{base::ByteReader(bytes)};
  ServerCounters server;
  visit_server(server, reading);
  return server;
}

void OutOfRange::add(std::uint64_t more, double time) {
  first_time = values == 0 ? time : std::min(first_time, time);
  values += more;
}

DatasetCounters& ServerCounters::add_file(const std::string& path) {
  files.emplace_back().path = path;
  return files.back();
}

InputCounters& ServerCounters::add_input(const std::string& component, const std::string& field) {
  inputs.emplace_back().component = component;
  inputs.back().field = field;
  return inputs.back();
}

void ServerCounters::committed(double at, double lag_seconds) {
  commits.add();
  lag.record_seconds(lag_seconds);
  last_lag_nanoseconds.set(static_cast<std::uint64_t>(std::max(lag_seconds, 0.0) * 1e9));
  lag_series.add(at, lag_seconds);
}

}  // namespace tailrace::telemetry
