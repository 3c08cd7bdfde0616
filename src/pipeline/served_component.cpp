#include "pipeline/served_component.hpp"

#include <fmt/format.h>

#include <utility>

#include "plan/analysis.hpp"

namespace tailrace::pipeline {

ServedComponent::ServedComponent(ComponentInfo info, messaging::Messenger& messenger,
                                 sinks::FileServices services)
    : blueprint_(std::move(info)),
      services_(services),
      words_(messenger, blueprint_.info.number),
      tasks_(services.executor),
      streams_(blueprint_,
               [this](const sampling::Stream& stream, int client, std::int64_t record,
                      std::span<const std::byte> values) { router_.emit(stream, client, record, values); }),
      commits_(blueprint_, words_),
      router_({.blueprint = blueprint_,
               .words = words_,
               .tasks = tasks_,
               .services = services,
               .sinks = commits_.sinks(),
               .drops = [this] { return fatal() || over(); }},
              streams_.all()),
      life_(words_, blueprint_.info.leader, events()) {
  commits_.start_clocks(bytes_per_record(),
                        [this](std::size_t file, const plan::CommitDue& due) { router_.flush(file, due); });
}

ServedComponent::~ServedComponent() { tasks_.wait(); }

Life::Events ServedComponent::events() {
  return {.step = [this](const model::Tick& tick) { on_step(tick); },
          .last_step = [this] { commits_.finish(); },
          .fault =
              [this](const base::Fault& fault) {
                if (intake_) intake_->raise(fault);
              },
          .fatal =
              [this](const base::Fault&) {
                if (intake_) intake_->discard();
                commits_.give_up();
              }};
}

std::vector<std::vector<std::size_t>> ServedComponent::bytes_per_record() const {
  std::vector<std::vector<std::size_t>> bytes;
  for (const plan::FilePlan& file : blueprint_.plan.files) bytes.emplace_back(file.axes.size(), 0);
  for (const auto& stream : streams_.all())
    if (stream->file_axis >= 0)
      bytes[stream->file][static_cast<std::size_t>(stream->file_axis)] +=
          router_.record_bytes(stream->number);
  return bytes;
}

void ServedComponent::create_files() { commits_.create_sinks(router_.owners(), services_); }

void ServedComponent::start(std::vector<server::Link> links, const model::StateLoader* saved) {
  std::vector<int> clients;
  for (const server::Link& link : links) clients.push_back(link.client);
  streams_.start(clients);
  if (blueprint_.plan.analysis && !blueprint_.plan.analysis->graph.diagnostics.empty())
    diagnostics_ = std::make_unique<Diagnostics>(
        Diagnostics::Parts{.blueprint = blueprint_,
                           .streams = streams_,
                           .tasks = tasks_,
                           .words = words_,
                           .services = services_,
                           .fail = [this](const base::Fault& fault) { fail(fault); }},
        std::move(clients));
  if (saved != nullptr) load(*saved);
  if (!links.empty())
    intake_ = std::make_unique<server::Intake>(blueprint_.info.declarations.component, std::move(links),
                                               server::IntakeServices{.executor = services_.executor,
                                                                      .pipeline = *this,
                                                                      .counters = services_.counters,
                                                                      .trace = services_.trace});
  life_.start();
}

// Only what leaves without another step may hold the step back: anything else would wait for itself. In mode
// inline nothing may: what leaves waits for the next call of another rank, which may be waiting for this one.
bool ServedComponent::ready_for_step() {
  const std::size_t memory = blueprint_.info.configuration.servers.memory;
  if (diagnostics_) diagnostics_->end_step();  // all blocks of the step before are here
  if (blueprint_.is_inline()) return true;
  if (diagnostics_ && diagnostics_->steps() > 1 && diagnostics_->bytes() > memory / 4) return false;
  return router_.moving_bytes() + commits_.due_bytes(intake_->tick().step) <= memory / 2;
}

void ServedComponent::begin_step(const model::Tick& tick) {
  streams_.begin_step(tick);
  if (diagnostics_) diagnostics_->begin_step(tick, streams_.axes());
  count_held();
  life_.announce_step(tick);
}

void ServedComponent::accept(int client, const model::PacketHeader& header,
                             std::span<const std::byte> payload) {
  streams_.accept(client, header, payload);
  if (diagnostics_ && header.step != model::static_step) diagnostics_->accept(header.number, client, payload);
}

void ServedComponent::end_of_input() {
  close_step();
  input_ended_ = true;
}

void ServedComponent::close_step() {
  streams_.close_step();
  if (diagnostics_) diagnostics_->end_step();
}

bool ServedComponent::at_rest() const {
  const bool has_heard = !intake_ || commits_.tick().step == intake_->tick().step;
  return has_heard && tasks_.none() && services_.executor.running() == 0 && router_.sends_nothing() &&
         router_.delivers_nothing() && commits_.at_rest() && (!diagnostics_ || diagnostics_->at_rest());
}

// Arrays that several parts or servers know are the same in each.
void ServedComponent::save(model::StateSaver& saver) const {
  if (intake_) streams_.save(saver);
  commits_.save(saver);
  router_.save(saver, commits_.pending());
  if (diagnostics_) diagnostics_->save(saver);
}

void ServedComponent::load(const model::StateLoader& saved) {
  streams_.load(saved);
  commits_.load(saved);
  router_.load(saved, commits_.pending());
  if (diagnostics_) diagnostics_->load(saved);
}

void ServedComponent::fail(const base::Fault& fault) {
  if (fatal()) return;
  life_.fail(fault);
  if (intake_) intake_->discard();
}

void ServedComponent::lose_server(int server, const base::Fault& fault) {
  life_.lose(server);
  fail(fault);
}

void ServedComponent::on_step(const model::Tick& tick) {
  commits_.advance(tick);
  if (!diagnostics_ || intake_) return;  // no client here, but perhaps the root of a diagnostic
  diagnostics_->begin_step(tick, commits_.axes());
  diagnostics_->end_step();
}

bool ServedComponent::progress() {
  bool moved = intake_ && intake_->progress();
  const bool at_work = !tasks_.none() || services_.executor.running() > 0;
  moved = router_.deliver() || moved;
  if (diagnostics_) {
    moved = diagnostics_->progress() || moved;
    if (all_in() && life_.last_step_announced() && !fatal()) moved = diagnostics_->prove_the_end() || moved;
  }
  if (all_in() && !windows_finished_ && diagnostics_over()) {
    finish_windows();
    moved = true;
  }
  moved = router_.send(!at_work) || moved;
  moved = commits_.progress() || moved;
  if (input_ended_) moved = life_.announce_last_step() || moved;
  return (!at_work && close()) || moved;
}

// Windows that are still open close at the last step. A server without clients counts steps by what the
// leader announces.
void ServedComponent::finish_windows() {
  windows_finished_ = true;
  const plan::AxisBank& axes = intake_ ? streams_.axes() : commits_.axes();
  for (const auto& stream : streams_.all())
    if (stream->file_axis >= 0 && !stream->copies())
      tasks_.submit([this, &stream = *stream, &axes] { streams_.finish(stream, axes); });
}

bool ServedComponent::close() {
  const bool analysed = fatal() || !diagnostics_ || (windows_finished_ && diagnostics_over());
  if (life_.closed_here() || !commits_.closed() || !input_over() || !analysed) return false;
  life_.announce_closed();
  return true;
}

void ServedComponent::count_held() {
  services_.counters.pending_is(router_.moving_bytes() + router_.open_bytes() + commits_.bytes() +
                                (diagnostics_ ? diagnostics_->bytes() : 0));
}

std::string ServedComponent::describe() const {
  std::string text = intake_ ? intake_->describe() : "";
  text += commits_.describe();
  if (life_.closed_here() && !life_.closed_everywhere())
    text += fmt::format("\n    component \"{}\": {} of {} servers have closed their files",
                        blueprint_.info.declarations.component, life_.closed_servers(), words_.size());
  return text;
}

}  // namespace tailrace::pipeline
