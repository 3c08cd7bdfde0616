// The records of the entries of `input` that this server owns: it has each record read once, keeps it until
// all servers with clients have had it, and sends each of them what its clients need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "env/executor.hpp"
#include "pipeline/control/control_channel.hpp"
#include "pipeline/tasks.hpp"
#include "server/input/entry_thread.hpp"
#include "server/input/input_messages.hpp"
#include "server/input/record_cut.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::server {

// Communication thread only; records are read on the threads of the entries and cut on the workers.
//
// Records that a client needs are read whatever memory they take. Those ahead of the clients are read only
// while less than a bound is held. This cannot deadlock: the records that are held are those that some server
// has not needed yet, and when its clients need them they are sent, and make room.
class RecordOwner {
 public:
  // All must live longer.
  struct Parts {
    pipeline::ControlChannel& control;
    env::Executor& executor;
    const RecordCut& cut;
    std::size_t most_bytes = 0;  // held, of records ahead of the clients
  };
  struct OwnedField {
    const input::PreparedField* field = nullptr;
    EntryThread* thread = nullptr;
    telemetry::InputCounters* counters = nullptr;
  };
  // `fields`: by index in the declarations. `servers`: those with clients.
  RecordOwner(Parts parts, std::map<int, OwnedField> fields, std::set<int> servers);
  ~RecordOwner();  // waits for its work on the workers

  void take(int server, const WantedMessage& wanted);
  void leave(int server);  // it wants no more, or is lost; nothing is sent to it any more
  bool progress();         // true if anything moved
  std::size_t bytes() const { return bytes_; }       // of the records that are held or being read
  bool serves() const { return !servers_.empty(); }  // a server may still want records

 private:
  using Key = std::pair<int, std::int64_t>;  // field, place
  struct Held {
    enum class State { waits_for_room, reading, there, failed } state = State::waits_for_room;
    std::int64_t record = 0;
    bool is_ahead = true;
    std::shared_ptr<const input::RecordValues> values;
    base::Fault fault;
    std::set<int> waiting, answered;  // servers
  };
  struct Answer {
    int server = 0;
    base::Slab message;
  };

  void ask_for_further(const WantedFurther& wanted);
  void tell_growth(EntryThread& thread, const EntryThread::Growth& growth);
  void request(int server, const WantedRecord& wanted);
  void hurry(const Key& key);
  void read(const Key& key, Held& held);
  void read_what_fits();
  void end_read(const RecordReadEnd& end);
  void answer(const Key& key, Held& held);
  void cut_for(int server, const Key& key, const Held& held);
  bool had_by_all(const Key& key, const Held& held) const;
  void drop_if_had(const Key& key);
  void drop_had();
  bool send_answers();

  Parts parts_;
  std::map<int, OwnedField> fields_;
  std::set<EntryThread*> threads_;  // of all of them
  std::set<int> servers_;           // that may still want records
  std::map<Key, Held> records_;
  std::map<std::pair<int, int>, std::int64_t> lowest_;  // by field and server
  std::map<int, std::int64_t> lengths_;                 // of the timelines of fields
  std::deque<Key> waiting_;                             // for room, in the order of the requests
  std::size_t bytes_ = 0;
  std::mutex mutex_;  // guards answers_
  std::vector<Answer> answers_;
  pipeline::Tasks tasks_;
};

}  // namespace tailrace::server
