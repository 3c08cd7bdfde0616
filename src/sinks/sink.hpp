// Where the finished records of a file go, as one server sees it: into a dataset of this server, to another
// server, later into a checkpoint or a stream.
//
// Each server has one sink for each file of the plan, and all are given the same commit points in the same
// order. So a sink can tell from the points alone which chunks make a commit, and nothing has to be agreed
// on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "model/state.hpp"
#include "output/assembly.hpp"
#include "plan/commit_clock.hpp"
#include "telemetry/status.hpp"

namespace tailrace::sinks {

// A chunk of a variable, and the server that puts it together and encodes it.
struct ChunkPlace {
  std::size_t variable = 0;  // index into the layout's variables
  std::int64_t spatial = 0;
  std::int64_t record_chunk = 0;
  int assembled_on = 0;
};

// Communication thread only, but for home_of().
class Sink {
 public:
  virtual ~Sink() = default;

  // The server whose sink is to get the chunk; the same answer on every server. From any thread.
  virtual int home_of(const ChunkPlace& chunk) const = 0;

  // A commit is due. In the order of model time; the final one comes last.
  virtual void point(const plan::CommitDue& due) = 0;
  // A chunk whose home is this server; before or after the point that asks for it.
  virtual void deliver(std::size_t variable, output::FinishedChunk&& chunk) = 0;
  virtual bool progress() = 0;  // starts what can be written, takes in what was; true if anything moved
  // Nothing of steps after this one will come: commits of such steps that still wait are replaced by a final
  // one. `gathered`: what is not in a commit yet. The lengths that this one has; none where it is not
  // written from here.
  virtual std::optional<plan::CommitDue> cut(const model::Tick& tick, const plan::CommitDue& gathered) = 0;
  virtual void write_soon() = 0;  // memory is short: what waits for company is written now
  virtual void give_up() = 0;     // nothing more will come: write what is complete, then close
  virtual bool closed() const = 0;
  // What the model has to know; once.
  virtual std::optional<base::Fault> take_fault() = 0;

  virtual std::size_t bytes() const = 0;  // held until they are written
  // Of these, what leaves without any input of steps after this one.
  virtual std::size_t due_bytes(std::int64_t step) const = 0;
  // Commits that were due up to this step are written, or wait here for company, as they are small; the
  // largest number once nothing more will be.
  virtual std::int64_t written_step() const = 0;
  virtual bool writes() const = 0;  // whether anything is written from this server
  // For the status line, from the server that speaks for the file; nothing on the others.
  virtual std::optional<telemetry::DatasetStatus> status() const = 0;
  virtual std::string describe() const = 0;  // for the watchdog

  // Nothing is being written, and no commit that is due waits for its chunks.
  virtual bool at_rest() const = 0;
  // While it is at rest: what this sink holds for the next commit (as
  // SavedRecords), and how far it has come.
  virtual void save(model::StateSaver& saver, const plan::Pending& pending) const = 0;
  // Before anything else: goes on from there. What waited for a commit is delivered again.
  virtual void load(const model::StateLoader& loader, const plan::Pending& pending) = 0;
};

}  // namespace tailrace::sinks
