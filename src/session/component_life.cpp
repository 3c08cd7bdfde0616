// The second half of ServedComponent: its life on the communication thread, from the leader's ticks to closed
// files.
#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "session/component.hpp"
#include "session/stream.hpp"

namespace tailrace::session {

void ServedComponent::tell(Word word, messaging::Bytes message) {
  const std::int32_t kind = info_.number * words_per_component + static_cast<std::int32_t>(word);
  for (int server = 0; server < messenger_.size(); ++server)
    messenger_.send(server, kind, messaging::Bytes(message));
}

void ServedComponent::on_tick(const model::Tick& tick) {
  if (!started_) return early_.push_back([this, tick] { on_tick(tick); });
  if (fatal_) return;
  clock_axes_.advance(tick);
  clock_tick_ = tick;
  if (engine_ && !intake_) {  // no client here, but perhaps the root of a diagnostic
    begin_analytics(tick, clock_axes_);
    engine_->end();
  }
  for (std::size_t f = 0; f < clocks_.size(); ++f)
    if (const auto due = clocks_[f].advance(clock_axes_, tick)) carry_out(f, *due);
}

void ServedComponent::on_final_tick() {
  if (!started_) return early_.push_back([this] { on_final_tick(); });
  final_heard_ = true;
  if (fatal_) return;
  for (std::size_t f = 0; f < clocks_.size(); ++f) carry_out(f, clocks_[f].finish(clock_axes_));
}

void ServedComponent::carry_out(std::size_t file, const CommitDue& due) {
  for (const auto& stream : streams_) {
    if (stream->file != file || stream->file_axis < 0) continue;
    const output::ChunkGrid& grid = stream->geometry->grid();
    if (grid.records_per_chunk == 1) continue;
    std::vector<std::int64_t> owned;
    for (std::int64_t spatial = 0; spatial < grid.chunks_per_record(); ++spatial)
      if (chunk_owner(*stream, spatial, 0) == messenger_.rank()) owned.push_back(spatial);
    stream->assembly->flush(due.lengths[static_cast<std::size_t>(stream->file_axis)], owned);
  }
  if (info_.configuration.servers.mode == Mode::inline_) {
    Progress& progress = progress_[file];
    std::erase_if(progress.due, [&](std::int64_t step) { return step <= progress.written; });
    progress.due.push_back(due.tick.step);
  }
  if (files_[file]) files_[file]->point(due);
}

void ServedComponent::end_of_input() {
  close_gaps();
  if (engine_) engine_->end();
  input_ended_ = true;
}

void ServedComponent::finish_all_windows() {
  windows_finished_ = true;
  for (const auto& stream : streams_) {
    if (stream->file_axis < 0 || stream->copies()) continue;
    work([this, &stream = *stream] { finish_windows(stream); });
  }
}

void ServedComponent::fail(const base::Fault& fault) {
  if (fatal_) return;
  base::ByteWriter writer;
  writer.put(fault.code);
  writer.put_text(fault.message);
  tell(Word::fatal, writer.take());
  if (intake_) intake_->discard();
}

void ServedComponent::on_fault(const base::Fault& fault, bool fatal) {
  faults_.push_back(fault);
  if (intake_) intake_->raise(fault);
  if (!fatal || fatal_) return;
  fatal_ = fault;
  base::log_error(fault.message);
  if (intake_) intake_->discard();
  for (const auto& file : files_)
    if (file) file->give_up();
}

bool ServedComponent::progress() {
  bool moved = intake_ && intake_->progress();
  const bool at_work = in_work_.load(std::memory_order_acquire) > 0 || services_.executor.running() > 0;
  moved = take_delivered() || moved;
  if (engine_) moved = progress_analytics() || moved;
  const bool all_in = intake_ ? input_ended_ : final_heard_;
  if (all_in && !windows_finished_ && analytics_over()) {
    finish_all_windows();
    moved = true;
  }
  moved = outbox_.send(!at_work) || moved;
  if (info_.configuration.servers.mode == Mode::inline_) confirm_written();
  bool all_closed = true;
  for (const auto& file : files_) {
    if (!file) continue;
    moved = file->progress() || moved;
    if (const auto fault = file->take_fault()) {
      base::ByteWriter writer;
      writer.put(fault->code);
      writer.put_text(fault->message);
      tell(Word::fault, writer.take());
      moved = true;
    }
    all_closed = all_closed && file->closed();
  }
  if (input_ended_ && !final_told_ && messenger_.rank() == info_.leader && !fatal_) {
    final_told_ = true;
    tell(Word::final_tick, {});
    moved = true;
  }
  const bool done = fatal_ || !engine_ || (windows_finished_ && analytics_over());
  if (all_closed && !closed_told_ && input_over() && done && !at_work) {
    closed_told_ = true;
    tell(Word::closed, {});
    moved = true;
  }
  return moved;
}

void ServedComponent::confirm_written() {
  for (std::size_t f = 0; f < files_.size(); ++f) {
    if (!files_[f] || files_[f]->written_step() == progress_[f].said) continue;
    progress_[f].said = files_[f]->written_step();
    base::ByteWriter writer;
    writer.put(static_cast<std::int64_t>(f));
    writer.put(progress_[f].said);
    tell(Word::written, writer.take());
  }
}

bool ServedComponent::settled() const {
  if (fatal_ || !intake_ || intake_->tick().step == model::static_step) return true;
  // The blocks of the current step are still to come; the leader told of the one before it while it was in
  // that step.
  const std::int64_t done = intake_->last_step();
  if (outbox_.bytes() > 0 || clock_tick_.step < done) return false;
  return std::all_of(progress_.begin(), progress_.end(), [done](const Progress& file) {
    return std::all_of(file.due.begin(), file.due.end(),
                       [&](std::int64_t step) { return step > done || step <= file.written; });
  });
}

std::vector<telemetry::FileStatus> ServedComponent::file_status() const {
  std::vector<telemetry::FileStatus> status;
  for (const auto& file : files_)
    if (file) status.push_back(file->status());
  return status;
}

std::string ServedComponent::describe() const {
  std::string text = intake_ ? intake_->describe() : "";
  for (const auto& file : files_)
    if (file) text += file->describe();
  if (closed_told_ && closed_servers_ < messenger_.size())
    text += fmt::format("\n    component \"{}\": {} of {} servers have closed their files",
                        info_.declarations.component, closed_servers_, messenger_.size());
  return text;
}

}  // namespace tailrace::session
