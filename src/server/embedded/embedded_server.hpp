// The server in a model rank, in modes attached and inline: on a thread of its own, or in the model's calls.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "env/signals.hpp"
#include "handshake/start.hpp"
#include "server/server_process.hpp"

namespace tailrace::server {

// Used by the model's thread. What ends the server is told to the others, and thrown in the model's next
// call.
class EmbeddedServer {
 public:
  // Starts the thread, where there is one. Both must live longer; `signals` may be null.
  EmbeddedServer(handshake::Started& started, const env::StopSignals* signals);
  ~EmbeddedServer();  // after end()
  EmbeddedServer(const EmbeddedServer&) = delete;
  EmbeddedServer& operator=(const EmbeddedServer&) = delete;

  ServerProcess& process() { return *process_; }
  bool is_inline() const { return !thread_.joinable(); }
  void look();      // throws what ended the server, or the run
  bool progress();  // inline: what can be done now
  // Inline: what this rank can do alone. What it needs from another rank it takes at a later call: that rank
  // may be waiting for this one in the model's own communication. So a run that a signal ends goes on until
  // all ranks have closed their files; then the signal ends this one, or the end is thrown where it got none.
  void work_alone();
  const std::optional<base::Fault>& end_of_run() const { return end_; }
  bool failed() const { return failed_.load(std::memory_order_acquire); }
  bool failed_with(const Error& error) const { return failed() && fault_->message == error.what(); }
  // Blocks until it is over; logs what ended a thread early. The model hears no more of it.
  void end();

 private:
  void end_if_stopped();
  void take_unheard();  // by a model that leaves early

  handshake::Started& started_;
  std::unique_ptr<ServerProcess> process_;
  std::thread thread_;                             // mode attached
  std::optional<base::Fault> fault_;               // why it ended early; read it once it has failed
  std::optional<base::Fault> end_;                 // inline: how a signal ended the run, in order
  std::atomic<bool> failed_{false}, over_{false};  // over: its thread has nothing more to do
};

}  // namespace tailrace::server
