// A model rank in a session from `start` to `finish`, or in a stream from `open_output` to `finish`: its
// declarations, then its client.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "client/client.hpp"
#include "client/declarer.hpp"
#include "client/restored_fields.hpp"
#include "comm/communicator.hpp"
#include "handshake/failure_detection/failed_servers.hpp"
#include "handshake/failure_detection/failure_detector.hpp"
#include "handshake/ready.hpp"
#include "handshake/start.hpp"
#include "input/prepared.hpp"
#include "plan/plan.hpp"
#include "session/checkpoint_triggers.hpp"
#include "session/rank_channels.hpp"
#include "session/rank_host.hpp"
#include "transport/endpoints.hpp"

namespace tailrace::session {

class ModelRank {
 public:
  // For a session. `begin`: the initial step and time without a restart. Collective over the component if a
  // restart is possible.
  ModelRank(handshake::Started started, model::Tick begin);
  // For a stream in the session that `host` belongs to.
  ModelRank(std::shared_ptr<RankHost> host, handshake::Started stream, model::Tick begin);
  ~ModelRank();  // without finish: reports to the servers that this rank has left
  ModelRank(const ModelRank&) = delete;
  ModelRank& operator=(const ModelRank&) = delete;

  client::Declarer& declarer();              // throws Error(usage) once ready was called
  client::Client& client(const char* call);  // throws Error(usage) before ready and after finish
  const model::Declarations& declarations() const { return declarer_.declarations(); }
  const handshake::Started& started() const { return started_; }
  int model_comm() const { return started_.model->handle(); }

  // As Session::open_output. Null if a server is lost and the model is to continue without output.
  std::shared_ptr<ModelRank> open_stream(int communicator, const std::string& name, const std::string& text,
                                         model::Tick begin);
  // For a stream; as in Session. An attribute holds for the files that are opened after it was set.
  void set_file_attribute(const std::string& name, const model::AttributeValue& value);
  void open_file(const std::string& path);
  void close_file();
  bool written(std::int64_t step);
  bool is_stream() const { return stream_.has_value(); }

  void ready();
  void step(std::int64_t step, double time);
  bool put_unwanted(int field) noexcept { return is_ready() && client_->put_unwanted(field); }
  bool stop_requested();
  // The step and time of the checkpoint from which the run restarts; null if it does not restart.
  const model::Tick* restart_point();
  // Throws Error(usage) before ready, or without a restart.
  client::RestoredFields restored(const char* call);
  bool available(int field);  // whether the configuration provides this input
  // As client::Client::get. May block until a record of an input is read.
  void get(int field, const client::Target& target);
  bool checkpoint_due();
  void checkpoint();
  void finish();
  bool is_ready() const { return state_ == State::running; }
  // A call threw `error`. Returns true if a server is lost and the model is to continue without output; the
  // call then counts as done.
  bool goes_on_after(const Error& error);
  const std::string& output_lost() const { return output_lost_; }  // why there is no output; empty: there is

 private:
  enum class State { declaring, running, failed, finished };
  ModelRank(std::shared_ptr<RankHost> host, std::optional<handshake::Started> stream, model::Tick begin);
  void leave() noexcept;
  std::optional<Error> finish_streams();
  void finish_own();
  bool declares_nothing() const;
  std::optional<base::Fault> obstacle_to_stream(const std::string& name) const;
  void announce(const handshake::Started& stream);
  void check_dead_ranks();
  void look_for_restart();
  void agree_and_connect();
  void connect(handshake::Agreement& agreement);
  client::ClientParts make_parts();
  [[noreturn]] void throw_shared(const base::Fault& fault, const char* call) const;
  std::vector<std::unique_ptr<const client::FieldSource>> field_sources() const;
  void receive_welcome();
  void wake_server();
  bool any_signalled();
  void look_at_signal();
  bool awaits_checkpoint() const;
  std::optional<Error> checkpoint_before_end();
  bool is_inline() const { return host_->own && host_->own->is_inline(); }
  void begin_to_wait(const char* what);
  void meanwhile();  // called while waiting; throws if a server or rank that is needed has failed
  void go_on_without_output(const std::string& how);
  bool is_silent() const { return !output_lost_.empty(); }
  // Waits for the next message of this rank's server. `what`: what the server is to do, for the log.
  std::vector<std::byte> await(handshake::Tag tag, const char* what);
  std::vector<base::Fault> receive_goodbye();
  void provide_inputs(std::vector<input::PreparedField> fields, std::unique_ptr<transport::Consumer> channel);

  std::shared_ptr<RankHost> host_;
  std::optional<handshake::Started> stream_;
  handshake::Started& started_;  // of the session, or of the stream
  model::Tick begin_;
  bool asked_restarting_ = false;
  // A stop signal, as agreed by all ranks: it came; it made a checkpoint due, or one was made at the
  // step; the model was asked to stop.
  bool signal_came_ = false, signal_is_heeded_ = false, is_to_stop_ = false;
  bool has_checkpoints_ = false;        // the configuration asks for them
  bool asks_for_checkpoints_ = false;   // the model has called checkpoint_due
  bool asks_to_stop_ = false;           // the model has asked about a stop signal
  std::optional<double> signalled_at_;  // steady seconds of the first step after a stop signal to this rank
  State state_ = State::declaring;
  bool finishing_ = false;  // the last packet is sent, and the goodbye is awaited
  client::Declarer declarer_;
  int server_rank_ = -1;  // in the whole run
  handshake::FailureDetector& watch_;
  std::optional<handshake::FailedServers> ranks_;  // while ranks of a stream must not die
  CheckpointTriggers triggers_;
  model::Declarations late_;    // its attributes: those that were set after ready, for files that are opened
  const char* waits_for_ = "";  // what the server is to do
  double waits_since_ = 0.0;    // steady seconds
  std::optional<RankChannels> channels_;  // outlives both ends
  std::optional<plan::Plan> plan_;
  std::unique_ptr<client::Client> client_;
  std::string output_lost_;
  std::unique_ptr<comm::FinalizeGuard> guard_;
};

}  // namespace tailrace::session
