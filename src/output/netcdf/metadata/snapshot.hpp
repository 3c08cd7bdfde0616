// Snapshots of a file's metadata: a reader that starts from a superblock finds one state, which never
// changes.
//
// A reader first reads the superblock, then the root group, then one variable after another, and commits may
// happen in between. If a commit changed the object headers in place, a reader could see the old shape of one
// variable and the new shape of the next. So a commit copies all object headers to a new place (shadow
// paging), adjusts the references between them, and then rewrites the 48 bytes of the superblock, which refer
// to the new root group. A copy consists of a front, which only points to the other parts, a body with the
// messages that change, and a chunk with all other messages, which the snapshots share. Chunk indices and
// chunks are shared too. They only grow, and the shapes in the headers determine how much of them belongs to
// a snapshot.
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

  std::uint64_t extension() const { return number_at(bytes, 20, 8); }
  std::uint64_t end() const { return number_at(bytes, 28, 8); }
  std::uint64_t root() const { return number_at(bytes, 36, 8); }
  Superblock with(std::uint64_t end, std::uint64_t root) const;
};

struct Snapshot {
  std::vector<Patch> writes;           // they never overlap a snapshot that is still in use
  std::uint64_t root = 0;              // the copy of the root group's header
  std::uint64_t end = 0;               // of the file
  std::vector<HeaderChunk> originals;  // the places of the original headers
};

// Makes the snapshots of one file. Not thread-safe. The copies are in slots that are used in turn, so that
// the file does not grow with each commit. When a slot is reused the fronts move to other addresses, and only
// the differences of the bodies are written.
class SnapshotMaker {
 public:
  // The number of slots. A reader must get from the superblock to the last header within so many commits;
  // after that the slot is reused.
  static constexpr std::uint64_t slot_count = 128;

  // `read` reads the file as HDF5 wrote it, which ends at `end`, and earlier snapshots.
  Snapshot make(const ReadBytes& read, std::uint64_t root, std::uint64_t end);

 private:
  struct Object {
    std::uint64_t original = 0;
    ObjectHeader header;
    std::vector<HeaderMessage> own;     // messages that differ from snapshot to snapshot
    std::vector<HeaderMessage> shared;  // those that do not
    std::uint64_t copy = 0;             // address of the front of its copy
    std::uint64_t body = 0;             // address of its body, with the messages `own`
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

  std::vector<Object> objects_;                      // of the snapshot being made, the root first
  std::map<std::uint64_t, std::size_t> by_address_;  // index into objects_
  std::map<std::uint64_t, std::size_t>
      referred_;  // index into the collection of references, by original address
  // The objects in each collection of references, by the collection's address and their index.
  std::map<std::uint64_t, std::map<std::uint64_t, std::uint64_t>> collections_;
  std::map<std::uint64_t, Shared> shared_;  // by original address
  std::vector<std::size_t> sizes_;          // of the parts of a slot
  std::vector<std::uint64_t> slots_;        // their addresses
  std::uint64_t made_ = 0;                  // number of snapshots made in these slots
  std::uint64_t slot_ = 0;                  // address of the current slot
};

}  // namespace tailrace::output::netcdf
