#include "pipeline/served_component.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "env/clock.hpp"
#include "pipeline/memory_need.hpp"
#include "pipeline/regridding/coarsening.hpp"
#include "plan/analysis.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::pipeline {
namespace {

constexpr std::size_t enough_at_work = std::size_t{32} << 20;
constexpr double nearly_full = 0.9;
constexpr double seconds_between_counts = 1e-3;
constexpr std::size_t steps_for_others =
    16;  // steps that may wait in mode inline, as in the buffer of other modes
// Fractions of a server's memory:
constexpr std::size_t slab_share = 8;     // memory to be reused
constexpr std::size_t engine_share = 4;   // steps in the engine
constexpr std::size_t backlog_share = 4;  // due commits of the files of one server
constexpr std::size_t moving_share = 2;   // pieces and chunks in transit
constexpr std::size_t least_share = 8;    // in transit, always allowed; otherwise steps would be serialized

// A block of a part that no rank holds.
std::vector<std::byte> fill_block(const model::Field& field, std::size_t bytes) {
  std::vector<std::byte> block(bytes);
  model::dispatch(field.type, [&]<class T>(T) {
    const T fill = field.fill_value.value_or(0.0).as<T>();
    base::fill_with(std::as_bytes(std::span(&fill, 1)), block);
  });
  return block;
}

}  // namespace

ServedComponent::ServedComponent(ComponentInfo info, messaging::Messenger& messenger,
                                 sinks::SinkServices services)
    : blueprint_(std::move(info)),
      services_(services),
      control_(messenger, blueprint_.info.number),
      tasks_(services.executor),
      out_of_range_(blueprint_, services.counters),
      block_sizes_(blueprint_),
      masks_(blueprint_),
      variables_(blueprint_, receivers()),
      commits_(blueprint_, control_),
      flow_control_(blueprint_, control_, blueprint_.info.memory / backlog_share),
      router_({.blueprint = blueprint_,
               .control = control_,
               .tasks = tasks_,
               .services = services,
               .sinks = commits_.sinks(),
               .drops = [this] { return fatal() || over(); }},
              variables_.all()),
      lifecycle_(control_, blueprint_.info.leader, events()),
      shutdown_(control_, blueprint_.info.leader,
                {.stop = [this] { on_stop(); },
                 .commit = [this](const model::Tick& tick) { commits_.commit_until(tick); },
                 .cut = [this](const model::Tick& tick) { on_cut(tick); }}),
      checkpoints_(blueprint_, control_, services, checkpoint_events()),
      held_(services.counters.held) {
  checkpoints_.watch_files(services_);
  messenger.slabs().keep_at_most(blueprint_.info.configuration.servers.memory / slab_share);
  commits_.start_clocks(bytes_per_record(),
                        [this](std::size_t file, const plan::CommitDue& due) { router_.flush(file, due); });
}

ServedComponent::~ServedComponent() { tasks_.wait(); }

sampling::OutputVariables::Receivers ServedComponent::receivers() {
  using sampling::OutputVariable;
  using Values = std::span<const std::byte>;
  return {.emit = [this](const OutputVariable& output_variable, int part, const time::TimeRecord& record,
                         Values values) { emit(output_variable, part, record, values); },
          .emit_source =
              [this](const OutputVariable& output_variable, int part, const time::TimeRecord& record,
                     Values values) { regridding_->accept_record(output_variable, part, record, values); },
          .lose = [this](const OutputVariable& output_variable, const time::TimeRecord& record,
                         const time::Lost& lost) { out_of_range_.add(output_variable, record, lost); }};
}

// A record of a pyramid's level is also that of the coarser ones, one after the other.
void ServedComponent::emit(const sampling::OutputVariable& output_variable, int part,
                           const time::TimeRecord& record, std::span<const std::byte> values) {
  router_.emit(output_variable, part, record.index, values);
  for (const sampling::OutputVariable* coarser : output_variable.coarser) {
    const regridding::CoarseRecord made = [&] {
      const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::regrid, services_.trace);
      return regridding::coarsen(blueprint_, output_variable, *coarser, part, values);
    }();
    variables_.emit_coarsened(*coarser, part, record, made.value_span(), made.valid_span());
  }
}

ComponentLifecycle::Events ServedComponent::events() {
  return {.step =
              [this](const model::Tick& tick) {
                if (const auto fault = checkpoints_.disagreement(tick)) return fail(*fault);
                if (!cut()) on_step(tick);
              },
          .last_step =
              [this] {
                if (!cut()) commits_.finish();
              },
          .fault =
              [this](const base::Fault& fault) {
                if (input_) input_->raise(fault);
              },
          .fatal =
              [this](const base::Fault&) {
                if (input_) input_->discard();
                checkpoints_.give_up();
                commits_.give_up();
              }};
}

checkpoints::Checkpoints::Events ServedComponent::checkpoint_events() {
  return {.at_rest = [this] { return is_idle_for_snapshot(); },
          .save = [this](model::StateSaver& saver) { save(saver); },
          .tell = [this](const base::Fault& fault) { control_.tell(fault); }};
}

// The clients have put all fields of the step, which the leader has announced, and no work is left here.
bool ServedComponent::is_idle_for_snapshot() {
  commits_.write_soon();
  const bool is_at_step =
      !input_ || (!checkpoints_.is_saved() && commits_.tick().step == input_->tick().step);
  return is_at_step && tasks_.none() && router_.sends_nothing() && router_.delivers_nothing() &&
         commits_.at_rest() && computes_nothing();
}

std::vector<std::vector<std::size_t>> ServedComponent::bytes_per_record() const {
  std::vector<std::vector<std::size_t>> bytes;
  for (const plan::DatasetPlan& file : blueprint_.plan.files) bytes.emplace_back(file.axes.size(), 0);
  for (const auto& output_variable : variables_.all())
    if (output_variable->file_axis >= 0)
      bytes[output_variable->file][base::index(output_variable->file_axis)] +=
          router_.record_bytes(output_variable->number);
  return bytes;
}

void ServedComponent::create_files(std::span<const int> clients) {
  needed_besides_ = check_memory(blueprint_, router_, blueprint_.parts_of(clients), control_.rank());
  checkpoints_.open();
  commits_.create_sinks(router_.owners(), services_);
}

void ServedComponent::start(std::vector<int> clients, Input* input, const model::StateLoader* saved) {
  block_sizes_.start(clients);
  std::vector<int> parts = blueprint_.parts_of(clients);
  masks_.start(parts);
  variables_.start(parts);
  if (blueprint_.plan.regridding) make_regridding(parts);
  if (blueprint_.plan.analysis && !blueprint_.plan.analysis->graph.diagnostics.empty())
    make_diagnostics(std::move(parts));
  if (saved == nullptr) saved = blueprint_.info.saved.get();
  if (saved != nullptr) load(*saved);
  if (input != nullptr) flow_control_.start(commits_.clocks(), bytes_per_record());
  input_ = input;
  if (shutdown_.order() != nullptr) on_stop();
  lifecycle_.start();
}

void ServedComponent::make_regridding(const std::vector<int>& parts) {
  regridding_ = std::make_unique<regridding::Regridding>(
      regridding::Regridding::Parts{.blueprint = blueprint_,
                                    .output_variables = variables_,
                                    .tasks = tasks_,
                                    .control = control_,
                                    .services = services_,
                                    .fail = [this](const base::Fault& fault) { fail(fault); },
                                    .drops = [this] { return fatal() || over(); }},
      parts, std::move(prepared_));
}

void ServedComponent::make_diagnostics(std::vector<int> parts) {
  diagnostics_ = std::make_unique<Diagnostics>(
      Diagnostics::Parts{.blueprint = blueprint_,
                         .output_variables = variables_,
                         .tasks = tasks_,
                         .control = control_,
                         .services = services_,
                         .fail = [this](const base::Fault& fault) { fail(fault); },
                         .regridding = regridding_.get()},
      std::move(parts));
}

bool ServedComponent::ready_for_step() {
  end_step();
  if (blueprint_.is_inline()) return !fails_for_lack_of_room();
  waits_for_others_ = flow_control_.full() || (regridding_ && regridding_->holds_up());
  return !waits_for_others_ && has_room();
}

// All blocks of the current step have arrived.
void ServedComponent::end_step() {
  if (diagnostics_) diagnostics_->end_step();
  if (regridding_) regridding_->end_step();
}

// Mode inline never waits here: a message waits for a call of its receiver, which may wait for this rank.
bool ServedComponent::fails_for_lack_of_room() {
  const std::size_t waiting =
      router_.moving_bytes() + (regridding_ ? regridding_->unsent_bytes() + regridding_->waiting_bytes() : 0);
  const std::size_t step = input_->most_step_bytes();
  const std::size_t most = std::max(blueprint_.info.memory, steps_for_others * step);
  if (waiting <= most) return false;
  const model::Tick& tick = input_->tick();
  fail({ErrorCode::resource,
        fmt::format(
            "component \"{}\": {} MiB of rank {} wait for ranks that are behind, after step {} ({} s); "
            "expected at most {} MiB (servers.memory, or {} steps): in mode inline a rank receives messages "
            "only "
            "in its own calls, so none may be far ahead of the others; use mode attached or dedicated",
            blueprint_.info.declarations.component, waiting >> 20, control_.rank(), tick.step, tick.time,
            most >> 20, steps_for_others)});
  return true;
}

std::size_t ServedComponent::leaving_bytes() const {
  return router_.moving_bytes() + (regridding_ ? regridding_->unsent_bytes() : 0) +
         commits_.due_bytes(input_->tick().step);
}

// Back-pressure. Only data that leave without another step may delay a step; otherwise the server would wait
// for itself. While the clients' buffers have room, accepts only what keeps all threads busy
// (has_enough_to_do).
bool ServedComponent::has_room() {
  const std::size_t memory = blueprint_.info.memory;
  if (diagnostics_ && diagnostics_->steps() > 1 && diagnostics_->bytes() > memory / engine_share)
    return false;
  const std::size_t leaving = leaving_bytes();
  if (has_enough_to_do() && input_->buffer_used() < nearly_full) return false;
  if (leaving <= memory / least_share) return true;
  const std::size_t next = input_->most_step_bytes();
  return leaving <= memory / moving_share &&
         services_.counters.held.total() + next <=
             blueprint_.info.configuration.servers.memory + needed_besides_;
}

// With little data in transit, successive steps reuse memory that is still in the CPU caches. A slow file
// does not delay the others. A server ahead of the leader would fill the homes of files.
bool ServedComponent::has_enough_to_do() const {
  const std::int64_t step = input_->tick().step;
  const bool is_ahead =
      commits_.tick().step < step && shutdown_.order() == nullptr;  // a shutdown accepts everything
  return is_ahead ||
         router_.moving_bytes() + commits_.due_within_shares(enough_at_work, step) > enough_at_work;
}

void ServedComponent::begin_step(const model::Tick& tick) {
  if (const auto fault = checkpoints_.disagreement(tick)) return fail(*fault);
  variables_.begin_step(tick);
  if (regridding_) regridding_->begin_step(tick, variables_.axes());
  if (diagnostics_) diagnostics_->begin_step(tick, variables_.axes());
  flow_control_.begin_step(variables_.axes(), tick);
  count_held();
  lifecycle_.announce_step(tick);
}

void ServedComponent::accept(int client, const model::PacketHeader& header,
                             std::span<const std::byte> payload) {
  block_sizes_.check(client, header, payload.size());
  if (!blueprint_.has_further_parts()) return accept_part(client, header, payload);
  const model::Field& field = blueprint_.field(header.number);
  for (const int part : blueprint_.parts_of(client)) {
    if (!blueprint_.holds(field.grid, part)) continue;
    const std::size_t bytes =
        static_cast<std::size_t>(blueprint_.region(field.grid, part).size()) * model::size_of(field.type);
    if (bytes == 0 && part != client) continue;
    if (blueprint_.info.decomposition.is_hole(part)) {
      accept_part(part, header, fill_block(field, bytes));
      continue;
    }
    accept_part(part, header, payload.first(bytes));
    payload = payload.subspan(bytes);
  }
}

void ServedComponent::accept_part(int part, const model::PacketHeader& header,
                                  std::span<const std::byte> payload) {
  if (header.kind != model::PacketKind::block) checkpoints_.keep(part, header.number, payload);
  if (header.kind == model::PacketKind::kept) return;
  const std::span<const std::byte> values = masks_.apply(part, header.number, payload);
  variables_.accept(part, header, values);
  if (regridding_ && header.step != model::static_step) regridding_->accept(header.number, part, values);
  if (diagnostics_) diagnostics_->accept(header.number, part, values);
}

void ServedComponent::checkpoint(std::span<const std::byte> values) {
  close_step();
  checkpoints_.ask(input_->tick(), values);
}

void ServedComponent::end_of_input() {
  variables_.end_of_input();
  close_step();
  input_ended_ = true;
}

void ServedComponent::close_step() {
  variables_.close_step();
  end_step();
}

bool ServedComponent::at_rest() const {
  const bool is_up_to_date = !input_ || commits_.tick().step == input_->tick().step;
  return is_up_to_date && tasks_.none() && services_.executor.running() == 0 && router_.sends_nothing() &&
         router_.delivers_nothing() && commits_.at_rest() && computes_nothing();
}

void ServedComponent::save(model::StateSaver& saver) const {
  input_ ? variables_.save(saver) : variables_.save_windows(saver);
  commits_.save(saver);
  router_.save(saver, commits_.pending());
  if (diagnostics_) diagnostics_->save(saver);
}

void ServedComponent::load(const model::StateLoader& saved) {
  variables_.load(saved);
  commits_.load(saved);
  router_.load(saved, commits_.pending());
  if (diagnostics_) diagnostics_->load(saved);
}

void ServedComponent::fail(const base::Fault& fault) {
  if (fatal()) return;
  lifecycle_.fail(fault);
  if (input_) input_->discard();
}

void ServedComponent::mark_server_failed(int server, const base::Fault& fault) {
  lifecycle_.mark_failed(server, fault);
}

void ServedComponent::on_step(const model::Tick& tick) {
  commits_.advance(tick);
  if (!diagnostics_ || input_) return;  // a server without clients may be the root of a diagnostic
  diagnostics_->begin_step(tick, commits_.axes());
  diagnostics_->end_step();
}

bool ServedComponent::progress() {
  bool moved = shutdown_.order() != nullptr && !fatal() && continue_shutdown();
  const bool at_work = !tasks_.none() || services_.executor.running() > 0;
  moved = router_.deliver() || moved;
  if (diagnostics_) {
    moved = diagnostics_->progress() || moved;
    if (all_in() && lifecycle_.last_step_announced() && !fatal())
      moved = diagnostics_->prove_the_end() || moved;
  }
  if (regridding_ && !fatal()) moved = regridding_->progress() || moved;
  if (all_in() && !windows_finished_ && has_all_samples()) {
    finish_windows();
    moved = true;
  }
  if (regridding_ && windows_finished_ && !fatal()) regridding_->prove_the_end();
  moved = router_.send(!at_work) || moved;
  moved = commits_.progress() || moved;
  if (!fatal() && !cut()) moved = checkpoints_.progress() || moved;
  moved = (!blueprint_.is_inline() && flow_control_.report_written(commits_.sinks())) || moved;
  if (env::steady_seconds() >= next_count_) count_held();
  if (input_ended_) moved = lifecycle_.announce_last_step() || moved;
  return (!at_work && close()) || moved;
}

// Closes the windows that are open at the last step. A server without clients uses the leader\'s steps.
void ServedComponent::finish_windows() {
  windows_finished_ = true;
  const plan::AxisBank& axes = input_ ? variables_.axes() : commits_.axes();
  for (const auto& output_variable : variables_.all())
    if (output_variable->file_axis >= 0 && !output_variable->copies)
      tasks_.submit(
          [this, &output_variable = *output_variable, &axes] { variables_.finish(output_variable, axes); });
  if (regridding_ && input_) regridding_->expect_last_records(axes);
}

// Nothing is on its way to this server any more, and it has passed on all records of its target cells.
bool ServedComponent::regridding_over() const {
  return !regridding_ || (windows_finished_ && tasks_.none() && regridding_->at_rest());
}

bool ServedComponent::close() {
  const bool analysed =
      fatal() || cut() || ((!diagnostics_ || (windows_finished_ && diagnostics_over())) && regridding_over());
  const bool writes_checkpoint = checkpoints_.under_way() && !fatal() && !cut();
  if (lifecycle_.closed_here() || !commits_.closed() || !input_over() || !analysed || writes_checkpoint)
    return false;
  lifecycle_.announce_closed();
  return true;
}

// Not in mode inline: a rank would wait for others, which may be waiting for it in the model.
void ServedComponent::commit_what_is_complete() {
  const bool leads = control_.rank() == blueprint_.info.leader && input_ && !blueprint_.is_inline();
  if (!leads || fatal() || cut() || shutdown_.complete_announced() || checkpoints_.cuts()) return;
  shutdown_.request_commit(input_->complete_until(), input_->stands_still());
}

void ServedComponent::stop(const StopOrder& order) { shutdown_.request(order); }

void ServedComponent::on_stop() {
  if (input_) input_->expect_losses();
}

bool ServedComponent::may_stop_taking(double waited) const {
  return input_->has_lost() || input_->runs_on() || shutdown_.others_have_stopped() ||
         waited >= shutdown_.order()->patience;
}

bool ServedComponent::continue_shutdown() {
  const double waited = shutdown_.waited();
  if (cut()) {
    if (waited >= shutdown_.order()->most) commits_.give_up();
    if (lifecycle_.closed_everywhere()) report_end();
    return false;
  }
  if (shutdown_.complete_announced()) return false;
  if (!input_ || input_ended_) {
    shutdown_.announce_complete();
    return true;
  }
  commit_what_is_complete();
  if (waited >= shutdown_.order()->latest() || input_->runs_on()) input_->halt();
  if (!may_stop_taking(waited) || !input_->stands_still()) return false;
  if (input_->step_is_complete()) close_step();
  shutdown_.announce_complete(input_->complete_until());
  // Later input is discarded; in mode inline at once, so that the model does not wait for room.
  if (blueprint_.is_inline()) input_->discard();
  return true;
}

// The clients learn of the end when the files are closed, since a client that fails may end the whole job; in
// mode inline even later, by their server process.
void ServedComponent::on_cut(const model::Tick& tick) {
  if (fatal()) return;
  if (input_) input_->discard();
  checkpoints_.give_up();
  if (tick.step == model::static_step)
    commits_.give_up();
  else
    commits_.cut(tick);
}

void ServedComponent::report_end() {
  if (std::exchange(end_reported_, true)) return;
  const base::Fault end = shutdown_.describe(blueprint_.info.declarations.component);
  lifecycle_.end_early(end);
  if (input_ && !blueprint_.is_inline()) input_->raise(end);
}

// The owner of the messenger counts the memory of the messenger.
void ServedComponent::count_held() {
  using telemetry::MemoryKind;
  next_count_ = env::steady_seconds() + seconds_between_counts;
  held_.set(MemoryKind::messages, router_.unsent_bytes() + router_.unprocessed_bytes());
  held_.set(MemoryKind::chunks, router_.open_bytes());
  held_.set(MemoryKind::files, commits_.bytes() + commits_.cache_bytes() + router_.delivered_bytes());
  held_.set(MemoryKind::analytics, diagnostics_ ? diagnostics_->bytes() + diagnostics_->fixed_bytes() : 0);
  held_.set(MemoryKind::windows, variables_.bytes() + masks_.bytes());
  held_.set(MemoryKind::geometry, router_.geometry_bytes());
  held_.set(MemoryKind::checkpoint, checkpoints_.bytes());
  if (regridding_)
    held_.set(MemoryKind::regrid,
              regridding_->fixed_bytes() + regridding_->waiting_bytes() + regridding_->unsent_bytes());
}

std::string ServedComponent::describe() const {
  std::string text =
      commits_.describe() + checkpoints_.describe() + (regridding_ ? regridding_->describe() : "");
  if (lifecycle_.closed_here() && !lifecycle_.closed_everywhere())
    text += fmt::format("\n    component \"{}\": {} of {} servers have closed their files",
                        blueprint_.info.declarations.component, lifecycle_.closed_servers(), control_.size());
  return text;
}

}  // namespace tailrace::pipeline
