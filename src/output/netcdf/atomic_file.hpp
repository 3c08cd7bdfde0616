// A file that changes atomically from one consistent state to the next. Concurrent readers, and readers after
// a crash, see either the old or the new state. HDF5 itself gives no such guarantee: it changes metadata in
// place and in any order, so a kill between two of its writes leaves a file that no reader opens, and a
// reader that opens the file meanwhile may see half of a change.
//
// The method combines shadow paging (write copies, then switch the root pointer; Lorie 1977) with a redo
// journal (journal.hpp), both known from databases and file systems. Between begin() and commit() HDF5 writes
// to this class through a virtual file driver (driver.hpp) and nothing reaches the disk. Metadata are
// buffered; large values are only referenced in memory. So HDF5, which runs on one thread at a time, never
// waits for the disk. commit() then writes
//   1. values, after the committed end or over older values that they contain, and new metadata after that
//      end: nothing refers to either yet,
//   2. copies of all object headers, with references adjusted to the copies (snapshot.hpp),
//   3. a journal of the changes in place,
//   4. these changes: new entries in chunk indices, from the leaves to the root,
//   5. the superblock, which refers to the copied root header. From here on readers see the new state.
// A process killed before 5 leaves the old state. If it was killed within 4, the journal completes the
// commit. The original headers stay in memory until close(), which writes them where HDF5 expects them. In a
// file of an earlier run they are not rewritten, since a reader may still use them.
//
// A reader with an older superblock ignores everything after the length in that superblock. Data that it may
// access never move beyond this length (known_length). During a run the file is longer than its content (a
// hole, which takes no space), and the superblock names that larger length, for readers that traverse an
// index including new entries. A reader queries the length of the file first, then reads the superblock, and
// rejects a file that is shorter than the superblock states. So superblocks name a length that the file has
// had for some commits already.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "env/file.hpp"
#include "output/netcdf/collected_writes.hpp"
#include "output/netcdf/journal.hpp"
#include "output/netcdf/metadata/overlay.hpp"
#include "output/netcdf/metadata/snapshot.hpp"
#include "output/netcdf/retired_places.hpp"

namespace tailrace::output::netcdf {

// Not thread-safe.
class AtomicFile {
 public:
  // `committed`: the length of the file in its last consistent state; 0 for a new file, which is truncated.
  // `sync`: each step of a commit is flushed to the device before the next begins.
  AtomicFile(std::unique_ptr<env::File> file, std::uint64_t committed, bool sync);

  // Finishes a commit whose last part failed, then starts a change. Throws Error(resource).
  void begin();
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  // Later writes from within `bytes` are kept by reference and not copied: the caller must not change them
  // until commit() or abandon(). Holds one span at a time. The part of `bytes` outside `wanted` is not
  // written to disk at all.
  void refer_to(std::span<const std::byte> bytes) { added_.refer_to(bytes); }
  void refer_to(std::span<const std::byte> bytes, std::span<const std::byte> wanted) {
    added_.refer_to(bytes, wanted);
  }
  // Takes ownership of bytes until commit() or abandon(), so that refer_to() can be used with them.
  std::span<const std::byte> hold(std::vector<std::byte> bytes);
  // `raw`: values of variables, not metadata. Where they overwrite committed values, they must be equal to
  // them in all cells that a reader may access.
  void write(std::uint64_t address, std::span<const std::byte> bytes, bool raw);
  void set_end(std::uint64_t end) { end_ = end; }  // the length of the new state
  // Writes values after the end of the file at once, without keeping them in memory, and returns their
  // address. Nothing refers to them before the next commit. Throws Error(resource).
  std::uint64_t append(std::span<const std::byte> values);
  // A place of these bytes that no reader of the last SnapshotMaker::slot_count commits knows; nothing if
  // there is none. It was given back by retire().
  std::optional<std::uint64_t> reuse(std::uint64_t size) { return places_.take(size); }
  // Whether reuse() would find one.
  bool has_place_for(std::uint64_t size) const { return places_.has(size); }
  // The next commit refers no more to these values.
  void retire(std::uint64_t address, std::uint64_t size) { places_.give(address, size); }
  std::uint64_t end() const;  // the end of the readable bytes
  // The shortest length in the superblocks of all readers that may know the data at this address, over the
  // last SnapshotMaker::slot_count commits. Data that replace these must end within that length.
  std::uint64_t known_length(std::uint64_t address) const;

  // Throws Error(resource), and then the file is as it was before begin(). Only if the changes in place fail,
  // after the journal was written, the next begin() or a repair completes the commit.
  void commit();
  void abandon() noexcept;  // drops all changes since begin()
  // Completes a pending commit, and writes a new file in HDF5's own form. Throws Error(resource), and may be
  // called again.
  void close();

  std::uint64_t committed() const { return committed_; }
  const env::File& file() const { return *file_; }

 private:
  struct Prepared {
    std::vector<Patch> patches;  // the changes in place, in this order
    Overlay kept;                // kept_ and snapshots_ after the commit
    SnapshotMaker snapshots;
    Superblock superblock;
  };
  struct Announced {
    std::uint64_t end = 0;     // of the data that a snapshot refers to
    std::uint64_t length = 0;  // of the file according to its superblock
  };
  Prepared prepare();
  Snapshot take_snapshot(SnapshotMaker& maker, const Superblock& logical);
  void commit_first();
  void commit_next();
  void announce(const Superblock& superblock);
  std::uint64_t reserve(std::uint64_t growth);
  void forget() noexcept;  // drops what was written since begin()
  void finish();
  void sync();

  std::unique_ptr<env::File> file_;
  std::uint64_t committed_;
  const bool sync_;
  const bool existed_;          // before this object was created
  std::uint64_t named_ = 0;     // length of the file in its superblock
  std::uint64_t reserved_ = 0;  // actual length between two commits
  std::uint64_t growth_ = 0;    // the largest growth by a recent commit
  std::uint64_t written_ = 0;   // end of the bytes written since begin()
  std::uint64_t end_;
  Overlay kept_;  // object headers and superblock as HDF5 expects them in the file
  // What HDF5 wrote since begin():
  Overlay changed_;        // metadata before the committed end, which change in place
  CollectedWrites added_;  // all other bytes
  std::list<std::vector<std::byte>> held_;
  std::optional<Journal> unfinished_;
  SnapshotMaker snapshots_;
  std::deque<Announced> announced_;  // by the last commits, in ascending order
  RetiredPlaces places_{SnapshotMaker::slot_count};
  std::optional<Superblock> last_;  // the last one that was written
};

}  // namespace tailrace::output::netcdf
