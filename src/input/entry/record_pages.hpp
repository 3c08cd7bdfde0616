// The parts of a variable that were read and are still needed: by records in the same chunks, and by other
// fields that come from the same variable.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "input/chunk_memory.hpp"
#include "input/entry/region.hpp"

namespace tailrace::input {

// One thread at a time. Each reader asks for records in ascending order, and most often all of them for the
// same ones.
class RecordPages {
 public:
  explicit RecordPages(ChunkMemory& chunks) : chunks_(chunks) { add_slot(); }

  int add_reader();  // the number of a further one
  void clear();      // another variable or another structure is read from now on

  // The records that one read has brought, in one piece for each box.
  struct Held {
    std::size_t slot = 0;
    std::size_t file = 0;
    RecordRange range;
    std::vector<env::ReceivedPages> pages;
  };
  // The record if it was kept; to be given back. Nothing: it must be read.
  std::optional<Held> take(std::size_t file, std::int64_t record);
  // Makes room for a read of `range` or its first part, which is then `Held::range`; its pages are empty.
  Held reserve(std::size_t file, RecordRange range, std::uint64_t record_bytes, double to_next);
  // `record`: the one that the reader has used. Keeps the pages if others are still needed.
  void give_back(Held held, int reader, std::int64_t record);
  void drop(const Held& held);  // it could not be read

 private:
  struct Slot {
    explicit Slot(ChunkMemory& chunks) : place(chunks) {}
    std::size_t file = 0;
    RecordRange range;           // empty: nothing is kept
    std::vector<bool> has_done;  // by reader: its last record of the range
    std::uint64_t number = 0;    // of the read, in their order
    ChunkMemory::Place place;
  };
  void add_slot();
  void empty(Slot& slot);

  ChunkMemory& chunks_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t readers_ = 0;
  std::uint64_t reads_ = 0;
};

}  // namespace tailrace::input
