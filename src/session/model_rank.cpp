#include "session/model_rank.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "client/input_fields.hpp"
#include "env/clock.hpp"
#include "env/faults.hpp"
#include "handshake/ready/wanted_names.hpp"
#include "handshake/unreceived.hpp"
#include "messaging/sending.hpp"
#include "server/embedded/lost_output.hpp"
#include "session/source_cells.hpp"

namespace tailrace::session {
namespace {

constexpr double seconds_to_ask = 2.0;
constexpr double patience_for_last_records = 1.0;  // seconds, after the goodbye

int server_of(const handshake::Started& started) {
  return started.run.assignment.server_of[base::index(started.world->rank())];
}

}  // namespace

ModelRank::ModelRank(handshake::Started started, model::Tick begin)
    : started_(std::move(started)),
      begin_(begin),
      declarer_(started_.run.assignment.components[base::index(started_.number)], started_.component->rank(),
                started_.component->size()),
      watch_(started_, server_of(started_)),
      triggers_(started_.run.configurations[base::index(started_.number)], env::system_clock(),
                started_.component->rank() == 0) {
  declarer_.give_options(handshake::given_options(started_.run, started_.number));
  server_rank_ = started_.run.assignment.servers[base::index(server_of(started_))];
  heed_signals();
  if (started_.run.servers().mode != settings::Mode::dedicated)
    own_ = std::make_unique<server::EmbeddedServer>(started_, signals_ ? &*signals_ : nullptr);
  channels_.emplace(started_, declarer_, watch_, own_.get());
  guard_ = comm::on_finalize([](void* self) { static_cast<ModelRank*>(self)->leave(); }, this);
  try {
    look_for_restart();
  } catch (...) {
    leave();
    throw;
  }
}

void ModelRank::look_for_restart() {
  begin_to_wait("and the first rank of its component, which looks for a checkpoint");
  const auto c = base::index(started_.number);
  started_.restart =
      handshake::find_restart(*started_.component, started_.run.assignment.components[c],
                              started_.run.configurations[c], begin_.step, [this] { meanwhile(); });
  if (started_.restart) begin_ = started_.restart->at;
}

const model::Tick* ModelRank::restart_point() {
  asked_restarting_ = true;
  return started_.restart ? &started_.restart->at : nullptr;
}

client::RestoredFields ModelRank::restored(const char* call) {
  client(call);
  if (!started_.restart)
    throw Error(
        ErrorCode::usage,
        fmt::format("{} was called in a run that does not restart from a checkpoint; call restarting first",
                    call));
  const auto& state = started_.restart->state;
  return {*state, [state] { return state->names(); }, declarer_};
}

std::vector<std::unique_ptr<const client::FieldSource>> ModelRank::field_sources() const {
  std::vector<std::unique_ptr<const client::FieldSource>> sources;
  if (!started_.restart) return sources;
  const auto& state = started_.restart->state;
  sources.push_back(std::make_unique<client::RestoredFields>(
      *state, [state] { return state->names(); }, declarer_));
  return sources;
}

ModelRank::~ModelRank() { leave(); }

void ModelRank::heed_signals() {
  const bool is_dedicated = started_.run.servers().mode == settings::Mode::dedicated;
  const std::vector<int> numbers = server::stop_signals(started_.run.servers(), is_dedicated);
  if (!numbers.empty()) signals_.emplace(env::OwnHandler::left_alone, numbers);
}

bool ModelRank::goes_on_after(const Error& error) {
  if (started_.run.servers().on_server_loss == settings::OnServerLoss::stop) return false;
  const bool of_own = own_ && own_->failed_with(error);
  const bool full = error.code() == ErrorCode::full && watch_.any_failed();  // nobody empties the buffer
  if (!of_own && !full && error.code() != ErrorCode::lost) return false;
  if (is_silent()) return true;
  const auto how = of_own ? std::optional(server::loss_of_own_server(started_.world->rank(), error.what()))
                          : watch_.find_failure();
  if (how) go_on_without_output(*how);
  return how.has_value();
}

// All ranks reach this, since the other servers end their files too; the first rank logs it.
void ModelRank::go_on_without_output(const std::string& how) {
  const bool stepped = client_ && client_->stepped();
  output_lost_ = server::describe_lost_output(started_.run, how,
                                              stepped ? client_->now() : model::Tick{model::static_step, 0});
  if (started_.component->rank() == 0) base::log_warning(output_lost_);
  watch_.watch_own_server_only();
  if (!client_) {
    client::ClientParts parts{nullptr, nullptr, {}, {}, begin_};
    parts.sources = field_sources();
    client_ = std::make_unique<client::Client>(declarer_, started_.component->rank(), std::move(parts));
  }
  client_->fall_silent(output_lost_);
  state_ = State::running;
}

void ModelRank::begin_to_wait(const char* what) {
  waits_for_ = what;
  waits_since_ = env::steady_seconds();
}

// Each wake-up takes time from a server that may share the core, so the pauses grow.
void ModelRank::meanwhile() {
  if (finishing_) {
    client_->producer().flush();  // continues to send spilled packets
    client_->drain_inputs();
  }
  const double waited = env::steady_seconds() - waits_since_;
  if (is_inline())
    own_->progress();
  else
    std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(waited / 8, 5e-5, 1e-3)));
  if (own_) own_->look();
  watch_.check_while_waiting(waited, waits_for_);
}

std::vector<std::byte> ModelRank::await(handshake::Tag tag, const char* what) {
  begin_to_wait(what);
  for (;;) {
    if (auto message = messaging::poll(*started_.world, server_rank_, static_cast<int>(tag)))
      return std::move(*message);
    meanwhile();
  }
}

client::Declarer& ModelRank::declarer() {
  if (state_ == State::declaring) return declarer_;
  throw Error(ErrorCode::usage, state_ == State::running
                                    ? "declarations end with ready; declare before it"
                                    : "the session is over; nothing can be declared any more");
}

client::Client& ModelRank::client(const char* call) {
  if (state_ == State::running) return *client_;
  throw Error(ErrorCode::usage, state_ == State::declaring ? fmt::format("{} was called before ready", call)
                                : state_ == State::failed
                                    ? fmt::format("{} was called although ready had failed", call)
                                    : fmt::format("{} was called after finish", call));
}

void ModelRank::ready() {
  const std::uint64_t begin = env::steady_nanoseconds();
  declarer();
  if (started_.restart && !asked_restarting_)
    throw Error(
        ErrorCode::usage,
        fmt::format(
            "the run restarts from the checkpoint {}, but the model did not call restarting, so it would "
            "start from its initial state; call it before ready, or set `checkpoint.restart: never`",
            started_.restart->checkpoint));
  try {
    agree_and_connect();
    client_->counters().ready_nanoseconds.set(env::steady_nanoseconds() - begin);
  } catch (...) {
    state_ = State::failed;
    if (client_) client_->abandon();
    if (client_ && own_)  // leave(), which then ends the job, may come before the caller's own report
      base::log_error(base::current_fault().message);
    throw;
  }
}

// An MPI message does not wake a sleeping server, so this rank rings the doorbell of a server on its node.
void ModelRank::receive_welcome() {
  const auto message = await(handshake::Tag::welcome, "to say how it is reached");
  base::ByteReader reader(message);
  doorbell_name_ = reader.get_text();
  if (own_) return;
  try {
    if (handshake::transport_of(started_.run, started_.world->rank()).shares_memory())
      doorbell_ = transport::shm::attach_doorbell(doorbell_name_);
  } catch (const Error&) {  // do not delay the other ranks; make_output() reports the fault
  }
}

void ModelRank::wake_server() {
  if (own_)
    own_->process().doorbell().ring();
  else if (doorbell_)
    doorbell_->ring();
}

void ModelRank::agree_and_connect() {
  try {
    receive_welcome();
    handshake::declare_wanted(started_, declarer_);
  } catch (...) {
    handshake::report_never_ready(started_, base::current_fault());
    throw;
  }
  begin_to_wait("and the other ranks of its component, which have not all called ready");
  auto agreement = handshake::agree_on_declarations(
      started_, declarer_, begin_, [this] { meanwhile(); }, [this] { wake_server(); });
  connect(agreement);
  if (!own_) handshake::forget_configurations(started_.run);
  watch_.stop_watching_ranks();
  state_ = State::running;
  env::maybe_fail("statics");
  client_->put_statics(declarer_.statics());
  client_->put_statics(agreement.nodes);
}

// Sends the addresses of the channels, or a fault, to the server; waits until all servers are set up. They
// wait for each rank, so from the agreement to this message a rank that fails must not leave: its fault goes
// to all ranks.
void ModelRank::connect(handshake::Agreement& agreement) {
  client::ClientParts parts;
  transport::ConsumerEnd input;
  base::ByteWriter invitation;
  try {
    env::maybe_fail("plan");
    plan_ =
        agreement.plan ? std::move(agreement.plan) : handshake::plan_for(started_, agreement.declarations);
    parts = make_parts();
    transport::ProducerEnd end = channels_->make_output(*plan_, doorbell_name_);
    parts.producer = std::move(end.producer);
    std::vector<handshake::Invitation> channels{{handshake::Purpose::output, end.invitation}};
    if (!plan_->inputs.empty()) {
      input = channels_->make_input(*plan_);
      channels.push_back({handshake::Purpose::input, input.invitation});
    }
    base::put_fault(invitation, std::nullopt);
    handshake::put_invitations(invitation, channels);
    regrid::put_rank_cells(invitation, cells_of_rank(*plan_, agreement.declarations, declarer_));
    declarer_.forget_corner_nodes();
  } catch (...) {
    base::put_fault(invitation, base::current_fault());
  }
  begin_to_wait("to take its invitation");
  messaging::send(*started_.world, invitation.take(), server_rank_, static_cast<int>(handshake::Tag::invite),
                  [&] {
                    wake_server();
                    meanwhile();
                  });
  const auto message = await(handshake::Tag::reply, "to say that all servers are set up");
  doorbell_.reset();
  base::ByteReader reader(message);
  if (const auto fault = base::get_fault(reader)) throw_shared(*fault, "ready");
  client_ = std::make_unique<client::Client>(declarer_, started_.component->rank(), std::move(parts));
  if (plan_->inputs.empty()) return;
  try {
    provide_inputs(input::get_prepared(reader, plan_->calendar), std::move(input.consumer));
  } catch (...) {  // on all ranks, and the servers run already
    client_->abandon();
    throw_shared(base::current_fault(), "ready");
  }
}

// All but the producer.
client::ClientParts ModelRank::make_parts() {
  client::ClientParts parts{nullptr,
                            plan::make_agenda(*plan_, declarer_.declarations(), begin_,
                                              started_.restart ? started_.restart->state.get() : nullptr),
                            {},
                            {},
                            begin_,
                            started_.restart.has_value(),
                            {},
                            plan::checkpoint_schedule(*plan_, begin_),
                            field_sources()};
  for (const plan::FieldPlan& field : plan_->fields) {
    parts.may_be_missing.push_back(field.optional);
    parts.once.push_back(field.once);
    parts.kept.push_back(field.kept);
  }
  return parts;
}

// The servers have opened the files, and have attached to the doorbell.
void ModelRank::provide_inputs(std::vector<input::PreparedField> fields,
                               std::unique_ptr<transport::Consumer> channel) {
  channels_->forget_input_bell();
  client::InputParts parts;
  parts.fields = std::move(fields);
  parts.calendar = plan_->calendar;
  parts.channel = std::move(channel);
  parts.meanwhile = [this] {
    client_->throw_fault();  // of the component, which ends: its servers send no further record
    meanwhile();
  };
  parts.present = [this](int field) {
    return client::PresentField{declarer_.declarations().fields[base::index(field)].type,
                                client_->present(field)};
  };
  std::vector<int> needed;
  for (const plan::InputPlan& input : plan_->inputs)
    if (input.needs) needed.push_back(*input.needs);
  const model::Declarations& declared = declarations();
  std::vector<client::Client::CopyOfInput> copies;
  for (const plan::InputPlan& input : plan_->inputs) {
    const std::string& name = declared.fields[base::index(input.field)].name;
    if (const auto copy = declared.find_field(std::string(input::name_space) + name))
      copies.push_back({input.field, *copy});
  }
  begin_to_wait("to read an input");
  client_->provide_inputs(
      std::make_unique<client::InputFields>(std::move(parts), declarer_, client_->counters()), needed,
      std::move(copies));
}

bool ModelRank::available(int field) {
  client("available");
  const auto& fields = declarations().fields;
  if (field < 0 || field >= std::ssize(fields))
    throw Error(ErrorCode::usage,
                fmt::format("{} is not the handle of a field; there are {} fields", field, fields.size()));
  if (!fields[base::index(field)].is_input)
    throw Error(
        ErrorCode::usage,
        fmt::format("available was asked about field \"{}\", which is no input; expected one that was "
                    "declared with `input`",
                    fields[base::index(field)].name));
  return std::ranges::count(plan_->inputs, field, &plan::InputPlan::field) > 0;
}

// A server that is lost reads no more files, so the model learns of it even if it goes on without output.
void ModelRank::get(int field, const client::Target& target) {
  client::Client& running = client("get");
  begin_to_wait("to read an input");
  try {
    running.get(field, target);
  } catch (const Error& error) {
    if (is_silent() || !goes_on_after(error)) throw;
    running.get(field, target);
  }
}

// The launcher ends all ranks when one has ended, so the others give the first one time to report the reason.
void ModelRank::throw_shared(const base::Fault& fault, const char* call) const {
  const bool is_first = started_.component->rank() == 0;
  const base::Fault shared = handshake::shared_fault(fault, call, is_first);
  if (!is_first) std::this_thread::sleep_for(std::chrono::milliseconds(500));
  throw Error(shared.code, shared.message);
}

void ModelRank::step(std::int64_t step, double time) {
  client::Client& running = client("step");
  if (is_inline() && !(is_silent() && own_->failed())) own_->work_alone();
  if (is_silent()) return running.step(step, time);
  if (own_) own_->look();
  watch_.check();
  if (signals_ && signals_->caught() != 0) look_at_signal();
  if (!plan_->inputs.empty()) begin_to_wait("to read an input");
  running.step(step, time);
  if (is_inline()) own_->progress();
}

// A model that never asks stop_requested would go on to the end of `grace`; it is given a moment to ask.
void ModelRank::look_at_signal() {
  const double now = env::steady_seconds();
  if (!signalled_at_) signalled_at_ = now;
  client_->run_on(!asks_to_stop_ && now >= *signalled_at_ + seconds_to_ask);
}

// Whether a stop signal reached a server or a rank. Collective, with the same result on every rank.
bool ModelRank::any_signalled() {
  client::Client& running = *client_;
  asks_to_stop_ = true;
  if (own_) own_->process().stop_controller().model_asks();
  if (is_inline() && !(is_silent() && own_->failed())) try {
      own_->progress();
    } catch (const Error& error) {
      if (!goes_on_after(error)) throw;
    }
  const bool server_asks = running.has_server() && running.producer().stop_requested();
  const bool came = started_.component->any_says(server_asks || (signals_ && signals_->caught() != 0));
  signal_came_ = signal_came_ || came;
  return came;
}

// The signal is to make a checkpoint due before it ends the model. A model that never asks for one gets none.
bool ModelRank::awaits_checkpoint() const {
  return plan_->has_checkpoints && plan_->checkpoint_on_signal && asks_for_checkpoints_ && !is_silent() &&
         !signal_is_heeded_ && !client_->checkpoint_made();
}

// A model can only end on all ranks together. It usually asks checkpoint_due, then this: a signal that comes
// between the two calls must not end it before its next checkpoint_due, or it would end without a checkpoint.
bool ModelRank::stop_requested() {
  static_cast<void>(client("stop_requested"));
  if (any_signalled() && !started_.component->any_says(awaits_checkpoint()))
    signal_is_heeded_ = is_to_stop_ = true;
  is_to_stop_ = is_to_stop_ || triggers_.ends();
  return is_to_stop_;
}

// The schedule is the same on all ranks; signals are not, so the ranks agree on them.
bool ModelRank::checkpoint_due() {
  client::Client& running = client("checkpoint_due");
  if (is_silent() || !plan_->has_checkpoints) return false;
  asks_for_checkpoints_ = true;
  const bool looks = plan_->checkpoint_on_signal && !signal_is_heeded_ && !running.checkpoint_due();
  if (looks && (signal_is_heeded_ = any_signalled())) running.request_checkpoint();
  if (!running.checkpoint_made() && triggers_.agree(*started_.component)) running.request_checkpoint();
  return running.checkpoint_due();
}

// In mode inline the servers become quiescent only in the calls of all ranks, which are in this call now.
void ModelRank::checkpoint() {
  client("checkpoint").checkpoint();
  if (!is_inline() || is_silent()) return;
  begin_to_wait("to save its state, with those of all ranks");
  while (own_->process().cuts_checkpoint(started_.number)) meanwhile();
}

// After a stop signal: makes the checkpoint that is due, if all that belongs to it was put. Otherwise returns
// what is lost. A run that reaches its end by itself needs none.
std::optional<Error> ModelRank::checkpoint_before_end() {
  if (is_silent() || !plan_->has_checkpoints || !plan_->checkpoint_on_signal) return std::nullopt;
  if (!signal_came_ || !client_->stepped()) return std::nullopt;
  const bool was_saved = client_->checkpoint_made() || (signal_is_heeded_ && asks_for_checkpoints_);
  if (!client_->checkpoint_due()) {
    if (was_saved || !is_to_stop_) return std::nullopt;
    client_->request_checkpoint();
  }
  const std::string field = client_->awaited_by_checkpoint();
  if (!started_.component->any_says(!field.empty())) {
    checkpoint();
    return std::nullopt;
  }
  client_->withdraw_checkpoint();
  std::int64_t from = client_->checkpointed_at();
  if (from == model::static_step && started_.restart) from = started_.restart->at.step;
  return Error(
      ErrorCode::usage,
      fmt::format(
          "finish was called at step {} after a signal that makes a checkpoint due, but {} of "
          "checkpoint.fields was not put for it, so there is no checkpoint of this step: {}. Where "
          "checkpoint_due says so, put what belongs to the checkpoint and call checkpoint",
          client_->now().step, field.empty() ? "a field" : fmt::format("field \"{}\"", field),
          from == model::static_step
              ? std::string("a next job would begin anew")
              : fmt::format("a next job would go on from step {} and compute the steps since then again",
                            from)));
}

void ModelRank::finish() {
  if (state_ != State::running) return leave();
  std::vector<Error> errors;
  try {
    if (plan_ && plan_->checkpoint_at_end && client_->request_last_checkpoint()) checkpoint();
    if (auto unsaved = checkpoint_before_end()) errors.push_back(std::move(*unsaved));
    client_->finish();
    finishing_ = client_->has_server();
  } catch (const Error& raised) {
    errors.push_back(raised);
    client_->abandon();
  }
  std::vector<base::Fault> faults;
  try {
    if (client_->has_server()) faults = receive_goodbye();
  } catch (const Error& lost) {
    errors.push_back(lost);
    client_->abandon();
  }
  finishing_ = false;
  if (errors.empty() && !is_silent() && !client_->stepped() && !plan_->files.empty() &&
      !started_.restart)  // that may be of the last step
    errors.emplace_back(
        ErrorCode::usage,
        "finish was called without any step, so the files hold no record; call step at each time "
        "step of the model, before wants and put");
  for (const base::Fault& fault : faults) errors.emplace_back(fault.code, fault.message);
  const auto error = std::ranges::find_if(errors, [this](const Error& one) { return !goes_on_after(one); });
  state_ = State::finished;
  guard_.reset();
  client_.reset();  // it rings the doorbell of the server process
  if (own_) own_->end();
  own_.reset();
  signals_.reset();
  const bool any_lost = std::ranges::count(errors, ErrorCode::lost, &Error::code) > 0;
  if (!is_silent() && !any_lost) handshake::check_all_received(started_);
  if (error == errors.end()) return;
  // The servers report their faults to all ranks.
  const auto shared = std::ranges::find(faults, std::string_view(error->what()), &base::Fault::message);
  if (shared != faults.end()) throw_shared(*shared, "finish");
  throw *error;
}

std::vector<base::Fault> ModelRank::receive_goodbye() {
  const auto message = await(handshake::Tag::goodbye, "to close its files");
  const double end = env::steady_seconds() + patience_for_last_records;
  while (!client_->drain_inputs() && env::steady_seconds() < end)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  base::ByteReader reader(message);
  std::vector<base::Fault> faults;
  for (auto count = reader.get<std::int32_t>(); count > 0; --count)
    if (auto fault = base::get_fault(reader)) faults.push_back(std::move(*fault));
  return faults;
}

// Called in exit handlers and destructors: must not throw or leave other ranks waiting.
void ModelRank::leave() noexcept {
  const State state = std::exchange(state_, State::finished);
  guard_.reset();
  if (state == State::finished) return;
  try {
    const bool runs = client_ != nullptr;  // even if ready failed after all: the servers await this rank
    if (runs)
      client_->abandon();
    else if (state == State::declaring)
      handshake::report_never_ready(started_, {ErrorCode::lost, "left before ready"});
    if (!own_) return;
    // The files of the others need the server of this rank, which ends the process after a signal.
    const bool stopped = !own_->is_inline() && signals_ && signals_->caught() != 0;
    const bool others_know = own_->failed() || watch_.any_failed() || stopped;
    if (started_.world->size() > 1 && runs && !others_know) {
      const auto end = own_->end_of_run();
      base::log_error(
          fmt::format("rank {} leaves without finish, which ends its server too (servers.mode: attached or "
                      "inline): the job ends; {}",
                      started_.world->rank(), end ? end->message : "what was committed is in the files"));
      comm::abort_job(1);
    }
    client_.reset();
    own_->end();
    own_.reset();
  } catch (...) {
    base::log_error(base::current_fault().message);
  }
}

}  // namespace tailrace::session
