#include "output/adios2/stream/stream_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/programs.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/stream/wire.hpp"

namespace tailrace::output::adios2::stream {
namespace {

constexpr double slack_seconds = 10.0;  // for the process, besides the time that it gives its readers

std::pair<std::string_view, std::string_view> head_and_rest(std::string_view message, std::string_view word) {
  if (!message.starts_with(word)) return {};
  return {word, message.substr(std::min(message.size(), word.size() + 1))};
}

consumer::QueueLimits limits_of(const Options& options) {
  return {.steps = static_cast<std::size_t>(std::max(1, options.queue - steps_in_library(options.queue))),
          .waits = options.when_full == WhenFull::block,
          .patience = taking_patience_seconds + slack_seconds};
}

}  // namespace

StreamWriter::StreamWriter(EngineSpec spec, std::string name)
    : StepQueue({env::beside_library(program_name), "{socket}"}, limits_of(spec.options)),
      spec_(std::move(spec)),
      name_(std::move(name)) {
  child_->send("open", bytes_of(spec_));
  const double end = env::steady_seconds() + taking_patience_seconds + slack_seconds;
  while (!is_up_ && counts_.restarts == 0 && child_->is_heard() && env::steady_seconds() < end)
    take_answers(1.0);
  if (is_up_) return;
  throw Error(ErrorCode::resource, why_.empty() ? "the process of the stream " + child_->ending() : why_);
}

StreamWriter::~StreamWriter() { stop(); }

void StreamWriter::write_step(std::span<const Block> blocks) {
  const std::uint64_t number = steps_++;
  const Room room = look_for_room();
  if (room == Room::full) ++counts_.discarded;
  if (room == Room::closed) ++counts_.lost;
  if (room != Room::free) return;
  const StepLayout layout(spec_, blocks);
  hand_over(number, [&](Waiting& step) {
    step.place = pages_for(layout.size());
    layout.fill(pages_[step.place].bytes());
    return child_->send(fmt::format("step {}", number), pages_[step.place]);
  });
}

void StreamWriter::refused(const Error& error) {
  if (counts_.lost++ == 0) base::log_warning(fmt::format("{}: a step is lost: {}", name_, error.what()));
}

std::string StreamWriter::warning_when_full() const {
  return fmt::format(
      "{}: readers take the steps too slowly; those that find {} waiting are discarded (`queue`, "
      "`when_full`)",
      name_, spec_.options.queue);
}

// The index of pages with room for that size, now the caller's.
std::size_t StreamWriter::pages_for(std::size_t size) {
  if (free_.empty()) {
    pages_.emplace_back(size);
    return pages_.size() - 1;
  }
  const std::size_t at = free_.back();
  if (pages_[at].bytes().size() < size) pages_[at] = env::SharedPages(size);
  free_.pop_back();
  return at;
}

void StreamWriter::answered(const std::string& answer) {
  if (const auto [word, rest] = head_and_rest(answer, "done"); !word.empty())
    done_until(std::stoull(std::string(rest)), !rest.ends_with(" 0"));
  if (answer == "open") {
    is_up_ = true;
    why_.clear();
  }
  if (const auto [word, rest] = head_and_rest(answer, "failed"); !word.empty()) why_ = rest;
  if (const auto [word, rest] = head_and_rest(answer, "given up"); !word.empty()) give_up(std::string(rest));
  if (const auto [word, rest] = head_and_rest(answer, "left"); !word.empty()) {
    base::log_warning(fmt::format("{}: {}", name_, rest));
    is_over_ = true;
  }
  if (answer == "closed") is_over_ = true;
  const auto [word, rest] = head_and_rest(answer, "died");
  if (word.empty()) return;
  ++counts_.restarts;
  if (why_.empty()) why_ = fmt::format("the process of the stream {}", rest);
  if (std::exchange(is_up_, false))
    base::log_warning(
        fmt::format("{}: {}; it is begun anew, and readers have to connect again", name_, why_));
}

// Steps are done in order. An earlier one that is still here is what the process was busy with when it died.
void StreamWriter::done_until(std::uint64_t number, bool has_peers) {
  while (!waiting_.empty() && waiting_.front().number <= number) {
    ++(waiting_.front().number < number ? counts_.lost : has_peers ? counts_.handed_over : counts_.unread);
    free_.push_back(waiting_.front().place);
    waiting_.pop_front();
  }
}

void StreamWriter::lose_waiting() {
  counts_.lost += waiting_.size();
  for (const Waiting& step : waiting_) free_.push_back(step.place);
  waiting_.clear();
}

void StreamWriter::give_up(const std::string& why) {
  if (std::exchange(is_over_, true)) return;
  is_up_ = false;
  lose_waiting();
  stop();
  base::log_warning(fmt::format("{}: the stream ends here, and the run goes on: {}", name_, why));
}

void StreamWriter::close() {
  const double patience = reader_patience_seconds + 2.0;
  if (!is_over_ && !finish("end", patience, true))
    base::log_warning(
        fmt::format("{}: a reader did not take the last steps within {:.0f} s; the stream ends without it",
                    name_, reader_patience_seconds));
  lose_waiting();
  is_over_ = true;
  stop();
  base::log_info(fmt::format(
      "{}: steps that were handed over: {}, while nobody was connected: {}, discarded: {}, lost: {}; its "
      "process was "
      "begun anew {} times",
      name_, counts_.handed_over, counts_.unread, counts_.discarded, counts_.lost, counts_.restarts));
}

// Its process may have made its contact file anew a moment ago.
void StreamWriter::stop() {
  if (!child_) return;
  end_process();
  std::error_code ignored;
  std::filesystem::remove(spec_.path + ".sst", ignored);
}

}  // namespace tailrace::output::adios2::stream
