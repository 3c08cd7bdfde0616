#include "telemetry/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "env/threads.hpp"

namespace tailrace::telemetry {

Trace::Trace(bool on, std::string process, int sort_index, std::size_t most_spans)
    : process_(std::move(process)), sort_index_(sort_index) {
  if (!on) return;
  wall_minus_steady_ = env::system_clock().wall_seconds() - env::steady_seconds();
  spans_.resize(most_spans);
}

void Trace::span(const char* name, std::uint64_t begin, std::uint64_t end) {
  if (!on()) return;
  const std::uint64_t index = next_.fetch_add(1, std::memory_order_relaxed);
  if (index < spans_.size()) spans_[index] = {name, begin, end, env::this_thread_number()};
}

std::uint64_t Trace::dropped() const {
  const std::uint64_t seen = next_.load(std::memory_order_relaxed);
  return seen > spans_.size() ? seen - spans_.size() : 0;
}

void Trace::write(env::FileSystem& files, const std::string& path) const {
  if (!on()) return;
  const std::size_t count = std::min<std::size_t>(next_.load(), spans_.size());
  const int process = env::process_id();
  std::string text = fmt::format(
      "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"dropped\":{}}},\"traceEvents\":[\n"
      "{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{},\"args\":{{\"name\":{}}}}},\n"
      "{{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":{},\"args\":{{\"sort_index\":{}}}}}",
      dropped(), process, nlohmann::json(process_).dump(), process, sort_index_);
  for (std::size_t k = 0; k < count; ++k) {
    const Span& span = spans_[k];
    const double begin = 1e6 * (1e-9 * static_cast<double>(span.begin) + wall_minus_steady_);
    fmt::format_to(std::back_inserter(text),
                   ",\n{{\"ph\":\"X\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f}}}",
                   span.name, process, span.thread, begin, 1e-3 * static_cast<double>(span.end - span.begin));
  }
  text += "\n]}\n";
  files.write(path, text);
}

}  // namespace tailrace::telemetry
