#include "server/server_process.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/faults.hpp"
#include "env/threads.hpp"
#include "handshake/stream.hpp"
#include "messaging/collectives/tree_place.hpp"
#include "messaging/sending.hpp"
#include "plan/declared.hpp"
#include "server/component_info.hpp"
#include "server/hosted_component.hpp"
#include "server/input/make_input_service.hpp"
#include "server/loop.hpp"
#include "server/regrid/make_regrid_preparation.hpp"
#include "server/resources/resources.hpp"
#include "settings/coupling/coupling.hpp"

namespace tailrace::server {
namespace {

// Kinds that belong to no component (PeerServers uses -2, Reporter -3).
constexpr messaging::TreeAllreduce::Kinds bye_kinds{-1, -4, -5};

}  // namespace

ServerProcess::ServerProcess(comm::Communicator& world, comm::Communicator& servers,
                             const handshake::Run& run, handshake::Lifelines lifelines)
    : world_(world),
      run_(run),
      pinning_(pinning_for(run, world.rank())),
      bell_(make_doorbell(run.servers().mode)),
      messenger_(servers),
      peers_(run, world, messenger_, std::move(lifelines)),
      reporter_(servers.rank(), run, worker_threads(run.servers(), run.nodes, world.rank(), pinning_)),
      memory_(run.servers().memory, reporter_.counters().held),
      stop_(run.servers()),
      executor_(reporter_.counters().threads, *bell_.doorbell, on_one_core(pinning_), pinning_.work),
      byes_(messenger_, bye_kinds, reporter_.callbacks_of_byes()) {
  env::maybe_fail("welcome");
  const handshake::Assignment& assignment = run_.assignment;
  for (std::size_t c = 0; c < assignment.components.size(); ++c) {
    auto hosted = std::make_unique<HostedComponent>();
    hosted->number = hosted->index = hosted->place = static_cast<int>(c);
    hosted->run = &run_;
    hosted->root = assignment.ranks[c].front();
    hosted->set_clients(servers.rank());
    for (const int rank : hosted->ranks) {
      base::ByteWriter welcome;
      welcome.put_text(bell_.name);
      sendings_.emplace_back(world_, welcome.take(), rank, static_cast<int>(handshake::Tag::welcome));
    }
    hosted->set_up = allreduce_of_set_up(messenger_, *hosted);
    components_.push_back(std::move(hosted));
  }
  // Only received bytes that wait for the workers count: the workers finish them without any further
  // message.
  messenger_.receive_while([this] {
    std::size_t bytes = messenger_.bytes_arriving();
    for (const auto& hosted : components_)
      if (hosted->component) bytes += hosted->component->unprocessed_bytes();
    return memory_.has_room_for_messages(bytes);
  });
  reporter_.share_directory(messenger_);
  env::maybe_fail("welcomed");
}

ServerProcess::~ServerProcess() = default;

bool ServerProcess::progress() {
  look_for_stop();
  bool moved = messenger_.progress();
  memory_.count(messenger_);
  for (const int server : peers_.newly_lost()) lose(server);
  moved = accept_streams() || moved;
  for (const auto& hosted : components_) moved = progress(*hosted) || moved;
  std::erase_if(sendings_, [](messaging::Sending& sending) { return sending.done(); });
  if (const auto fault = executor_.take_fault()) {
    for (const auto& hosted : components_)
      if (hosted->state == HostedComponent::State::running) hosted->component->fail(*fault);
    moved = true;
  }
  if (reporter_.status_is_due()) reporter_.publish(snapshot());
  if (!ended_ &&
      std::all_of(components_.begin(), components_.end(),
                  [](const auto& hosted) { return hosted->state == HostedComponent::State::over; }) &&
      !accept_streams()) {
    end();
    moved = true;
  }
  return moved;
}

void ServerProcess::look_for_stop() {
  // Some launchers kill this process milliseconds after the signal, so commits come before all else.
  bool begins = stop_.look();
  if (begins || stop_.is_announced())
    for (const auto& hosted : components_)
      if (hosted->state == HostedComponent::State::running) hosted->component->commit_what_is_complete();
  for (const auto& hosted : components_)
    if (hosted->component) begins = stop_.adopt(hosted->component->stopped()) || begins;
  if (!begins) return;
  for (const auto& hosted : components_) {
    if (hosted->state == HostedComponent::State::running)
      hosted->component->stop(*stop_.order());
    else if (!hosted->own_fault)
      hosted->own_fault = base::Fault{ErrorCode::lost, stop_.order()->why};
  }
  stop_.log();
}

bool ServerProcess::out_of_time() const {
  return stop_.out_of_time(std::none_of(components_.begin(), components_.end(), [](const auto& hosted) {
    return hosted->state == HostedComponent::State::running || hosted->state == HostedComponent::State::over;
  }));
}

bool ServerProcess::cut() const {
  return std::ranges::any_of(
      components_, [](const auto& hosted) { return hosted->component && hosted->component->cut(); });
}

bool ServerProcess::cuts_checkpoint(int component) const {
  const auto& hosted = components_[base::index(component)];
  return hosted->state == HostedComponent::State::running && hosted->component->cuts();
}

// The first server hears of a stream from the stream's first rank, numbers it, and passes it on down the
// tree.
bool ServerProcess::accept_streams() {
  const messaging::TreePlace place(messenger_.rank(), messenger_.size());
  bool moved = false;
  for (;;) {
    std::optional<std::vector<std::byte>> notice;
    if (place.parent >= 0)
      notice = messaging::poll(world_, run_.assignment.servers[base::index(place.parent)],
                               static_cast<int>(handshake::Tag::announced));
    else if (const auto from = world_.probe(comm::any, static_cast<int>(handshake::Tag::open)))
      notice = messaging::poll(world_, from->source, static_cast<int>(handshake::Tag::open));
    if (!notice) return moved;
    std::vector<int> children;
    for (const int child : place.children) children.push_back(run_.assignment.servers[base::index(child)]);
    messaging::start_sending(world_, *notice, children, static_cast<int>(handshake::Tag::announced),
                             sendings_);
    open_stream(*notice);
    moved = true;
  }
}

// The notices come in the same order on all servers, which number them alike.
void ServerProcess::open_stream(const std::vector<std::byte>& bytes) {
  const handshake::StreamNotice notice = handshake::StreamNotice::from_bytes(bytes);
  auto hosted = std::make_unique<HostedComponent>();
  hosted->number = static_cast<int>(components_.size());
  hosted->place = notice.place;
  hosted->own_run = std::make_unique<const handshake::Run>(handshake::run_of(run_, notice));
  hosted->run = hosted->own_run.get();
  hosted->own_ranks = std::make_unique<handshake::FailedServers>(*hosted->run, world_.rank());
  hosted->root = notice.ranks.front();
  hosted->set_clients(messenger_.rank());
  hosted->set_up = allreduce_of_set_up(messenger_, *hosted);
  if (const auto early = early_.extract(components_.size()); !early.empty())
    hosted->declared = std::move(early.mapped());
  if (stop_.order() != nullptr) hosted->own_fault = base::Fault{ErrorCode::lost, stop_.order()->why};
  components_.push_back(std::move(hosted));
}

bool ServerProcess::progress(HostedComponent& hosted) {
  switch (hosted.state) {
    case HostedComponent::State::awaited: return receive_declarations(hosted);
    case HostedComponent::State::connecting: return connect(hosted);
    case HostedComponent::State::running: break;
    case HostedComponent::State::over: return hosted.drop_rest();
  }
  bool moved = hosted.progress();
  if (hosted.ends()) {
    say_goodbye(hosted);
    moved = true;
  }
  return moved;
}

bool ServerProcess::receive_declarations(HostedComponent& hosted) {
  if (give_up_without_all(hosted)) return true;
  if (peers_.failed_servers().count() > 0) {  // which may have had the message
    reply(hosted);
    return true;
  }
  if (reporter_.awaits_directory()) return false;
  const auto message = declared(hosted);
  if (!message) return false;
  env::maybe_fail("declare");
  set_up(hosted, *message);
  return true;
}

// The message that arrives may belong to another component.
std::optional<std::vector<std::byte>> ServerProcess::declared(HostedComponent& hosted) {
  const messaging::TreePlace place(messenger_.rank(), messenger_.size());
  if (auto come = take_declarations(
          world_, {hosted, run_, place, tag_of(hosted, handshake::Tag::ready), names_}, sendings_)) {
    const auto number = base::index(base::ByteReader(*come).get<std::int32_t>());
    if (number < components_.size())
      components_[number]->declared = std::move(come);
    else
      early_[number] = std::move(*come);
  }
  return std::exchange(hosted.declared, std::nullopt);
}

int ServerProcess::tag_of(const HostedComponent& hosted, handshake::Tag tag) const {
  return handshake::message_tag(tag, hosted.place, static_cast<int>(run_.assignment.components.size()));
}

void ServerProcess::set_up(HostedComponent& hosted, std::span<const std::byte> message) {
  base::ByteReader reader(message);
  static_cast<void>(reader.get<std::int32_t>());  // the component's number
  if (base::get_fault(reader)) {                  // the component's ranks know; there is nobody to reply to
    hosted.state = HostedComponent::State::over;
    return;
  }
  std::optional<base::Fault> fault = hosted.own_fault ? hosted.own_fault : hosted.fault;
  if (!fault) fault = reporter_.start_fault();
  try {
    pipeline::ComponentInfo info = read_component_info(reader, hosted, reporter_.started());
    info.memory =
        run_.servers().memory / std::max(run_.assignment.components.size(), base::index(hosted.number + 1));
    const bool keep = !fault && reporter_.keeps_declarations();
    const settings::Sources& sources = hosted.run->sources[base::index(hosted.index)];
    const std::string declared =
        keep ? plan::to_json({info.declarations, info.decomposition, settings::model_text_of(sources)}) : "";
    hosted.component = std::make_unique<pipeline::ServedComponent>(std::move(info), messenger_, services());
    if (!fault)
      hosted.input = make_input_service(*hosted.component, *hosted.run, base::index(hosted.index),
                                        {messenger_, executor_, reporter_.counters(), *bell_.doorbell});
    if (!fault)
      hosted.regrid = make_regrid_preparation(*hosted.component, *hosted.run, base::index(hosted.index),
                                              messenger_, executor_);
    if (!fault) hosted.component->create_files(hosted.clients);
    if (!fault && hosted.component->info().saved)
      reporter_.take_over_commits(hosted.component->info().declarations.component,
                                  hosted.component->info().begin.step);
    if (keep) reporter_.keep_declarations(hosted.component->info().declarations.component, declared);
  } catch (...) {
    fault = base::current_fault();
  }
  if (fault && !hosted.input) refuse_input(hosted, messenger_, *fault);
  if (fault && !hosted.regrid) refuse_regridding(hosted, messenger_, *fault);
  hosted.own_fault = fault;
  hosted.state = HostedComponent::State::connecting;
}

// Until a component runs, each of its ranks is needed. The remaining ranks notice the loss too, and leave.
bool ServerProcess::give_up_without_all(HostedComponent& hosted) {
  const auto gone = hosted.is_stream() ? hosted.own_ranks->find_dead_rank(hosted.index)
                                       : peers_.failed_servers().find_dead_rank(hosted.index);
  if (!gone) return false;
  if (!hosted.fault) hosted.fault = gone;
  base::log_error(gone->message);
  reply(hosted);
  return true;
}

bool ServerProcess::connect(HostedComponent& hosted) {
  if (give_up_without_all(hosted)) return true;
  if (peers_.failed_servers().count() > 0) {  // it can no longer be set up, even if clients have invited
    reply(hosted);
    return true;
  }
  bool moved = hosted.input && hosted.input->prepare();
  moved = (hosted.regrid && hosted.regrid->progress()) || moved;
  for (std::size_t i = 0; i < hosted.clients.size(); ++i) {
    if (hosted.invited[i]) continue;
    const auto message = messaging::poll(world_, hosted.ranks[i], tag_of(hosted, handshake::Tag::invite));
    if (!message) continue;
    hosted.invited[i] = 1;
    accept(hosted, i, *message);
    moved = true;
  }
  const bool all_invited = std::ranges::count(hosted.invited, 0) == 0;
  if (all_invited && hosted.regrid) hosted.regrid->begin(hosted.own_fault);
  if (all_invited && hosted.input) hosted.input->pass_on_cells(hosted.own_fault);
  if (!hosted.announced && all_invited && hosted.has_read_headers() && hosted.has_weights()) {
    hosted.announced = true;
    if (hosted.input && !hosted.own_fault) hosted.own_fault = hosted.input->fault();
    if (hosted.regrid && !hosted.own_fault) hosted.own_fault = hosted.regrid->fault();
    env::maybe_fail("set_up");
    base::ByteWriter writer;
    base::put_fault(writer, hosted.own_fault);
    hosted.set_up->say(writer.take());
    return true;
  }
  if (!hosted.set_up->over()) return moved;
  reply(hosted);
  return true;
}

void ServerProcess::accept(HostedComponent& hosted, std::size_t client, std::span<const std::byte> message) {
  try {
    base::ByteReader reader(message);
    if (const auto fault = base::get_fault(reader)) throw Error(fault->code, fault->message);
    for (const handshake::Invitation& invitation : handshake::get_invitations(reader))
      if (invitation.purpose == handshake::Purpose::output)
        accept_output(hosted, client, invitation.text);
      else if (hosted.input)
        hosted.input->accept(hosted.clients[client], producer_for(hosted, client, invitation.text));
    accept_cells(hosted, regrid::get_rank_cells(reader));
  } catch (...) {
    if (!hosted.own_fault) hosted.own_fault = base::current_fault();
  }
}

void ServerProcess::accept_cells(HostedComponent& hosted, std::vector<regrid::RankCells> all) {
  std::vector<regrid::RankCells> sources;
  for (regrid::RankCells& cells : all)
    if (cells.weights >= 0)
      sources.push_back(std::move(cells));
    else if (hosted.input)
      hosted.input->accept_cells(std::move(cells));
  if (hosted.regrid) hosted.regrid->accept(std::move(sources));
}

void ServerProcess::accept_output(HostedComponent& hosted, std::size_t client,
                                  const std::string& invitation) {
  auto consumer = invitation.empty()
                      ? local_ends_.take_consumer()
                      : transport::accept(invitation, world_, hosted.ranks[client], *bell_.doorbell);
  consumer->receive_into(memory_.arrivals());
  consumer->join(hosted.poll_group);
  hosted.links.push_back({hosted.clients[client], std::move(consumer),
                          handshake::local_process(run_, world_.rank(), hosted.ranks[client])});
}

std::unique_ptr<transport::Producer> ServerProcess::producer_for(const HostedComponent& hosted,
                                                                 std::size_t client,
                                                                 const std::string& invitation) {
  return invitation.empty() ? local_ends_.take_producer()
                            : transport::accept_producer(invitation, world_, hosted.ranks[client]);
}

void ServerProcess::tell_clients(const HostedComponent& hosted, handshake::Tag tag,
                                 std::vector<std::byte> bytes) {
  const auto shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  for (const int rank : hosted.ranks) sendings_.emplace_back(world_, shared, rank, tag_of(hosted, tag));
}

void ServerProcess::reply(HostedComponent& hosted) {
  base::ByteWriter writer;
  base::put_fault(writer, hosted.fault);
  if (!hosted.fault && hosted.input) hosted.input->start();
  input::put_prepared(writer, hosted.input ? hosted.input->fields() : std::vector<input::PreparedField>());
  tell_clients(hosted, handshake::Tag::reply, writer.take());
  if (hosted.fault) {
    hosted.state = HostedComponent::State::over;
    hosted.links.clear();
    hosted.regrid.reset();
  } else {
    hosted.start(services());
  }
  forget_doorbell();
}

// Once no client is left to attach, the name is removed, so that no end of this process can leave it behind.
void ServerProcess::forget_doorbell() {
  const bool all_attached = std::ranges::all_of(components_, [](const auto& hosted) {
    return hosted->state == HostedComponent::State::running || hosted->state == HostedComponent::State::over;
  });
  if (all_attached && !bell_.name.empty()) transport::shm::forget_doorbell(bell_.name);
}

void ServerProcess::lose(int server) {
  if (byes_.over() || !lost_.insert(server).second) return;
  const base::Fault fault = peers_.failed_servers().fault(server);
  peers_.pass_on(server);
  messenger_.forget(server);
  const int rank = run_.assignment.servers[base::index(server)];
  std::erase_if(sendings_, [rank](const messaging::Sending& sending) { return sending.to() == rank; });
  byes_.lose(server);
  if (server == 0) reporter_.open(fault, false);
  for (const auto& hosted : components_) {
    if (hosted->state == HostedComponent::State::running)
      hosted->component->mark_server_failed(server, fault);
    else if (hosted->state != HostedComponent::State::over && !hosted->fault)
      hosted->fault = fault;
  }
  for (const auto& hosted : components_) {
    if (hosted->input) hosted->input->lose(server);
    if (hosted->regrid) hosted->regrid->lose(server);
  }
}

void ServerProcess::say_goodbye(HostedComponent& hosted) {
  env::maybe_fail("goodbye");
  if (hosted.intake) hosted.intake->close();
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(hosted.component->faults().size()));
  for (const base::Fault& fault : hosted.component->faults()) base::put_fault(writer, fault);
  tell_clients(hosted, handshake::Tag::goodbye, writer.take());
  if (stop_.order() != nullptr)
    for (const telemetry::DatasetStatus& file : hosted.component->file_status())
      base::log_warning(fmt::format("{}: {} is whole up to {} s of model time", stop_.order()->why, file.path,
                                    file.model_time));
  if (hosted.intake) {
    const std::uint64_t lasted = env::steady_nanoseconds() - hosted.begin_nanoseconds;
    for (const auto& counted : hosted.intake->client_counters()) reporter_.add_client(counted, lasted);
  }
  hosted.state = HostedComponent::State::over;
}

void ServerProcess::end() {
  ended_ = true;
  byes_.say(reporter_.end(snapshot(), outcome()));
}

void ServerProcess::write_report() {
  if (!std::exchange(ended_, true)) reporter_.merge(reporter_.end(snapshot(), outcome()));
  reporter_.write(outcome());
}

bool ServerProcess::done() const { return ended_ && byes_.over() && messenger_.idle() && sendings_.empty(); }

void ServerProcess::run() {
  env::name_this_thread("tailrace-server");
  const ScopedPinning pinned(pinning_);
  if (run_.servers().mode == settings::Mode::dedicated) env::return_large_blocks();
  LoopOptions options;
  options.watchdog_seconds = run_.servers().watchdog_seconds;
  Loop loop(
      options, *bell_.doorbell, [this] { return progress(); }, [this] { return describe(); },
      reporter_.counters());
  loop.stay_awake_while([this] {
    return std::any_of(components_.begin(), components_.end(), [](const auto& hosted) {
      return hosted->state == HostedComponent::State::awaited ||
             hosted->state == HostedComponent::State::connecting ||
             (hosted->component && hosted->component->waits_for_others()) ||
             (hosted->input && hosted->input->holds_up_client());
    });
  });
  // `tailrace serve --yac` itself watches what comes before the first step.
  if (run_.configurations.front().sections.get<settings::Coupling>().location.line > 0)
    loop.leave_watching_while([this] { return awaits_first_step(); });
  loop.look_seldom_while([this] { return announced(); });
  loop.run([this] { return done() || out_of_time(); });
  write_report();
}

bool ServerProcess::awaits_first_step() const {
  return std::ranges::all_of(components_, [](const auto& hosted) {
    return hosted->state == HostedComponent::State::running && hosted->intake && !hosted->intake->started();
  });
}

bool ServerProcess::announced() const {
  return messenger_.size() == 1 && messenger_.idle() && sendings_.empty() &&
         std::all_of(components_.begin(), components_.end(), [](const auto& hosted) {
           if (hosted->state == HostedComponent::State::over) return true;
           return hosted->state == HostedComponent::State::running && hosted->intake &&
                  hosted->intake->announced() && !(hosted->input && hosted->input->polls());
         });
}

std::optional<base::Fault> ServerProcess::fatal() const {
  for (const auto& hosted : components_) {
    if (hosted->fault) return hosted->fault;
    if (!hosted->component) continue;
    if (hosted->component->fatal()) return hosted->component->fatal();
    if (hosted->component->cut() && !hosted->component->faults().empty())
      return hosted->component->faults().back();
  }
  return std::nullopt;
}

bool ServerProcess::refused() const {
  return std::ranges::any_of(components_, [](const auto& hosted) { return hosted->fault.has_value(); });
}

std::string ServerProcess::outcome() const {
  if (stop_.order() != nullptr) return stop_.order()->why;
  if (const auto fault = fatal()) return fault->message;
  for (const auto& hosted : components_)
    if (hosted->component && !hosted->component->faults().empty())
      return hosted->component->faults().front().message;
  return "complete";
}

telemetry::StatusSnapshot ServerProcess::snapshot() const {
  telemetry::StatusSnapshot snapshot;
  for (const auto& hosted : components_) {
    if (!hosted->component) continue;
    const Intake* intake = hosted->intake.get();
    if (intake && intake->tick().step != model::static_step) {
      snapshot.components.push_back(
          {hosted->component->info().declarations.component, intake->tick().step, intake->tick().time});
      snapshot.buffer_used = std::max(snapshot.buffer_used, intake->buffer_used());
    }
    for (const telemetry::DatasetStatus& file : hosted->component->file_status())
      snapshot.files.push_back(file);
    if (const auto checkpoint = hosted->component->checkpoint_status())
      snapshot.checkpoints.push_back(*checkpoint);
    if (hosted->input)
      for (const telemetry::InputStatus& input : hosted->input->status()) snapshot.inputs.push_back(input);
  }
  const telemetry::ServerCounters& counters = reporter_.counters();
  snapshot.host = counters.host;
  snapshot.bytes_in = counters.bytes_in.get();
  snapshot.encoded_bytes_out = counters.encoded_bytes_out.get();
  snapshot.lag_seconds = 1e-9 * static_cast<double>(counters.last_lag_nanoseconds.get());
  snapshot.pending_bytes = counters.held.total();
  snapshot.memory_bytes = run_.servers().memory;
  snapshot.memory_bounds_all = run_.servers().memory_given;
  snapshot.resident_bytes = env::resident_bytes();
  for (std::size_t k = 0; k < telemetry::phase_count; ++k)
    snapshot.phase_seconds[k] = counters.phases[k].seconds();
  snapshot.lag = counters.lag;
  return snapshot;
}

std::string ServerProcess::describe() {
  std::string text;
  for (const auto& hosted : components_) text += hosted->describe(messenger_.size());
  if (ended_)
    text += fmt::format("\n    {} of {} servers have ended, as far as this one knows", byes_.heard(),
                        messenger_.size());
  return text + peers_.describe();
}

}  // namespace tailrace::server
