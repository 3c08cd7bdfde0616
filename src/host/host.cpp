#include "host/host.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "base/tree.hpp"
#include "env/faults.hpp"
#include "env/threads.hpp"
#include "host/component_info.hpp"
#include "host/resources.hpp"
#include "host/slot.hpp"
#include "plan/declared.hpp"
#include "server/loop.hpp"

namespace tailrace::host {
namespace {

// They belong to no component (-2 is the Fellows', -3 the Reporter's).
constexpr messaging::TreeAllreduce::Kinds bye_kinds{-1, -4, -5};

}  // namespace

Host::Host(comm::Communicator& world, comm::Communicator& servers, const handshake::Run& run,
           handshake::Lifelines lifelines)
    : world_(world),
      run_(run),
      pins_(pins_for(run, world.rank())),
      bell_(make_doorbell(run.servers().mode)),
      messenger_(servers),
      peers_(run, world, messenger_, std::move(lifelines)),
      reporter_(servers.rank(), run, worker_threads(run.servers(), run.nodes, world.rank(), pins_)),
      memory_(run.servers().memory, reporter_.counters().held),
      stop_watch_(run.servers()),
      executor_(reporter_.counters().threads, *bell_.doorbell, on_one_core(pins_), pins_.work),
      byes_(messenger_, bye_kinds, reporter_.callbacks_of_byes()) {
  env::maybe_fail("welcome");
  const handshake::Assignment& assignment = run_.assignment;
  for (std::size_t c = 0; c < assignment.components.size(); ++c) {
    auto slot = std::make_unique<Slot>();
    slot->number = static_cast<int>(c);
    slot->root = assignment.ranks[c].front();
    for (const auto& [client, rank] : handshake::clients_of(assignment, servers.rank(), c)) {
      slot->clients.push_back(client);
      slot->ranks.push_back(rank);
      base::ByteWriter welcome;
      welcome.put_text(bell_.name);
      sendings_.emplace_back(world_, welcome.take(), rank, static_cast<int>(handshake::Tag::welcome));
    }
    slot->invited.assign(slot->clients.size(), 0);
    slot->set_up = allreduce_of_set_up(messenger_, *slot);
    slots_.push_back(std::move(slot));
  }
  // Of what was received, only what waits for the workers counts: they are through with it whatever comes.
  messenger_.receive_while([this] {
    std::size_t bytes = messenger_.bytes_arriving();
    for (const auto& slot : slots_)
      if (slot->component) bytes += slot->component->unprocessed_bytes();
    return memory_.has_room_for_messages(bytes);
  });
  reporter_.share_directory(messenger_);
  env::maybe_fail("welcomed");
}

Host::~Host() = default;

bool Host::progress() {
  look_for_stop();
  bool moved = messenger_.progress();
  memory_.count(messenger_);
  for (const int server : peers_.newly_lost()) lose(server);
  for (const auto& slot : slots_) moved = progress(*slot) || moved;
  std::erase_if(sendings_, [](handshake::Sending& sending) { return sending.done(); });
  if (const auto fault = executor_.take_fault()) {
    for (const auto& slot : slots_)
      if (slot->state == Slot::State::running) slot->component->fail(*fault);
    moved = true;
  }
  if (reporter_.status_is_due()) reporter_.publish(snapshot());
  if (!ended_ && std::all_of(slots_.begin(), slots_.end(),
                             [](const auto& slot) { return slot->state == Slot::State::over; })) {
    end();
    moved = true;
  }
  return moved;
}

void Host::look_for_stop() {
  bool begins = stop_watch_.look();
  for (const auto& slot : slots_)
    if (slot->component) begins = stop_watch_.adopt(slot->component->stopped()) || begins;
  if (!begins) return;
  for (const auto& slot : slots_) {
    if (slot->state == Slot::State::running)
      slot->component->stop(*stop_watch_.order());
    else if (!slot->own_fault)
      slot->own_fault = base::Fault{ErrorCode::lost, stop_watch_.order()->why};
  }
}

bool Host::out_of_time() const {
  return stop_watch_.out_of_time(std::none_of(slots_.begin(), slots_.end(), [](const auto& slot) {
    return slot->state == Slot::State::running || slot->state == Slot::State::over;
  }));
}

bool Host::cut() const {
  return std::ranges::any_of(slots_,
                             [](const auto& slot) { return slot->component && slot->component->cut(); });
}

bool Host::cuts_checkpoint(int component) const {
  const auto& slot = slots_[static_cast<std::size_t>(component)];
  return slot->state == Slot::State::running && slot->component->cuts();
}

bool Host::progress(Slot& slot) {
  switch (slot.state) {
    case Slot::State::awaited: return receive_declarations(slot);
    case Slot::State::connecting: return connect(slot);
    case Slot::State::running: break;
    case Slot::State::over: return slot.component && slot.component->drop_rest();
  }
  bool moved = slot.component->progress();
  if (slot.component->over()) {
    say_goodbye(slot);
    moved = true;
  }
  return moved;
}

bool Host::receive_declarations(Slot& slot) {
  if (give_up_without_all(slot)) return true;
  if (peers_.failed_servers().count() > 0) {  // which may have had the message
    reply(slot);
    return true;
  }
  if (reporter_.awaits_directory()) return false;
  const auto message = declared(slot);
  if (!message) return false;
  env::maybe_fail("declare");
  set_up(slot, *message);
  return true;
}

// What comes may be of another component.
std::optional<std::vector<std::byte>> Host::declared(Slot& slot) {
  const base::Branch branch = base::branch_of(messenger_.rank(), messenger_.size());
  if (auto come = take_declarations(world_, run_, branch, slot.root, sendings_)) {
    const auto number = static_cast<std::size_t>(base::ByteReader(*come).get<std::int32_t>());
    TAILRACE_ASSERT(number < slots_.size(), "declarations of one of the components");
    slots_[number]->declared = std::move(come);
  }
  return std::exchange(slot.declared, std::nullopt);
}

void Host::set_up(Slot& slot, std::span<const std::byte> message) {
  base::ByteReader reader(message);
  static_cast<void>(reader.get<std::int32_t>());  // the component's number
  if (handshake::get_fault(reader)) {             // the component's ranks know; there is nobody to reply to
    slot.state = Slot::State::over;
    return;
  }
  std::optional<base::Fault> fault = slot.own_fault ? slot.own_fault : slot.fault;
  if (!fault) fault = reporter_.start_fault();
  try {
    pipeline::ComponentInfo info = read_component_info(reader, run_, slot.number, reporter_.started());
    const std::string component = info.declarations.component;
    const bool keep = !fault && reporter_.keeps_declarations();
    const std::string declared = keep ? plan::to_json({info.declarations, info.decomposition}) : "";
    slot.component = std::make_unique<pipeline::ServedComponent>(
        std::move(info), messenger_,
        sinks::FileServices{executor_, reporter_.counters(), reporter_.commit_log(), &reporter_.trace(),
                            reporter_.begin()});
    if (!fault) slot.component->create_files(slot.clients);
    if (!fault && slot.component->info().saved)
      reporter_.take_over_commits(component, slot.component->info().begin.step);
    if (keep) reporter_.keep_declarations(slot.component->info().declarations.component, declared);
  } catch (...) {
    fault = base::current_fault();
  }
  slot.own_fault = fault;
  slot.state = Slot::State::connecting;
}

// Until a component runs, each of its ranks is needed. Those that live see it too, and go.
bool Host::give_up_without_all(Slot& slot) {
  const auto gone = peers_.failed_servers().find_gone_rank(slot.number);
  if (!gone) return false;
  if (!slot.fault) slot.fault = gone;
  base::log_error(gone->message);
  reply(slot);
  return true;
}

bool Host::connect(Slot& slot) {
  if (give_up_without_all(slot)) return true;
  if (peers_.failed_servers().count() > 0) {  // it cannot be set up any more, whoever has invited
    reply(slot);
    return true;
  }
  bool moved = false;
  for (std::size_t i = 0; i < slot.clients.size(); ++i) {
    if (slot.invited[i]) continue;
    const auto message = handshake::poll(world_, slot.ranks[i], static_cast<int>(handshake::Tag::invite));
    if (!message) continue;
    slot.invited[i] = 1;
    accept(slot, i, *message);
    moved = true;
  }
  if (!slot.announced && std::ranges::count(slot.invited, 0) == 0) {
    slot.announced = true;
    env::maybe_fail("set_up");
    base::ByteWriter writer;
    handshake::put_fault(writer, slot.own_fault);
    slot.set_up->say(writer.take());
    return true;
  }
  if (!slot.set_up->over()) return moved;
  reply(slot);
  return true;
}

void Host::accept(Slot& slot, std::size_t client, std::span<const std::byte> message) {
  try {
    base::ByteReader reader(message);
    if (const auto fault = handshake::get_fault(reader)) throw Error(fault->code, fault->message);
    const std::string invitation = reader.get_text();
    auto consumer = invitation.empty()
                        ? local_ends_.take()
                        : transport::accept(invitation, world_, slot.ranks[client], *bell_.doorbell);
    consumer->receive_into(memory_.arrivals());
    slot.links.push_back({slot.clients[client], std::move(consumer),
                          handshake::process_in_sight(run_, world_.rank(), slot.ranks[client])});
  } catch (...) {
    if (!slot.own_fault) slot.own_fault = base::current_fault();
  }
}

void Host::tell_clients(const Slot& slot, handshake::Tag tag, std::vector<std::byte> bytes) {
  const auto shared = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  for (const int rank : slot.ranks) sendings_.emplace_back(world_, shared, rank, static_cast<int>(tag));
}

void Host::reply(Slot& slot) {
  base::ByteWriter writer;
  handshake::put_fault(writer, slot.fault);
  tell_clients(slot, handshake::Tag::reply, writer.take());
  if (slot.fault) {
    slot.state = Slot::State::over;
    slot.links.clear();
    return forget_doorbell();
  }
  std::ranges::sort(slot.links, {}, &server::Link::client);
  slot.component->start(std::move(slot.links));
  slot.begin_nanoseconds = env::steady_nanoseconds();
  slot.state = Slot::State::running;
  forget_doorbell();
}

// Once nobody is left to attach, the name goes, so that no end of this process can leave it behind.
void Host::forget_doorbell() {
  const bool all_attached = std::ranges::all_of(slots_, [](const auto& slot) {
    return slot->state == Slot::State::running || slot->state == Slot::State::over;
  });
  if (all_attached && !bell_.name.empty()) transport::shm::forget_doorbell(bell_.name);
}

void Host::lose(int server) {
  if (byes_.over() || !lost_.insert(server).second) return;
  const base::Fault fault = peers_.failed_servers().fault(server);
  peers_.pass_on(server);
  messenger_.forget(server);
  const int rank = run_.assignment.servers[static_cast<std::size_t>(server)];
  std::erase_if(sendings_, [rank](const handshake::Sending& sending) { return sending.to() == rank; });
  byes_.lose(server);
  if (server == 0) reporter_.open(fault, false);
  for (const auto& slot : slots_) {
    if (slot->state == Slot::State::running)
      slot->component->lose_server(server, fault);
    else if (slot->state != Slot::State::over && !slot->fault)
      slot->fault = fault;
  }
}

void Host::say_goodbye(Slot& slot) {
  env::maybe_fail("goodbye");
  slot.component->close_channels();
  base::ByteWriter writer;
  writer.put(static_cast<std::int32_t>(slot.component->faults().size()));
  for (const base::Fault& fault : slot.component->faults()) handshake::put_fault(writer, fault);
  tell_clients(slot, handshake::Tag::goodbye, writer.take());
  if (stop_watch_.order() != nullptr)
    for (const telemetry::FileStatus& file : slot.component->file_status())
      base::log_warning(fmt::format("{}: {} is whole up to {} s of model time", stop_watch_.order()->why,
                                    file.path, file.model_time));
  if (const server::Intake* intake = slot.component->intake()) {
    const std::uint64_t lasted = env::steady_nanoseconds() - slot.begin_nanoseconds;
    for (const auto& counted : intake->client_counters()) reporter_.add_client(counted, lasted);
  }
  slot.state = Slot::State::over;
}

void Host::end() {
  ended_ = true;
  byes_.say(reporter_.end(snapshot(), outcome()));
}

void Host::write_report() {
  if (!std::exchange(ended_, true)) reporter_.merge(reporter_.end(snapshot(), outcome()));
  reporter_.write(outcome());
}

bool Host::done() const { return ended_ && byes_.over() && messenger_.idle() && sendings_.empty(); }

void Host::run() {
  env::name_this_thread("tailrace-server");
  const PinnedHere pinned(pins_);
  if (run_.servers().mode == settings::Mode::dedicated) env::return_large_blocks();
  server::LoopOptions options;
  options.watchdog_seconds = run_.servers().watchdog_seconds;
  server::Loop loop(
      options, *bell_.doorbell, [this] { return progress(); }, [this] { return describe(); },
      reporter_.counters());
  loop.stay_awake_while([this] {
    return std::any_of(slots_.begin(), slots_.end(), [](const auto& slot) {
      return slot->state == Slot::State::awaited || slot->state == Slot::State::connecting ||
             (slot->component && slot->component->waits_for_writers());
    });
  });
  loop.look_seldom_while([this] { return announced(); });
  loop.run([this] { return done() || out_of_time(); });
  write_report();
}

bool Host::announced() const {
  return messenger_.size() == 1 && messenger_.idle() && sendings_.empty() &&
         std::all_of(slots_.begin(), slots_.end(), [](const auto& slot) {
           if (slot->state == Slot::State::over) return true;
           const server::Intake* intake = slot->component ? slot->component->intake() : nullptr;
           return slot->state == Slot::State::running && intake && intake->announced();
         });
}

std::optional<base::Fault> Host::fatal() const {
  for (const auto& slot : slots_) {
    if (slot->fault) return slot->fault;
    if (!slot->component) continue;
    if (slot->component->fatal()) return slot->component->fatal();
    if (slot->component->cut() && !slot->component->faults().empty()) return slot->component->faults().back();
  }
  return std::nullopt;
}

std::string Host::outcome() const {
  if (stop_watch_.order() != nullptr) return stop_watch_.order()->why;
  if (const auto fault = fatal()) return fault->message;
  for (const auto& slot : slots_)
    if (slot->component && !slot->component->faults().empty())
      return slot->component->faults().front().message;
  return "complete";
}

telemetry::StatusSnapshot Host::snapshot() const {
  telemetry::StatusSnapshot snapshot;
  for (const auto& slot : slots_) {
    if (!slot->component) continue;
    const server::Intake* intake = slot->component->intake();
    if (intake && intake->tick().step != model::static_step) {
      snapshot.components.push_back(
          {slot->component->info().declarations.component, intake->tick().step, intake->tick().time});
      snapshot.buffer_used = std::max(snapshot.buffer_used, intake->buffer_used());
    }
    for (const telemetry::FileStatus& file : slot->component->file_status()) snapshot.files.push_back(file);
    if (const auto checkpoint = slot->component->checkpoint_status())
      snapshot.checkpoints.push_back(*checkpoint);
  }
  const telemetry::ServerCounters& counters = reporter_.counters();
  snapshot.bytes_in = counters.bytes_in.get();
  snapshot.encoded_bytes_out = counters.encoded_bytes_out.get();
  snapshot.lag_seconds = 1e-9 * static_cast<double>(counters.last_lag_nanoseconds.get());
  snapshot.pending_bytes = counters.held.total();
  return snapshot;
}

std::string Host::describe() {
  std::string text;
  for (const auto& slot : slots_) {
    const std::string& name = run_.assignment.components[static_cast<std::size_t>(slot->number)];
    text += slot->describe(name, messenger_.size());
  }
  if (ended_)
    text += fmt::format("\n    {} of {} servers have ended, as far as this one knows", byes_.heard(),
                        messenger_.size());
  return text + peers_.describe();
}

}  // namespace tailrace::host
