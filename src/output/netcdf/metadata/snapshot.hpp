// What a reader finds from the superblock on: one state of a file, which never changes.
//
// Readers take their time: they read the superblock, then the root group, then one variable after the other,
// and commits go on meanwhile. If a commit changed the object headers in place, a reader could find the old
// shape of one variable and the new shape of the next. So a commit writes copies of all object headers to a
// new place, with all that refers to them, and the superblock then names the new root group: a switch of 48
// bytes. A copy has a front, which only leads on, and a body; what no snapshot changes is a third chunk,
// which they share. What the headers lead to (indices of chunks, and chunks) is shared by all snapshots, for
// it only grows: the shapes in the headers say how much of it there is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "output/netcdf/journal.hpp"
#include "output/netcdf/metadata/object_header.hpp"

namespace tailrace::output::netcdf {

constexpr std::size_t superblock_size = 48;  // of version 2 and 3, with 8-byte addresses

struct Superblock {
  std::array<std::byte, superblock_size> bytes{};

  std::uint64_t end() const { return number_at(bytes, 28, 8); }
  std::uint64_t root() const { return number_at(bytes, 36, 8); }
  Superblock with(std::uint64_t end, std::uint64_t root) const;
};

struct Snapshot {
  std::vector<Patch> writes;           // none of them where a present snapshot has anything
  std::uint64_t root = 0;              // the copy of the root group's header
  std::uint64_t end = 0;               // of the file
  std::vector<HeaderChunk> originals;  // where the headers are that it has copies of
};

// One thread, one file. Keeps to few places: the copies lie in slots that are used in turn. When a slot is
// used again the fronts get other places, and of the bodies only what differs is written.
class SnapshotMaker {
 public:
  // A reader that needs longer from the superblock to the last header than so many commits finds other bytes
  // there.
  static constexpr std::uint64_t slot_count = 128;

  // `read` gives the file as HDF5 wrote it, which ends at `end`, and earlier snapshots.
  Snapshot make(const ReadBytes& read, std::uint64_t root, std::uint64_t end);

 private:
  struct Object {
    std::uint64_t original = 0;
    ObjectHeader header;
    std::vector<HeaderMessage> own;     // messages that differ from snapshot to snapshot
    std::vector<HeaderMessage> shared;  // those that do not
    std::uint64_t copy = 0;             // where the front of its copy lies
    std::uint64_t body = 0;             // the rest of it: `own`
  };
  struct Shared {
    std::uint64_t address = 0;
    Bytes bytes;
  };

  void collect(const ReadBytes& read, std::uint64_t root);
  void take(const ReadBytes& read, std::uint64_t address);
  void share(Snapshot& snapshot);
  void collect_references(const ReadBytes& read);
  void place(Snapshot& snapshot);
  void write_bodies(const ReadBytes& read, Snapshot& snapshot) const;
  void write_fronts(Snapshot& snapshot) const;
  static Bytes front_of(const Object& object);
  static std::size_t body_size(const Object& object);
  std::uint64_t scale_at(const HeaderMessage& message, std::size_t at) const;
  void refer_to_copies(Object& object) const;
  std::size_t collection_size() const;
  Bytes references() const;
  std::uint64_t copy_of(std::uint64_t original) const;

  std::vector<Object> objects_;                      // of the snapshot that is being made; the root is first
  std::map<std::uint64_t, std::size_t> by_address_;  // index into it
  std::map<std::uint64_t, std::size_t> referred_;    // original: number in the collection of references
  // By address: what each number in a collection of references stands for.
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> collections_;
  std::map<std::uint64_t, Shared> shared_;  // by the original's address
  std::vector<std::size_t> sizes_;          // of what lies in each slot
  std::vector<std::uint64_t> slots_;        // where they are
  std::uint64_t made_ = 0;                  // snapshots in them
  std::uint64_t slot_ = 0;                  // where the present snapshot begins
};

}  // namespace tailrace::output::netcdf
