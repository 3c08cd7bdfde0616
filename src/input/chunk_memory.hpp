// The memory in which records wait that share chunks of a file with one that was read, so that each chunk is
// decoded once. One for all entries of a server: an entry may have what the others do not need.
#pragma once

#include <cstdint>
#include <mutex>
#include <set>
#include <vector>

#include "env/shared_pages.hpp"

namespace tailrace::input {

// Safe from several threads.
class ChunkMemory {
 public:
  // More is taken only for a record that is needed while there is no room, as long as it is decoded.
  explicit ChunkMemory(std::uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // The memory of one reader. One thread at a time calls it; what it keeps may be given up for another
  // reader.
  class Place {
   public:
    explicit Place(ChunkMemory& memory);  // which must live longer
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    // Empties the place, and returns for how many records, 1 to `records`, it then has room. If memory is
    // short, readers share it in proportion to what they ask for, except that those give way whose next
    // record is farther away. `seconds`: of model time, to the next record.
    std::int64_t reserve(std::uint64_t record_bytes, std::int64_t records, double seconds);
    void keep(std::vector<env::ReceivedPages> pages);  // REQUIRES: reserve() was called
    std::vector<env::ReceivedPages> take();  // what is kept; empty: it was given up, or nothing was kept
    void clear();

   private:
    friend class ChunkMemory;
    ChunkMemory& memory_;
    // Guarded by the mutex of the memory.
    std::uint64_t bytes_ = 0;   // counted in the memory
    std::uint64_t wanted_ = 0;  // at the last call of reserve()
    double seconds_ = 0.0;      // too
    std::uint64_t last_use_ = 0;
    std::vector<env::ReceivedPages> pages_;  // not empty: kept
  };

  std::uint64_t bytes() const;

 private:
  void empty(Place& place);
  Place* farthest(double seconds);

  const std::uint64_t most_bytes_;
  mutable std::mutex mutex_;
  std::uint64_t bytes_ = 0;  // of all places
  std::uint64_t uses_ = 0;
  std::set<Place*> places_;
};

}  // namespace tailrace::input
