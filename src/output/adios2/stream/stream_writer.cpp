#include "output/adios2/stream/stream_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "output/adios2/library.hpp"
#include "output/adios2/stream/wire.hpp"

namespace tailrace::output::adios2::stream {
namespace {

constexpr double slack_seconds = 10.0;  // for the process, besides the time that it gives its readers

std::pair<std::string_view, std::string_view> head_and_rest(std::string_view message, std::string_view word) {
  if (!message.starts_with(word)) return {};
  return {word, message.substr(std::min(message.size(), word.size() + 1))};
}

}  // namespace

StreamWriter::StreamWriter(EngineSpec spec, std::string name)
    : spec_(std::move(spec)),
      name_(std::move(name)),
      child_(std::in_place, std::vector<std::string>{beside_library(program_name), "{socket}"}) {
  child_->send("open", bytes_of(spec_));
  const double end = env::steady_seconds() + taking_patience_seconds + slack_seconds;
  while (!is_up_ && counts_.restarts == 0 && child_->is_heard() && env::steady_seconds() < end)
    take_answers(1.0);
  if (is_up_) return;
  throw Error(ErrorCode::resource, why_.empty() ? "the process of the stream " + child_->ending() : why_);
}

StreamWriter::~StreamWriter() { end_process(); }

std::size_t StreamWriter::most_waiting() const {
  return static_cast<std::size_t>(std::max(1, spec_.options.queue - steps_in_library(spec_.options.queue)));
}

void StreamWriter::write_step(std::span<const Block> blocks) {
  const std::uint64_t number = steps_++;
  if (has_room())
    hand_over(blocks, number);
  else if (is_up_)
    ++counts_.discarded;
  else
    ++counts_.lost;
}

bool StreamWriter::has_room() {
  take_answers(0.0);
  const auto is_full = [this] { return is_up_ && child_->is_heard() && waiting_.size() >= most_waiting(); };
  if (spec_.options.when_full == WhenFull::block)
    for (double end = env::steady_seconds() + taking_patience_seconds + slack_seconds;
         is_full() && env::steady_seconds() < end;)
      take_answers(1.0);
  if (child_ && !child_->is_heard()) give_up("the process " + child_->ending());
  if (!is_full()) return is_up_;
  if (!std::exchange(said_full_, true))
    base::log_warning(
        fmt::format("{}: readers take the steps too slowly; those that find {} waiting are discarded "
                    "(`queue`, `when_full`)",
                    name_, spec_.options.queue));
  return false;
}

// What the system refuses here is the stream's loss, not the run's.
void StreamWriter::hand_over(std::span<const Block> blocks, std::uint64_t number) {
  const StepLayout layout(spec_, blocks);
  try {
    const std::size_t at = pages_for(layout.size());
    layout.fill(pages_[at].bytes());
    waiting_.push_back({number, at});
    if (!child_->send(fmt::format("step {}", number), pages_[at])) give_up("the process " + child_->ending());
  } catch (const Error& error) {
    if (error.code() != ErrorCode::resource) throw;
    if (counts_.lost++ == 0) base::log_warning(fmt::format("{}: a step is lost: {}", name_, error.what()));
  }
}

// The index of pages with that room, which are the caller's.
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

void StreamWriter::take_answers(double seconds) {
  while (child_) {
    const auto answer = child_->receive(std::exchange(seconds, 0.0));
    if (!answer) return;
    take_answer(*answer);
  }
}

void StreamWriter::take_answer(const std::string& answer) {
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

// Steps are done in their order: one before it is what the process had in hand when it died.
void StreamWriter::done_until(std::uint64_t number, bool has_peers) {
  while (!waiting_.empty() && waiting_.front().number <= number) {
    ++(waiting_.front().number < number ? counts_.lost : has_peers ? counts_.handed_over : counts_.unread);
    free_.push_back(waiting_.front().pages);
    waiting_.pop_front();
  }
}

void StreamWriter::lose_waiting() {
  counts_.lost += waiting_.size();
  for (const Waiting& step : waiting_) free_.push_back(step.pages);
  waiting_.clear();
}

void StreamWriter::give_up(const std::string& why) {
  if (std::exchange(is_over_, true)) return;
  is_up_ = false;
  lose_waiting();
  end_process();
  base::log_warning(fmt::format("{}: the stream ends here, and the run goes on: {}", name_, why));
}

void StreamWriter::close() {
  if (!is_over_) wait_for_readers();
  lose_waiting();
  is_over_ = true;
  end_process();
  base::log_info(fmt::format(
      "{}: steps that were handed over: {}, while nobody was connected: {}, discarded: {}, lost: {}; its "
      "process was "
      "begun anew {} times",
      name_, counts_.handed_over, counts_.unread, counts_.discarded, counts_.lost, counts_.restarts));
}

void StreamWriter::wait_for_readers() {
  child_->send("end");
  take_answers(0.0);
  std::size_t left = waiting_.size();
  const double patience = reader_patience_seconds + 2.0;
  for (double end = env::steady_seconds() + patience;
       is_up_ && !is_over_ && child_->is_heard() && env::steady_seconds() < end;) {
    take_answers(0.5);
    if (waiting_.size() < left) end = env::steady_seconds() + patience;
    left = waiting_.size();
  }
  if (is_up_ && !is_over_)
    base::log_warning(
        fmt::format("{}: a reader did not take the last steps within {:.0f} s; the stream ends without it",
                    name_, reader_patience_seconds));
}

// It may have made its contact file anew a moment ago.
void StreamWriter::end_process() {
  if (!child_) return;
  child_.reset();
  std::error_code ignored;
  std::filesystem::remove(spec_.path + ".sst", ignored);
}

}  // namespace tailrace::output::adios2::stream
