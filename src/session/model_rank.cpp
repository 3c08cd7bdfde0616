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
#include "handshake/ready/existing_files.hpp"
#include "handshake/ready/wanted_names.hpp"
#include "handshake/stream.hpp"
#include "handshake/unreceived.hpp"
#include "messaging/collectives/polled_allreduce.hpp"
#include "messaging/sending.hpp"
#include "server/embedded/lost_output.hpp"
#include "session/source_cells.hpp"
#include "settings/checkpoint.hpp"
#include "settings/streams.hpp"

namespace tailrace::session {
namespace {

constexpr double seconds_to_ask = 2.0;
constexpr double patience_for_last_records = 1.0;  // seconds, after the goodbye
constexpr double seconds_to_send = 1.5;            // the last message of a rank that gives up

}  // namespace

ModelRank::ModelRank(handshake::Started started, model::Tick begin)
    : ModelRank(std::make_shared<RankHost>(std::move(started)), std::nullopt, begin) {
  guard_ = comm::on_finalize([](void* self) { static_cast<ModelRank*>(self)->leave(); }, this);
  try {
    look_for_restart();
  } catch (...) {
    leave();
    throw;
  }
}

ModelRank::ModelRank(std::shared_ptr<RankHost> host, handshake::Started stream, model::Tick begin)
    : ModelRank(std::move(host), std::optional(std::move(stream)), begin) {
  ranks_.emplace(started_.run, started_.world->rank());
  guard_ = comm::on_finalize([](void* self) { static_cast<ModelRank*>(self)->leave(); }, this);
}

ModelRank::ModelRank(std::shared_ptr<RankHost> host, std::optional<handshake::Started> stream,
                     model::Tick begin)
    : host_(std::move(host)),
      stream_(std::move(stream)),
      started_(stream_ ? *stream_ : host_->started),
      begin_(begin),
      declarer_(started_.run.assignment.components[base::index(started_.number)], started_.component->rank(),
                started_.component->size()),
      server_rank_(started_.run.assignment.servers[base::index(host_->server())]),
      watch_(host_->watch),
      triggers_(started_.run.configurations[base::index(started_.number)], env::system_clock(),
                started_.component->rank() == 0) {
  declarer_.give_options(handshake::given_options(started_.run, started_.number));
  channels_.emplace(started_, declarer_, *host_);
  const auto* checkpoints =
      started_.run.configurations[base::index(started_.number)].sections.find<settings::CheckpointOptions>();
  has_checkpoints_ = checkpoints != nullptr && checkpoints->is_asked_for;
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

bool ModelRank::goes_on_after(const Error& error) {
  if (started_.run.servers().on_server_loss == settings::OnServerLoss::stop) return false;
  const bool of_own = host_->own && host_->own->failed_with(error);
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
    host_->own->progress();
  else
    std::this_thread::sleep_for(std::chrono::duration<double>(std::clamp(waited / 8, 5e-5, 1e-3)));
  if (host_->own) host_->own->look();
  watch_.check_while_waiting(waited, waits_for_);
  check_dead_ranks();
}

void ModelRank::check_dead_ranks() {
  const auto gone = ranks_ ? ranks_->find_dead_rank(started_.number) : std::nullopt;
  if (!gone) return;
  watch_.throw_known_failure();  // the rank may have ended because a server failed
  throw Error(gone->code, gone->message);
}

std::vector<std::byte> ModelRank::await(handshake::Tag tag, const char* what) {
  begin_to_wait(what);
  const int number = tag == handshake::Tag::welcome
                         ? static_cast<int>(tag)
                         : handshake::message_tag(tag, started_.place, started_.components);
  for (;;) {
    if (auto message = messaging::poll(*started_.world, server_rank_, number)) return std::move(*message);
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

// The reason why this rank cannot open a stream. All ranks of the communicator get the fault of any.
std::optional<base::Fault> ModelRank::obstacle_to_stream(const std::string& name) const {
  const auto refuse = [&](const std::string& why) {
    return base::Fault{ErrorCode::usage, fmt::format("open_output of \"{}\": {}", name, why)};
  };
  if (is_stream()) return refuse("a stream opens no stream; expected the session");
  if (state_ == State::failed || state_ == State::finished)
    return refuse(state_ == State::failed ? "ready of the session has failed" : "the session is over");
  if (has_checkpoints_)
    return refuse(
        "the session makes checkpoints, which do not hold streams; expected a configuration without "
        "`checkpoint`");
  if (name.empty() || name.find_first_of("/{}") != std::string::npos)
    return refuse("expected a name of one character or more, without `/`, `{` and `}`");
  for (const std::weak_ptr<ModelRank>& one : host_->streams)
    if (const auto other = one.lock(); other && other->state_ != State::finished &&
                                       settings::stream_of(other->started_.run.sources.front()) == name)
      return refuse("a stream of this name is open; expected its finish first, or another name");
  return std::nullopt;
}

std::shared_ptr<ModelRank> ModelRank::open_stream(int communicator, const std::string& name,
                                                  const std::string& text, model::Tick begin) {
  if (is_silent()) return nullptr;
  begin_to_wait("and the other ranks of the stream, which have not all called open_output");
  ranks_.emplace(started_.run, started_.world->rank());
  std::shared_ptr<ModelRank> stream;
  try {
    receive_welcome();
    handshake::Started started = handshake::open_stream(
        started_, {communicator, name, text, host_->next_place, obstacle_to_stream(name)},
        [this] { meanwhile(); });
    host_->next_place = started.place + 1;
    announce(started);
    stream = std::make_shared<ModelRank>(host_, std::move(started), begin);
  } catch (const messaging::AgreedFault& fault) {
    ranks_.reset();
    throw Error(fault.code(), fault.what());
  } catch (const Error& error) {
    ranks_.reset();
    if (goes_on_after(error)) return nullptr;
    throw;
  }
  ranks_.reset();
  std::erase_if(host_->streams, [](const std::weak_ptr<ModelRank>& one) { return one.expired(); });
  host_->streams.push_back(stream);
  return stream;
}

// The servers learn of the stream before its `ready`, which then finds them awake.
void ModelRank::announce(const handshake::Started& stream) {
  if (stream.component->rank() != 0) return;
  begin_to_wait("to take the notice of a stream");
  messaging::send(*started_.world, handshake::notice_of(stream).to_bytes(),
                  started_.run.assignment.servers.front(), static_cast<int>(handshake::Tag::open), [this] {
                    wake_server();
                    meanwhile();
                  });
  wake_server();
}

void ModelRank::set_file_attribute(const std::string& name, const model::AttributeValue& value) {
  client::set_attribute(late_, "", name, value);
}

// The first rank looks for the file, since another node may see it later.
void ModelRank::open_file(const std::string& path) {
  client::Client& running = client("open_file");
  if (!is_stream())
    throw Error(ErrorCode::usage, "open_file was called for a session; expected a stream of open_output");
  if (is_silent()) return;
  // The ranks' paths on the way up: the first one that differs from those of the ranks below it.
  std::string other;
  const auto answer = [&]() -> std::vector<std::byte> {
    if (!other.empty())
      throw Error(
          ErrorCode::usage,
          fmt::format("open_file of \"{}\", but another rank of the stream opens \"{}\"; expected the "
                      "same path on all ranks",
                      path, other));
    if (const auto complaint = handshake::obstacle_to_file(*plan_, path, host_->opened_files))
      throw Error(complaint->code, complaint->message);
    return {};
  };
  begin_to_wait("and the first rank of the stream, which looks for a file");
  messaging::PolledTree tree(*started_.component);
  try {
    messaging::allreduce(tree,
                         {.join =
                              [&](std::span<const std::byte> bytes) {
                                base::ByteReader reader(bytes);
                                for (int text = 0; text < 2; ++text)
                                  if (std::string theirs = reader.get_text();
                                      theirs != path && !theirs.empty())
                                    other = std::move(theirs);
                              },
                          .merged =
                              [&] {
                                base::ByteWriter writer;
                                writer.put_text(path);
                                writer.put_text(other);
                                return writer.take();
                              },
                          .answer = answer,
                          .meanwhile =
                              [&] {
                                running.throw_fault();
                                meanwhile();
                              }},
                         "open_file failed on all ranks; the first rank of the stream reports the reason");
    while (!tree.sent()) meanwhile();
  } catch (const messaging::AgreedFault& fault) {
    messaging::wait_until_sent(tree, seconds_to_send);
    throw Error(fault.code(), fault.what());
  }
  base::ByteWriter writer;  // of the first rank
  if (started_.component->rank() == 0) {
    writer.put_text(path);
    writer.put_all(std::span<const std::byte>(late_.to_bytes()));
  }
  running.open_file(writer.bytes());
  if (started_.component->rank() == 0)
    for (std::string& place : handshake::places_of_file(*plan_, path))
      host_->opened_files.insert(std::move(place));
  if (is_inline()) host_->own->progress();
}

void ModelRank::close_file() {
  client("close_file").close_file();
  if (is_inline() && !is_silent()) host_->own->progress();
}

bool ModelRank::written(std::int64_t step) {
  client::Client& running = client("written");
  if (!is_stream())
    throw Error(ErrorCode::usage, "written was called for a session; expected a stream of open_output");
  if (is_inline() && !is_silent()) host_->own->progress();
  return running.written(step);
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
    if (client_ && host_->own)  // leave(), which then ends the job, may come before the caller's own report
      base::log_error(base::current_fault().message);
    throw;
  }
}

// An MPI message does not wake a sleeping server, so this rank rings the doorbell of a server on its node.
void ModelRank::receive_welcome() {
  if (host_->doorbell_name) return;
  const auto message = await(handshake::Tag::welcome, "to say how it is reached");
  base::ByteReader reader(message);
  host_->doorbell_name = reader.get_text();
  if (host_->own) return;
  try {
    if (handshake::transport_of(started_.run, started_.world->rank()).shares_memory())
      host_->doorbell = transport::shm::attach_doorbell(*host_->doorbell_name);
  } catch (const Error&) {  // do not delay the other ranks; make_output() reports the fault
  }
}

void ModelRank::wake_server() {
  if (host_->own)
    host_->own->process().doorbell().ring();
  else if (host_->doorbell)
    host_->doorbell->ring();
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
  if (!host_->own) handshake::forget_configurations(started_.run, started_.number);
  if (is_stream())
    ranks_.reset();
  else
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
    transport::ProducerEnd end = channels_->make_output(*plan_);
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
  messaging::send(*started_.world, invitation.take(), server_rank_,
                  handshake::message_tag(handshake::Tag::invite, started_.place, started_.components), [&] {
                    wake_server();
                    meanwhile();
                  });
  const auto message = await(handshake::Tag::reply, "to say that all servers are set up");
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
  parts.opens_files = std::ranges::any_of(
      plan_->files, [](const plan::DatasetPlan& file) { return file.entry.is_opened_by_model; });
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
  if (is_inline() && !(is_silent() && host_->own->failed())) host_->own->work_alone();
  if (is_silent()) return running.step(step, time);
  if (host_->own) host_->own->look();
  watch_.check();
  if (host_->signals && host_->signals->caught() != 0) look_at_signal();
  if (!plan_->inputs.empty()) begin_to_wait("to read an input");
  running.step(step, time);
  if (is_inline()) host_->own->progress();
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
  if (host_->own) host_->own->process().stop_controller().model_asks();
  if (is_inline() && !(is_silent() && host_->own->failed())) try {
      host_->own->progress();
    } catch (const Error& error) {
      if (!goes_on_after(error)) throw;
    }
  const bool server_asks = running.has_server() && running.producer().stop_requested();
  const bool came =
      started_.component->any_says(server_asks || (host_->signals && host_->signals->caught() != 0));
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
  while (host_->own->process().cuts_checkpoint(started_.number)) meanwhile();
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

// Streams that are still open end first, since the servers end with the session.
std::optional<Error> ModelRank::finish_streams() {
  std::optional<Error> error;
  for (const std::weak_ptr<ModelRank>& one : std::exchange(host_->streams, {})) {
    const std::shared_ptr<ModelRank> stream = one.lock();
    if (!stream) continue;
    try {
      stream->finish();
    } catch (const Error& raised) {
      if (!error) error = raised;
    }
  }
  return error;
}

bool ModelRank::declares_nothing() const {
  if (state_ != State::declaring || has_checkpoints_) return false;
  const bool has_files = !started_.run.configurations[base::index(started_.number)].files.empty();
  return !has_files && declarations().fields.empty() && declarations().grids.empty();
}

// A session that only has streams declares nothing. Its ranks agree on its end as those of others do.
void ModelRank::finish() {
  if (is_stream()) return finish_own();
  const std::optional<Error> of_stream = finish_streams();
  try {
    if (declares_nothing()) ready();
    finish_own();
  } catch (const Error&) {
    if (!of_stream) throw;
  }
  if (of_stream) throw *of_stream;
}

void ModelRank::finish_own() {
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
  // A stream may never be due.
  if (errors.empty() && !is_silent() && !is_stream() && !client_->stepped() && !plan_->files.empty() &&
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
  if (!is_stream()) {
    if (host_->own) host_->own->end();
    host_->own.reset();
    host_->signals.reset();
  }
  const bool any_lost = std::ranges::count(errors, ErrorCode::lost, &Error::code) > 0;
  if (!is_stream() && !is_silent() && !any_lost) handshake::check_all_received(started_);
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
  if (!is_stream())
    for (const std::weak_ptr<ModelRank>& one : std::exchange(host_->streams, {}))
      if (const auto stream = one.lock()) stream->leave();
  try {
    const bool runs = client_ != nullptr;  // even if ready failed after all: the servers await this rank
    if (runs)
      client_->abandon();
    else if (state == State::declaring)
      handshake::report_never_ready(started_, {ErrorCode::lost, "left before ready"});
    if (!host_->own) return;
    if (is_stream()) return client_.reset();  // before the server, whose doorbell it rings
    // The files of the others need the server of this rank, which ends the process after a signal.
    const bool stopped = !host_->own->is_inline() && host_->signals && host_->signals->caught() != 0;
    const bool others_know = host_->own->failed() || watch_.any_failed() || stopped;
    if (started_.world->size() > 1 && runs && !others_know) {
      const auto end = host_->own->end_of_run();
      base::log_error(
          fmt::format("rank {} leaves without finish, which ends its server too (servers.mode: attached or "
                      "inline): the job ends; {}",
                      started_.world->rank(), end ? end->message : "what was committed is in the files"));
      comm::abort_job(1);
    }
    client_.reset();
    host_->own->end();
    host_->own.reset();
  } catch (...) {
    base::log_error(base::current_fault().message);
  }
}

}  // namespace tailrace::session
