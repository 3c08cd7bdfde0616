#include "output/committer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::output {

Committer::Committer(std::vector<CommittedVariable> variables, std::vector<int> dims, Mine mine)
    : variables_(std::move(variables)),
      dims_(std::move(dims)),
      mine_(std::move(mine)),
      committed_(dims_.size(), 0) {}

void Committer::point(CommitPoint&& point) {
  TAILRACE_ASSERT(point.lengths.size() == dims_.size(), "a length for each axis");
  points_.push_back(std::move(point));
  if (!expected_) expect();
}

void Committer::drop_after(std::int64_t step) {
  while (!points_.empty() && (points_.back().final || points_.back().step > step)) points_.pop_back();
  needed_.clear();
  expected_ = false;
  expect();
}

void Committer::deliver(std::size_t variable, FinishedChunk&& chunk) {
  // Two versions of a chunk may arrive out of order. An older one must never overwrite a newer one on disk.
  const int axis = variables_[variable].axis;
  if (axis >= 0 && chunk.records_end <= committed_[base::index(axis)]) return;
  const Key key{variable, chunk.record_chunk, chunk.spatial};
  Held& held = held_[key];
  if (held.chunk.records_end >= chunk.records_end) return;
  bytes_ += chunk.bytes.size() - held.chunk.bytes.size();
  held.chunk = std::move(chunk);
  held.written = false;
  const auto needed = needed_.find(key);
  if (needed != needed_.end() && held.chunk.records_end >= needed->second) needed_.erase(needed);
}

void Committer::expect() {
  if (points_.empty()) return;
  expected_ = true;
  const CommitPoint& point = points_.front();
  for (std::size_t v = 0; v < variables_.size(); ++v) {
    const CommittedVariable& variable = variables_[v];
    const std::int64_t per_chunk = variable.grid.records_per_chunk;
    std::int64_t first = 0, last = 0, length = 0;
    if (variable.axis >= 0) {
      const auto axis = base::index(variable.axis);
      const std::int64_t begin = point.begins.empty() ? 0 : point.begins[axis];
      const std::int64_t before = std::max(committed_[axis], begin);
      length = point.lengths[axis];
      if (length <= before) continue;
      first = before / per_chunk;
      last = (length - 1) / per_chunk;
    } else if (static_done_) {
      continue;
    }
    const std::int64_t spatials = variable.grid.chunks_per_record();
    for (std::int64_t record_chunk = first; record_chunk <= last; ++record_chunk) {
      const std::int64_t need = variable.axis < 0 ? 1 : std::min(length, (record_chunk + 1) * per_chunk);
      for (std::int64_t spatial = 0; spatial < spatials; ++spatial) {
        if (mine_ && !mine_(v, variable.grid, spatial, record_chunk)) continue;
        const Key key{v, record_chunk, spatial};
        const auto held = held_.find(key);
        if (held == held_.end() || held->second.chunk.records_end < need) needed_.emplace(key, need);
      }
    }
  }
}

// A chunk may already contain records after this commit. Its bytes are kept until these are committed, since
// they are part of the state that a checkpoint saves.
void Committer::take(ReadyCommit& ready, std::size_t v, Held& held, std::int64_t length) {
  const CommittedVariable& variable = variables_[v];
  held.written = true;
  const bool keeps = variable.axis >= 0 && held.chunk.records_end > length;
  const base::SharedBytes kept = keeps ? held.chunk.bytes : base::SharedBytes();
  if (!keeps) bytes_ -= held.chunk.bytes.size();
  ready.bytes += held.chunk.bytes.size();
  if (variable.contiguous) {
    ready.commit.values.push_back({variable.variable, 0, held.chunk.bytes.copy()});
  } else {
    EncodedChunk chunk{.variable = variable.variable,
                       .offset = variable.grid.corner(held.chunk.spatial),
                       .bytes = std::move(held.chunk.bytes),
                       .filtered = held.chunk.filtered,
                       .is_exact = held.chunk.is_exact,
                       .level = held.chunk.level};
    for (const codecs::lossy::Reached& reached : held.chunk.reached) chunk.reached.merge(reached);
    if (variable.axis >= 0) {
      const std::int64_t first = held.chunk.record_chunk * variable.grid.records_per_chunk;
      chunk.offset.insert(chunk.offset.begin(), first);
      chunk.committed_records = std::exchange(held.taken, held.chunk.records_end - first);
      chunk.valid_records = held.taken;
    }
    ready.commit.chunks.push_back(std::move(chunk));
  }
  held.chunk.bytes = kept;
}

std::optional<ReadyCommit> Committer::next() {
  if (points_.empty() || !needed_.empty()) return std::nullopt;
  ReadyCommit ready;
  ready.point = std::move(points_.front());
  points_.pop_front();
  const std::vector<std::int64_t>& lengths = ready.point.lengths;
  for (auto entry = held_.begin(); entry != held_.end();) {
    const auto& [v, record_chunk, spatial] = entry->first;
    const CommittedVariable& variable = variables_[v];
    const std::int64_t per_chunk = variable.grid.records_per_chunk;
    const bool part_of_it =
        variable.axis < 0 || record_chunk * per_chunk < lengths[base::index(variable.axis)];
    if (part_of_it && !entry->second.written)
      take(ready, v, entry->second, variable.axis < 0 ? 0 : lengths[base::index(variable.axis)]);
    Held& held = entry->second;
    if (variable.axis >= 0 && held.written && held.chunk.records_end <= lengths[base::index(variable.axis)]) {
      bytes_ -= held.chunk.bytes.size();
      held.chunk.bytes = {};
    }
    const bool over = variable.axis < 0 ||
                      (part_of_it && (ready.point.ends_part ||
                                      (record_chunk + 1) * per_chunk <= lengths[base::index(variable.axis)]));
    if (over) bytes_ -= entry->second.chunk.bytes.size();
    entry = over ? held_.erase(entry) : std::next(entry);
  }
  for (std::size_t axis = 0; axis < dims_.size(); ++axis) ready.commit.lengths[dims_[axis]] = lengths[axis];
  for (PlainValues& values : ready.point.values) ready.commit.values.push_back(std::move(values));
  ready.point.values.clear();
  ready.commit.attributes = std::exchange(ready.point.attributes, {});
  committed_ = lengths;
  static_done_ = true;
  finished_ = ready.point.final;
  expected_ = false;
  expect();
  return ready;
}

void Committer::for_each_waiting(
    const std::function<void(std::size_t variable, const FinishedChunk&)>& visit) const {
  TAILRACE_ASSERT(points_.empty(), "the chunks of a pending commit are not part of the state");
  for (const auto& [key, held] : held_)
    if (!held.chunk.bytes.empty() && variables_[std::get<0>(key)].axis >= 0)
      visit(std::get<0>(key), held.chunk);
}

void Committer::resume(std::vector<std::int64_t> committed, bool has_statics) {
  TAILRACE_ASSERT(committed.size() == dims_.size(), "a length for each axis");
  TAILRACE_ASSERT(points_.empty() && held_.empty(), "resume() comes before any point or chunk");
  committed_ = std::move(committed);
  static_done_ = has_statics;
}

std::string Committer::waiting_for() const {
  if (points_.empty()) return "no commit is due";
  if (needed_.empty()) return "nothing: the next commit is complete";
  const auto& [key, need] = *needed_.begin();
  return fmt::format(
      "the commit at {} s of model time lacks {} chunks, the first one of variable number {}, record {}",
      points_.front().model_time, needed_.size(), variables_[std::get<0>(key)].variable, need - 1);
}

}  // namespace tailrace::output
