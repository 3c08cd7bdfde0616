// The destination of the finished records of a file on one server: a dataset of this server, or another
// server.
//
// Each server has one sink for each file of the plan, and all get the same commit points in the same order.
// So each sink computes from the points which chunks form a commit, and the servers need no agreement.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "model/state.hpp"
#include "output/assembly.hpp"
#include "plan/commit_clock.hpp"
#include "telemetry/status.hpp"

namespace tailrace::sinks {

// A chunk of a variable, and the server that assembles and encodes it.
struct ChunkPlace {
  std::size_t variable = 0;  // index into the layout's variables
  std::int64_t spatial = 0;
  std::int64_t record_chunk = 0;
  int assembled_on = 0;
};

// A message between the sinks of a file on different servers.
struct SinkMessage {
  bool to_home = false;  // otherwise to all servers, this one too
  std::vector<std::byte> bytes;
};

// The last commit of a file that ends early.
struct FinalCommit {
  plan::CommitDue due;
  bool needs_all = true;  // it needs chunks that other servers assemble
};

// Communication thread only, except for home_of().
class Sink {
 public:
  virtual ~Sink() = default;

  // The server whose sink gets the chunk; the same result on every server. From any thread.
  virtual int home_of(const ChunkPlace& chunk) const = 0;

  // A commit is due. Called in the order of model time; the final commit comes last.
  virtual void point(const plan::CommitDue& due) = 0;
  // A chunk whose home is this server, before or after the commit point that requires it.
  virtual void deliver(std::size_t variable, output::FinishedChunk&& chunk) = 0;
  virtual bool progress() = 0;  // starts writes and collects finished ones; true if anything was done
  // There is no input after this step: replaces incomplete commits of later steps by a final one. `gathered`:
  // the records that are in no commit yet. Returns the final commit of this server; none if it has no part in
  // the file, or if the file has ended.
  virtual std::optional<FinalCommit> cut(const model::Tick& tick, const plan::CommitDue& gathered) = 0;
  virtual void write_soon() = 0;  // memory is short: write commits that wait to be merged
  virtual void give_up() = 0;     // no more chunks will arrive: write complete commits, then close
  virtual bool closed() const = 0;
  // A fault for the model; returned once.
  virtual std::optional<base::Fault> take_fault() = 0;

  virtual std::size_t bytes() const = 0;  // in memory, not yet written
  // The part of these that leaves without input of later steps.
  virtual std::size_t due_bytes(std::int64_t step) const = 0;
  // Commits due up to this step are written, or wait to be merged with later ones; INT64_MAX once the sink is
  // closed.
  virtual std::int64_t written_step() const = 0;
  // The same without those that wait.
  virtual std::int64_t on_disk_step() const { return written_step(); }
  // The next commits are to files that the model opens with these attributes. In order with point().
  virtual void begin_files(std::shared_ptr<const output::Attributes>) {}
  virtual bool writes() const = 0;  // this server writes a part of the file
  // For the status line, on the home of the file; none elsewhere.
  virtual std::optional<telemetry::DatasetStatus> status() const = 0;
  virtual std::string describe() const = 0;  // for the watchdog

  // News for the sinks of the file on other servers; call it after progress(), and pass each message to
  // receive() there.
  virtual std::vector<SinkMessage> take_messages() { return {}; }
  virtual void receive(std::span<const std::byte>) { TAILRACE_ASSERT(false, "a message for another sink"); }

  // Idle: nothing is being written, and no due commit waits for chunks.
  virtual bool at_rest() const = 0;
  // While idle: saves the chunks for the next commit (as SavedRecords) and the position in the file.
  virtual void save(model::StateSaver& saver, const plan::Pending& pending) const = 0;
  // Called first: continues from the saved state. The router delivers the saved chunks again.
  virtual void load(const model::StateLoader& loader, const plan::Pending& pending) = 0;
};

}  // namespace tailrace::sinks
