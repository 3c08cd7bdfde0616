// From records to chunks, and chunks to their homes: cuts each client's part of a record along the chunks of
// its variable, sends the pieces to the servers that own these chunks, puts own chunks together and sends
// finished ones to the sinks. Keeps the one account of the memory that is held on the way.
//
// Workers put pieces and chunks in; only the communication thread sends and delivers. What is held is bounded
// by whoever takes in the next step (ServedComponent::ready_for_step), never here: a piece that is refused
// would be one that another server waits for.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/thread_safety.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/control/control_channel.hpp"
#include "pipeline/routing/outbox.hpp"
#include "pipeline/routing/route.hpp"
#include "pipeline/tasks.hpp"
#include "plan/memory_needs.hpp"
#include "sinks/saved_records.hpp"
#include "sinks/sink.hpp"

namespace tailrace::pipeline::routing {

class Router {
 public:
  // All must live longer.
  struct Parts {
    const Blueprint& blueprint;
    ControlChannel& control;
    Tasks& tasks;
    sinks::SinkServices services;
    // By file of the plan; filled before the first block.
    const std::vector<std::unique_ptr<sinks::Sink>>& sinks;
    std::function<bool()> drops;  // communication thread: whether what arrives now is of no use any more
  };
  Router(Parts parts, std::span<const std::unique_ptr<sampling::OutputVariable>> output_variables);

  // One client's part of a record. From any thread; the values are used during the call only.
  void emit(const sampling::OutputVariable& output_variable, int client, std::int64_t record,
            std::span<const std::byte> values);

  // Communication thread, all of these.
  // A commit is due: own chunks of the file that are not full are to go out as far as its records reach.
  void flush(std::size_t file, const plan::CommitDue& due);
  bool deliver();       // finished chunks to this server's sinks; true if there were any
  bool send(bool all);  // messages that are worth it, or all; true if something was sent
  bool sends_nothing() const { return outbox_.bytes() == 0; }
  bool delivers_nothing() const {
    return piece_bytes_.load(std::memory_order_acquire) + delivered_bytes_.load(std::memory_order_acquire) ==
           0;
  }

  const sinks::Owners& owners() const { return owners_; }
  // What chunks of several records take here. Throws Error(configuration) if that cannot be held.
  plan::MemoryNeed open_need() const;
  // Of the blocks of these clients, which would be made with their first record. Returns bytes.
  std::size_t make_geometry(std::span<const int> clients);
  // What waits in chunks for more records; while nothing is under way.
  void save(model::StateSaver& saver, const std::vector<plan::Pending>& pending) const;
  // Before any block: the saved records go their way again, to chunks and on to the sinks.
  void load(const model::StateLoader& loader, const std::vector<plan::Pending>& pending);

  // Held on the way to sinks, and leaves without any further step.
  std::size_t moving_bytes() const;
  // Of these, pieces that came from other servers and were not worked on yet: workers take them whatever
  // comes; chunks on their way to this server's sinks; and messages that wait here.
  std::size_t unprocessed_bytes() const { return piece_bytes_.load(std::memory_order_relaxed); }
  std::size_t delivered_bytes() const { return delivered_bytes_.load(std::memory_order_relaxed); }
  std::size_t unsent_bytes() const { return outbox_.bytes(); }
  // Held in chunks that wait for more records.
  std::size_t open_bytes() const { return open_bytes_.load(std::memory_order_relaxed); }
  std::size_t geometry_bytes() const { return geometry_bytes_.load(std::memory_order_relaxed); }
  std::size_t record_bytes(std::size_t output_variable) const {
    return routes_[output_variable].variable.record_bytes;
  }

 private:
  struct PieceHead;  // of a piece on its way to a chunk's owner
  struct ChunkHead;  // of a chunk on its way to its home
  struct Delivered {
    std::size_t file, variable;
    output::FinishedChunk chunk;
  };
  const Geometry& geometry(const sampling::OutputVariable& output_variable);
  sinks::SavedRecords saved_records(const sampling::OutputVariable& output_variable,
                                    const std::vector<plan::Pending>& pending) const;
  void send_piece(const sampling::OutputVariable& output_variable, int to, const PieceHead& head,
                  const Piece& piece, std::span<const std::byte> values);
  void check_stream(std::int64_t output_variable) const;
  void receive_piece(const base::SharedBytes& item);
  void chunk_done(const sampling::OutputVariable& output_variable, output::FinishedChunk&& chunk);
  void receive_chunk(const base::SharedBytes& item);

  Parts parts_;
  std::span<const std::unique_ptr<sampling::OutputVariable>> variables_;
  sinks::Owners owners_;
  Outbox outbox_;
  std::atomic<std::size_t> geometry_bytes_{0}, open_bytes_{0};
  // By grid, chunk shape and records per chunk: most variables of a file share one.
  std::map<std::pair<int, std::vector<std::int64_t>>, std::unique_ptr<Geometry>> geometries_;
  std::vector<Route> routes_;  // by number of the stream
  base::Mutex mutex_;
  std::vector<Delivered> delivered_ TAILRACE_GUARDED_BY(mutex_);
  std::atomic<std::size_t> piece_bytes_{0};      // in work
  std::atomic<std::size_t> delivered_bytes_{0};  // of chunks in delivered_
};

}  // namespace tailrace::pipeline::routing
