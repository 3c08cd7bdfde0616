// The records of an entry that come while the model runs.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "server/input/entry_thread.hpp"

namespace tailrace::server {
namespace {

// How long a stream is listened to at a time; meanwhile no record of its entry is read.
constexpr double stream_look = 0.05;

}  // namespace

void EntryThread::grow(bool is_needed) {
  {
    const base::MutexLock lock(mutex_);
    if (growth_is_over_ || growth_) return;
    if (!growth_job_) growth_job_.emplace();
    if (is_needed && !std::exchange(growth_job_->is_needed, true) && options_.wait_for > 0.0)
      growth_job_->give_up = env::steady_seconds() + options_.wait_for;
  }
  wake_.notify_all();
}

std::optional<EntryThread::Growth> EntryThread::take_growth() {
  const base::MutexLock lock(mutex_);
  return std::exchange(growth_, std::nullopt);
}

bool EntryThread::is_over() const {
  return std::ranges::none_of(fields_, [](const auto& one) { return one.second.may_grow; });
}

// None: nothing has come yet.
std::optional<EntryThread::Growth> EntryThread::growth_now() {
  Growth growth;
  bool has_come = false;
  // In two passes: if one field is refused, none has grown.
  const std::vector<input::PreparedField> grown = reader_->grow(options_.has_thread ? stream_look : 0.0);
  for (const input::PreparedField& now : grown) {
    const input::PreparedField& known = fields_.at(now.field);
    if (!known.may_grow) continue;
    input::FurtherRecords further = input::further_in(known, now);
    has_come = has_come || !further.files.empty() || !further.records.empty();
    growth.fields.emplace_back(now.field, std::move(further));
  }
  for (const auto& [field, further] : growth.fields) input::lengthen(fields_.at(field), further);
  for (const input::PreparedField& now : grown) fields_.at(now.field).may_grow = now.may_grow;
  if (is_over()) growth.end = base::Fault{ErrorCode::resource, "its stream has ended, and no record follows"};
  if (!has_come && !growth.end) return std::nullopt;
  return growth;
}

void EntryThread::do_grow() {
  std::optional<Growth> growth;
  std::optional<base::Fault> trouble;
  bool may_come = true;
  try {
    growth = growth_now();
  } catch (...) {
    trouble = base::current_fault();
    may_come = options_.wait_for > 0.0 && (may_come_later() || is_lost());
  }
  const double now = env::steady_seconds();
  {
    const base::MutexLock lock(mutex_);
    if (stopping_) return;
    GrowthJob& job = *growth_job_;
    if (trouble && may_come && !job.trouble) base::log_warning(trouble->message + "; it is awaited");
    if (trouble) job.trouble = trouble;
    if (!growth && may_come && (!job.give_up || now < *job.give_up)) {
      job.not_before = now + pause();
      return;
    }
    if (!growth) growth = Growth{{}, job.trouble.value_or(nothing_came())};
    growth_is_over_ = growth->end.has_value();
    growth_ = std::move(growth);
    growth_job_.reset();
  }
  options_.ring();
}

base::Fault EntryThread::nothing_came() const {
  return {ErrorCode::resource,
          fmt::format("no file with a later record has come within {} s (`wait_for`)", options_.wait_for)};
}

}  // namespace tailrace::server
