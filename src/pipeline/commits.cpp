#include "pipeline/commits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "plan/memory_needs.hpp"

namespace tailrace::pipeline {
namespace {

std::string clock_name(const Blueprint& blueprint, std::size_t file) {
  return fmt::format("files/{}/clock/", blueprint.plan.files[file].entry.path);
}

}  // namespace

Commits::Commits(const Blueprint& blueprint, ControlChannel& control)
    : blueprint_(blueprint),
      control_(control),
      axes_(blueprint.plan, blueprint.info.begin),
      sinks_(blueprint.plan.files.size()) {
  control_.on_broadcast_from_any(ControlMessage::cut,
                                 [this](const messaging::Bytes& message) { on_cut(message); });
}

void Commits::start_clocks(std::vector<std::vector<std::size_t>> bytes_per_record, Flush flush) {
  flush_ = std::move(flush);
  const plan::Plan& plan = blueprint_.plan;
  const std::size_t most_bytes = plan::most_bytes_of_commit(blueprint_.info.memory, plan);
  for (std::size_t f = 0; f < plan.files.size(); ++f)
    clocks_.emplace_back(
        plan.files[f], f, plan.calendar, axes_.begin(),
        plan::ClockLimits{.bytes_per_record = std::move(bytes_per_record[f]), .most_bytes = most_bytes});
}

void Commits::create_sinks(const sinks::Owners& owners, sinks::SinkServices services) {
  const std::vector<plan::DatasetPlan>& files = blueprint_.plan.files;
  const int commits_at_a_time = plan::commits_at_a_time(blueprint_.info.configuration.servers.mode);
  plan::FormatBytes formats;
  for (std::size_t f = 0; f < files.size(); ++f) {
    sinks_[f] = sinks::make_sink({.plan = files[f],
                                  .layout = blueprint_.layouts[f],
                                  .file = f,
                                  .server = control_.rank(),
                                  .owners = owners},
                                 services);
    if (sinks_[f]->writes()) formats.add(files[f], commits_at_a_time);
  }
  cache_bytes_ = formats.caches + formats.objects;
}

void Commits::advance(const model::Tick& tick) {
  axes_.advance(tick);
  if (const auto warning = axes_.take_clock_warning(); warning && control_.rank() == blueprint_.info.leader)
    base::log_warning(fmt::format("component \"{}\": {}", blueprint_.info.declarations.component, *warning));
  tick_ = tick;
  for (std::size_t f = 0; f < clocks_.size(); ++f)
    if (const auto due = clocks_[f].advance(axes_, tick)) carry_out(f, *due);
}

void Commits::finish() {
  for (std::size_t f = 0; f < clocks_.size(); ++f) carry_out(f, clocks_[f].finish(axes_));
}

void Commits::commit_until(const model::Tick& tick) {
  for (std::size_t f = 0; f < clocks_.size(); ++f)
    if (const auto due = clocks_[f].commit_until(axes_, tick)) carry_out(f, *due);
  write_soon();
}

void Commits::write_soon() {
  for (const auto& sink : sinks_)
    if (sink) sink->write_soon();
}

void Commits::cut(const model::Tick& tick) {
  for (std::size_t f = 0; f < clocks_.size(); ++f) {
    const auto last = sinks_[f]->cut(tick, clocks_[f].gathered(axes_));
    if (!last) continue;
    base::ByteWriter writer;
    writer.put(static_cast<std::int64_t>(f));
    writer.put_all(std::span<const std::int64_t>(last->lengths));
    control_.broadcast_from_any(ControlMessage::cut, writer.take());
  }
}

void Commits::on_cut(const messaging::Bytes& message) {
  base::ByteReader reader(message);
  const auto file = base::index(reader.get<std::int64_t>());
  plan::CommitDue due;
  due.lengths = reader.get_all<std::int64_t>();
  flush_(file, due);
}

void Commits::carry_out(std::size_t file, const plan::CommitDue& due) {
  flush_(file, due);
  if (sinks_[file]) sinks_[file]->point(due);
}

void Commits::give_up() {
  for (const auto& sink : sinks_)
    if (sink) sink->give_up();
}

bool Commits::progress() {
  bool moved = false;
  for (const auto& sink : sinks_) {
    if (!sink) continue;
    moved = sink->progress() || moved;
    if (const auto fault = sink->take_fault()) {
      control_.tell(*fault);
      moved = true;
    }
  }
  return moved;
}

bool Commits::closed() const {
  return std::all_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return !sink || sink->closed(); });
}

std::size_t Commits::bytes() const {
  std::size_t bytes = 0;
  for (const auto& sink : sinks_)
    if (sink) bytes += sink->bytes();
  return bytes;
}

std::size_t Commits::due_bytes(std::int64_t step) const {
  std::size_t bytes = 0;
  for (const auto& sink : sinks_)
    if (sink) bytes += sink->due_bytes(step);
  return bytes;
}

std::size_t Commits::due_within_shares(std::size_t bytes, std::int64_t step) const {
  const auto is_open = [](const auto& sink) { return sink && sink->writes() && !sink->closed(); };
  const auto files = static_cast<std::size_t>(std::ranges::count_if(sinks_, is_open));
  std::size_t due = 0;
  for (const auto& sink : sinks_)
    if (is_open(sink)) due += std::min(sink->due_bytes(step), bytes / files + 1);
  return due;
}

std::vector<telemetry::DatasetStatus> Commits::status() const {
  std::vector<telemetry::DatasetStatus> all;
  for (const auto& sink : sinks_)
    if (sink)
      if (auto status = sink->status()) all.push_back(std::move(*status));
  return all;
}

std::string Commits::describe() const {
  std::string text;
  for (const auto& sink : sinks_)
    if (sink) text += sink->describe();
  return text;
}

bool Commits::at_rest() const {
  return std::all_of(sinks_.begin(), sinks_.end(), [](const auto& sink) { return sink->at_rest(); });
}

std::vector<plan::Pending> Commits::pending() const {
  std::vector<plan::Pending> all;
  for (const plan::CommitClock& clock : clocks_) all.push_back(clock.pending());
  return all;
}

void Commits::save(model::StateSaver& saver) const {
  axes_.save(model::NumberSaver(saver, "axes/"));
  model::NumberSaver commits(saver, "commits/");
  commits("step", tick_.step);
  commits("time", tick_.time);
  for (std::size_t f = 0; f < clocks_.size(); ++f) {
    clocks_[f].save(model::NumberSaver(saver, clock_name(blueprint_, f)));
    sinks_[f]->save(saver, clocks_[f].pending());
  }
}

void Commits::load(const model::StateLoader& loader) {
  axes_.load(model::NumberLoader(loader, "axes/"));
  model::NumberLoader commits(loader, "commits/");
  commits("step", tick_.step);
  commits("time", tick_.time);
  for (std::size_t f = 0; f < clocks_.size(); ++f) {
    if (blueprint_.plan.files[f].is_unsaved) continue;
    clocks_[f].load(model::NumberLoader(loader, clock_name(blueprint_, f)));
    sinks_[f]->load(loader, clocks_[f].pending());
  }
}

}  // namespace tailrace::pipeline
