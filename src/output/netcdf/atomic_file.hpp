// A file that changes from one whole state to the next: whatever happens in between, it is the old one or the
// new one, for those who read it and after a crash.
//
// HDF5 believes to work in the file in place. Between begin() and commit() nothing is written: what HDF5
// writes is collected, and large values only by where they lie in memory. So HDF5, which serves one thread at
// a time, never waits for the disk. commit() then writes
//   1. values, behind the committed end or over values of which they are a superset, and metadata behind
//      that end: nothing refers to either yet,
//   2. copies of all object headers with what refers to them (snapshot.hpp),
//   3. a journal of what changes in place,
//   4. that: indices of chunks, in which new entries come to be, innermost first,
//   5. the superblock, which names the new copies. From here on readers see the new state.
// A process killed before 5 leaves the old state; if that was within 4, the journal completes the commit. The
// original headers stay in memory until close(), which writes them where HDF5 believes them to be; not those
// of a file that was there before, of which a reader may still be looking at them.
//
// A reader that has an older superblock takes nothing for a part of the file that lies behind the length in
// it. What it may look at does not move there (known_length). While it is written the file is longer than its
// content (the rest takes no space), and the superblock says so, for those who list what is in an index, new
// entries included. A reader asks for the length of the file before it reads the superblock, and refuses a
// file that is shorter than this says: so the length that superblocks name is one that the file has had for
// some commits.
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

namespace tailrace::output::netcdf {

// One thread.
class AtomicFile {
 public:
  // `committed`: how long the file is in its whole state; 0 for a new one, and all that it holds then goes.
  // `sync`: each step of a commit is on the device before the next begins.
  AtomicFile(std::unique_ptr<env::File> file, std::uint64_t committed, bool sync);

  // Finishes a commit whose last part failed, then starts a change. Throws Error(resource).
  void begin();
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  // Of what is written from these bytes no copy is taken: they stay as they are until commit() or abandon().
  // For one span at a time. Of `bytes` those outside `wanted` are not written at all.
  void refer_to(std::span<const std::byte> bytes) { added_.refer_to(bytes); }
  void refer_to(std::span<const std::byte> bytes, std::span<const std::byte> wanted) {
    added_.refer_to(bytes, wanted);
  }
  // Takes bytes over, so that they do stay.
  std::span<const std::byte> hold(std::vector<std::byte> bytes);
  // `raw`: values of fields. Where they lie over committed ones, they must be the same in all cells that a
  // reader may look at.
  void write(std::uint64_t address, std::span<const std::byte> bytes, bool raw);
  void set_end(std::uint64_t end) { end_ = end; }  // how long the new state is
  std::uint64_t end() const;                       // furthest byte that can be read
  // How long the file is for all readers that may know what lies at this address: something that takes its
  // place for them, too, must lie within. For those of the last SnapshotMaker::slot_count commits.
  std::uint64_t known_length(std::uint64_t address) const;

  // Throws Error(resource), and the file then is as it was before begin(); only if the very last part fails,
  // in place, it is finished by the next begin() or by repair.
  void commit();
  void abandon() noexcept;  // back to the committed state
  // Finishes what is left to do and gives the file the form that HDF5 gave it. Throws Error(resource), and
  // may be called again.
  void close();

  std::uint64_t committed() const { return committed_; }
  const env::File& file() const { return *file_; }

 private:
  struct Prepared {
    std::vector<Patch> patches;  // what changes in place, in this order
    Overlay kept;                // kept_ and snapshots_ after the commit
    SnapshotMaker snapshots;
    Superblock superblock;
  };
  struct Announced {
    std::uint64_t end = 0;     // of what a snapshot refers to
    std::uint64_t length = 0;  // of the file, as its superblock says
  };
  Prepared prepare();
  Snapshot take_snapshot(SnapshotMaker& maker, const Superblock& logical);
  void commit_first();
  void commit_next();
  void announce(const Superblock& superblock);
  std::uint64_t reserve(std::uint64_t growth);
  void forget() noexcept;  // what was written since begin()
  void finish();
  void sync();

  std::unique_ptr<env::File> file_;
  std::uint64_t committed_;
  const bool sync_;
  const bool was_there_;        // before this object was
  std::uint64_t named_ = 0;     // how long the file is by its superblock
  std::uint64_t reserved_ = 0;  // how long it is between two commits
  std::uint64_t growth_ = 0;    // the most that a commit added of late
  std::uint64_t written_ = 0;   // furthest byte written since begin()
  std::uint64_t end_;
  Overlay kept_;  // object headers and superblock as HDF5 believes them to be in the file
  // What HDF5 wrote since begin():
  Overlay changed_;        // metadata before the committed end
  CollectedWrites added_;  // all else
  std::list<std::vector<std::byte>> held_;
  std::optional<Journal> unfinished_;
  SnapshotMaker snapshots_;
  std::deque<Announced> announced_;  // by the last commits, ascending
  std::optional<Superblock> last_;   // that was written
};

}  // namespace tailrace::output::netcdf
