// Writes records of input fields into the buffers of a server's clients, when they have room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/slab.hpp"
#include "input/prepared.hpp"
#include "model/block.hpp"
#include "server/input/record_cut.hpp"
#include "transport/transport.hpp"

namespace tailrace::server {

// Communication thread only; never blocks. The records that clients need now come first, then the others in
// the order in which they are needed.
class RecordDelivery {
 public:
  // Adds the next client: call it for each client of the server with inputs, in ascending order. `index`: its
  // place among the clients of the server. The buffer must not be one that waits when it is full.
  void add_client(std::size_t index, std::unique_ptr<transport::Producer> producer);

  // `ahead`: of the clients (RecordWindow::ahead). `places`: by client of the server. The memory of `values`
  // is kept until all clients have their part.
  void add(int field, std::int64_t place, std::int64_t ahead, base::SharedBytes values,
           const std::vector<RecordCut::Place>& places);
  // Comes before all records.
  void add_further(int field, const input::FurtherRecords& further);
  void add_fault(int field, std::int64_t place, std::int64_t ahead, const base::Fault& fault);
  // Drops records of the field below `lowest`, which no client needs any more.
  void drop_below(int field, std::int64_t lowest);

  // The clients have moved on: `ahead` tells how far each record is ahead of them now.
  void reorder(const std::function<std::int64_t(int field, std::int64_t place)>& ahead);
  bool progress();  // true if anything was written
  // Drops what waits, and says to each client that no record comes any more. Call it once.
  void end();

  std::size_t bytes() const { return *bytes_; }  // of the records that wait
  bool waits() const;                            // for room in a buffer
  bool holds_up_client() const;                  // a record that one needs now waits for room

 private:
  struct Record {
    int field = -1;
    std::int64_t place = 0;
    model::PacketKind kind = model::PacketKind::input_record;
    base::SharedBytes values;
    std::shared_ptr<std::size_t> counted_in;
    Record(int field, std::int64_t place, model::PacketKind kind, base::SharedBytes values,
           std::shared_ptr<std::size_t> counted_in);
    ~Record();
    Record(const Record&) = delete;
    Record& operator=(const Record&) = delete;
  };
  struct Waiting {
    std::shared_ptr<const Record> record;
    RecordCut::Place part;  // of its values
    std::int64_t ahead = 0;
  };
  struct Client {
    std::size_t index = 0;
    std::unique_ptr<transport::Producer> producer;  // null: the client is gone
    std::vector<Waiting> waiting;                   // the next one is the last, if they are sorted
    bool is_sorted = true;
    // When the buffer last had no room: the bytes under way, and those of the record.
    std::size_t full_at = SIZE_MAX, full_for = 0;
  };
  static void add(Client& client, Waiting waiting);
  bool write(Client& client);
  bool write(Client& client, Waiting& next);

  std::vector<Client> clients_;
  std::int64_t timelines_ = 0;  // that were added
  std::shared_ptr<std::size_t> bytes_ = std::make_shared<std::size_t>(0);
};

}  // namespace tailrace::server
