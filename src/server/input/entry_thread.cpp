#include "server/input/entry_thread.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/threads.hpp"
#include "input/reader/reader_process.hpp"

namespace tailrace::server {
namespace {

// A file that is late is looked for so often.
constexpr double longest_pause = 1.0;
constexpr double shortest_pause = 0.01;
constexpr double tries = 20.0;  // while it is awaited, if that is not for long

// How long a stream is listened to at a time; meanwhile no record of its entry is read.
constexpr double stream_look = 0.05;

}  // namespace

// Whether the exception that is being handled is the end of the reader's process, which a new one may repair.
bool EntryThread::is_lost() {
  try {
    throw;
  } catch (const input::ReaderError& error) {
    return error.trouble() == input::ReaderTrouble::lost || error.trouble() == input::ReaderTrouble::late;
  } catch (...) {
    return false;
  }
}

// Whether the exception that is being handled is about a file that may still come, or become complete.
bool EntryThread::may_come_later() {
  try {
    throw;
  } catch (const input::ReaderError& error) {
    using Trouble = input::ReaderTrouble;
    return error.trouble() == Trouble::absent || error.trouble() == Trouble::late ||
           error.trouble() == Trouble::other;
  } catch (const Error& error) {
    return error.code() == ErrorCode::resource;
  } catch (...) {
    return false;
  }
}

EntryThread::EntryThread(Options options) : options_(std::move(options)) {
  if (options_.has_thread) thread_ = std::thread([this] { run(); });
}

EntryThread::~EntryThread() {
  {
    const base::MutexLock lock(mutex_);
    stopping_ = true;
    if (made_ != nullptr) made_->interrupt();
  }
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

std::optional<EntryThread::Prepared> EntryThread::take_prepared() {
  const base::MutexLock lock(mutex_);
  return std::exchange(prepared_, std::nullopt);
}

void EntryThread::read(const RecordRead& read) {
  Job job;
  job.read = read;
  if (!read.is_ahead) set_give_up(job);
  {
    const base::MutexLock lock(mutex_);
    jobs_.push_back(job);
  }
  wake_.notify_all();
}

void EntryThread::hurry(int field, std::int64_t place) {
  const base::MutexLock lock(mutex_);
  const auto look_at = [&](Job& job) {
    if (!job.is(field, place) || !job.read.is_ahead) return;
    job.read.is_ahead = false;
    set_give_up(job);
  };
  for (Job& job : jobs_) look_at(job);
  if (in_work_) look_at(*in_work_);
}

void EntryThread::drop(int field, std::int64_t place) {
  const base::MutexLock lock(mutex_);
  std::erase_if(jobs_, [&](const Job& job) { return job.is(field, place); });
  if (in_work_ && in_work_->is(field, place)) in_work_->is_dropped = true;
}

std::vector<RecordReadEnd> EntryThread::take_ends() {
  const base::MutexLock lock(mutex_);
  return std::exchange(ends_, {});
}

void EntryThread::set_give_up(Job& job) const { job.give_up = env::steady_seconds() + options_.wait_for; }

double EntryThread::pause() const {
  return std::clamp(options_.wait_for / tries, shortest_pause, longest_pause);
}

bool EntryThread::has_work(double now) const {
  if (!is_prepared_) return now >= next_try_to_prepare_;
  return (growth_job_ && now >= growth_job_->not_before) ||
         std::ranges::any_of(jobs_, [now](const Job& job) { return now >= job.not_before; });
}

// Records that are needed come first, then further ones, then those ahead.
bool EntryThread::needs_growth(double now) const {
  return growth_job_ && now >= growth_job_->not_before && std::ranges::none_of(jobs_, [now](const Job& job) {
           return now >= job.not_before && !job.read.is_ahead;
         });
}

// Those that a client needs come first, then those that were requested first.
EntryThread::Job EntryThread::take_job(double now) {
  auto best = jobs_.end();
  for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
    if (now < job->not_before) continue;
    if (best == jobs_.end() || (best->read.is_ahead && !job->read.is_ahead)) best = job;
  }
  Job taken = *best;
  jobs_.erase(best);
  return taken;
}

void EntryThread::run() {
  env::name_this_thread("tailrace-input");
  for (;;) {
    {
      base::MutexLock lock(mutex_);
      while (!stopping_ && !has_work(env::steady_seconds())) {
        if (!is_prepared_ || !jobs_.empty() || growth_job_)
          wake_.wait_for(mutex_, pause());
        else
          wake_.wait(mutex_);
      }
      if (stopping_) return;
    }
    step();
  }
}

bool EntryThread::work() { return !options_.has_thread && step(); }

bool EntryThread::step() {
  std::optional<RecordRead> read;
  bool grows = false;
  {
    const base::MutexLock lock(mutex_);
    const double now = env::steady_seconds();
    if (!has_work(now)) return false;
    grows = is_prepared_ && needs_growth(now);
    if (is_prepared_ && !grows) {
      in_work_ = take_job(now);
      read = in_work_->read;
    }
  }
  if (read)
    do_read(*read);
  else if (grows)
    do_grow();
  else
    prepare();
  return true;
}

void EntryThread::make_reader() {
  reader_ = options_.make_reader();
  const base::MutexLock lock(mutex_);
  made_ = reader_.get();
  if (stopping_) made_->interrupt();
}

bool EntryThread::is_stopping() {
  const base::MutexLock lock(mutex_);
  return stopping_;
}

void EntryThread::prepare() {
  if (!give_up_preparing_) give_up_preparing_ = env::steady_seconds() + options_.wait_for;
  Prepared prepared;
  bool tries_again = false;
  try {
    if (!reader_) make_reader();
    prepared.fields = reader_->prepare();
    for (const input::PreparedField& field : prepared.fields) fields_.emplace(field.field, field);
  } catch (...) {
    prepared.fault = base::current_fault();
    tries_again = may_come_later() && env::steady_seconds() < *give_up_preparing_ && !is_stopping();
    if (tries_again && !std::exchange(is_late_, true))
      base::log_warning(prepared.fault->message + "; it is awaited");
  }
  {
    const base::MutexLock lock(mutex_);
    if (tries_again) {
      next_try_to_prepare_ = env::steady_seconds() + pause();
      return;
    }
    is_prepared_ = true;
    prepared_ = std::move(prepared);
  }
  options_.ring();
}

bool EntryThread::retries(const Job& job, double now) const {
  return options_.wait_for > 0.0 && (!job.give_up || now < *job.give_up);
}

void EntryThread::do_read(const RecordRead& read) {
  RecordReadEnd end{read, nullptr, {}, 0.0};
  bool may_come = false, lost = false;
  const double begin = env::steady_seconds();
  try {
    end.values =
        std::make_shared<const input::RecordValues>(reader_->read(fields_.at(read.field), read.record));
  } catch (...) {
    end.fault = base::current_fault();
    may_come = may_come_later();
    lost = is_lost();
  }
  const double now = env::steady_seconds();
  end.seconds = now - begin;
  {
    const base::MutexLock lock(mutex_);
    Job job = *std::exchange(in_work_, std::nullopt);
    if (job.is_dropped || stopping_) return;
    if (lost && !std::exchange(job.was_lost, true)) {
      base::log_warning(end.fault.message + "; it is read again in a new process");
      jobs_.push_back(job);
      return;
    }
    if (may_come && retries(job, now)) {
      if (!std::exchange(job.is_late, true)) base::log_warning(end.fault.message + "; it is awaited");
      job.not_before = now + pause();
      jobs_.push_back(job);
      return;
    }
    ends_.push_back(std::move(end));
  }
  options_.ring();
}

void EntryThread::grow(bool is_needed) {
  {
    const base::MutexLock lock(mutex_);
    if (growth_is_over_ || growth_) return;
    if (!growth_job_) growth_job_.emplace(GrowthJob{});
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
