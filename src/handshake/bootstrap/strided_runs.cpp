#include "handshake/bootstrap/strided_runs.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::handshake {
namespace {

constexpr std::int32_t limit = 1 << 30;

}  // namespace

StridedRuns::StridedRuns(std::initializer_list<int> values) {
  for (const int value : values) push_back(value);
}

StridedRuns::StridedRuns(const std::vector<int>& values) {
  for (const int value : values) push_back(value);
}

// The second element of a run sets its step.
void StridedRuns::push_back(int value) {
  TAILRACE_ASSERT(value >= -limit && value < limit, "numbers of ranks are small");
  const std::int32_t place = size_++;
  if (!runs_.empty()) {
    Run& last = runs_.back();
    if (place == last.begin + 1) last.step = value - last.first;
    const std::int64_t next = last.first + std::int64_t{place - last.begin} * last.step;
    if (next == value) return;
  }
  runs_.push_back({place, value, 0});
}

int StridedRuns::operator[](std::size_t place) const {
  const auto wanted = static_cast<std::int32_t>(place);
  const auto behind = std::ranges::upper_bound(runs_, wanted, {}, [](const Run& run) { return run.begin; });
  return std::prev(behind)->at(wanted);
}

int StridedRuns::back() const { return runs_.back().at(size_ - 1); }

std::vector<std::pair<std::size_t, std::size_t>> StridedRuns::stretches_of(int value) const {
  std::vector<std::pair<std::size_t, std::size_t>> found;
  const auto add = [&](std::int32_t begin, std::int32_t end) {
    const auto from = static_cast<std::size_t>(begin), to = static_cast<std::size_t>(end);
    if (!found.empty() && found.back().second == from)
      found.back().second = to;
    else
      found.emplace_back(from, to);
  };
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const Run& run = runs_[i];
    const std::int32_t count = end_of(i) - run.begin;
    if (run.step == 0) {
      if (run.first == value) add(run.begin, run.begin + count);
    } else if ((value - run.first) % run.step == 0) {
      const std::int32_t steps = (value - run.first) / run.step;
      if (steps >= 0 && steps < count) add(run.begin + steps, run.begin + steps + 1);
    }
  }
  return found;
}

std::optional<std::size_t> StridedRuns::find(int value) const {
  const auto found = stretches_of(value);
  if (found.empty()) return std::nullopt;
  return found.front().first;
}

std::size_t StridedRuns::count(int value) const {
  std::size_t all = 0;
  for (const auto& [begin, end] : stretches_of(value)) all += end - begin;
  return all;
}

void StridedRuns::put(base::ByteWriter& writer) const {
  writer.put(size_);
  writer.put_all(std::span<const Run>(runs_));
}

StridedRuns StridedRuns::get(base::ByteReader& reader) {
  StridedRuns sequence;
  sequence.size_ = reader.get<std::int32_t>();
  sequence.runs_ = reader.get_all<Run>();
  std::int32_t next = 0;
  for (std::size_t i = 0; i < sequence.runs_.size(); ++i) {
    const Run& run = sequence.runs_[i];
    TAILRACE_ASSERT(i == 0 ? run.begin == 0 : run.begin >= next, "runs are in ascending order");
    next = run.begin + 1;
    const std::int64_t last = run.first + (std::int64_t{sequence.end_of(i)} - 1 - run.begin) * run.step;
    TAILRACE_ASSERT(run.first >= -limit && run.first < limit && last >= -limit && last < limit,
                    "numbers of ranks are small");
  }
  TAILRACE_ASSERT(sequence.size_ >= next && (sequence.runs_.empty() == (sequence.size_ == 0)),
                  "the size is that of the runs");
  return sequence;
}

}  // namespace tailrace::handshake
