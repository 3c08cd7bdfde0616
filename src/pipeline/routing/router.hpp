// From records to chunks, and from chunks to their homes. The decomposition of the model and the chunks of a
// variable differ, so the router redistributes the data: it cuts each client's part of a record along the
// chunks, sends the pieces to the servers that own these chunks, assembles and encodes its own chunks
// (output::Assembly), and sends the finished ones to the sinks on their homes. It also counts the memory in
// transit.
//
// Workers add pieces and chunks; only the communication thread sends and delivers. Memory is bounded where
// the next step is accepted (ServedComponent::ready_for_step), never here: another server may wait for a
// piece that was refused, and both would wait for each other.
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
    std::function<bool()> drops;  // communication thread: true if pieces that arrive now are to be discarded
  };
  Router(Parts parts, std::span<const std::unique_ptr<sampling::OutputVariable>> output_variables);

  // One client's part of a record. From any thread; the values are used during the call only.
  void emit(const sampling::OutputVariable& output_variable, int client, std::int64_t record,
            std::span<const std::byte> values);

  // The functions below are for the communication thread.
  // A commit is due: sends the records of the commit that are in open chunks of this server.
  void flush(std::size_t file, const plan::CommitDue& due);
  bool deliver();       // passes finished chunks to this server's sinks; true if there were any
  bool send(bool all);  // sends the bundles that are large enough, or all; true if something was sent
  bool sends_nothing() const { return outbox_.bytes() == 0; }
  bool delivers_nothing() const {
    return piece_bytes_.load(std::memory_order_acquire) + delivered_bytes_.load(std::memory_order_acquire) ==
           0;
  }

  const sinks::Owners& owners() const { return owners_; }
  // The memory of open chunks (check_open_chunks). Throws Error(configuration) if it is too large.
  plan::MemoryNeed open_need() const;
  // Computes the pieces of these clients, which otherwise happens with their first record. Returns bytes.
  std::size_t make_geometry(std::span<const int> clients);
  // Saves the records in open chunks; only while idle.
  void save(model::StateSaver& saver, const std::vector<plan::Pending>& pending) const;
  // Before any block: adds the saved records to chunks again, from which they reach the sinks.
  void load(const model::StateLoader& loader, const std::vector<plan::Pending>& pending);

  // Bytes in transit to the sinks, which leave without any further step.
  std::size_t moving_bytes() const;
  // Parts of these: pieces received from other servers that wait for workers; chunks for this server's sinks;
  // and messages that are not sent yet.
  std::size_t unprocessed_bytes() const { return piece_bytes_.load(std::memory_order_relaxed); }
  std::size_t delivered_bytes() const { return delivered_bytes_.load(std::memory_order_relaxed); }
  std::size_t unsent_bytes() const { return outbox_.bytes(); }
  // Bytes in open chunks.
  std::size_t open_bytes() const { return open_bytes_.load(std::memory_order_relaxed); }
  std::size_t geometry_bytes() const { return geometry_bytes_.load(std::memory_order_relaxed); }
  std::size_t record_bytes(std::size_t output_variable) const {
    return routes_[output_variable].variable.record_bytes;
  }

 private:
  struct PieceHead;  // header of a piece for the owner of its chunk
  struct ChunkHead;  // header of a chunk for its home
  struct Delivered {
    std::size_t file, variable;
    output::FinishedChunk chunk;
  };
  const Geometry& geometry(const sampling::OutputVariable& output_variable);
  sinks::SavedRecords saved_records(const sampling::OutputVariable& output_variable,
                                    const std::vector<plan::Pending>& pending) const;
  void send_piece(const sampling::OutputVariable& output_variable, int to, const PieceHead& head,
                  const Piece& piece, std::span<const std::byte> values);
  void check_variable(std::int64_t output_variable) const;
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
  std::vector<Route> routes_;  // by number of the output variable
  base::Mutex mutex_;
  std::vector<Delivered> delivered_ TAILRACE_GUARDED_BY(mutex_);
  std::atomic<std::size_t> piece_bytes_{0};      // in tasks of workers
  std::atomic<std::size_t> delivered_bytes_{0};  // in delivered_
};

}  // namespace tailrace::pipeline::routing
