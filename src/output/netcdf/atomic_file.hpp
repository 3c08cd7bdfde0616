// A file that changes from one whole state to the next: whatever happens in between, it is the old one or the
// new one.
//
// Between begin() and commit(), bytes behind the committed end go straight to the disk, where nothing refers
// to them yet; bytes before it are kept in memory. commit() writes those as a journal behind the end, then in
// place, then cuts the journal off. A process killed before the journal is whole leaves the old state (and
// rubbish behind its end); one killed after it leaves the new state, to be finished from the journal.
//
// A failed write is remembered, not reported where it happens: from then on everything is kept in memory or
// dropped, so that a library on top can be shut down in order. Ask failure().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/file.hpp"
#include "output/netcdf/journal.hpp"

namespace tailrace::output::netcdf {

// One thread. Pages of 512 bytes, as HDF5 changes a few bytes here and there in old headers and tables: the
// journal is as large as those, and what is new, nearly all of a commit, goes to the disk once. A shadow copy
// of the file would be simpler and would write everything twice.
class AtomicFile {
 public:
  // `committed`: how long the file is in its whole state; 0 for a new one, and all that it holds then goes.
  AtomicFile(std::unique_ptr<env::File> file, std::uint64_t committed);

  // Finishes a commit whose last part failed, then starts a change. Throws Error(resource).
  void begin();
  void read(std::uint64_t address, std::span<std::byte> bytes) const;
  // `raw`: values of fields; not needed any more after a failure.
  void write(std::uint64_t address, std::span<const std::byte> bytes, bool raw);
  // Lets write() change these committed bytes directly. For values that are superseded by a superset of
  // themselves.
  void allow_in_place(std::uint64_t address, std::uint64_t size);
  void set_end(std::uint64_t end) { end_ = end; }  // how long the new state is
  std::uint64_t end() const;                       // furthest byte that can be read
  const std::optional<std::string>& failure() const { return failure_; }

  // Throws Error(resource) with the first failure since begin(), and the file then is as it was before
  // begin(); only if the very last part fails, in place, it is finished by the next begin() or by repair.
  void commit(bool sync);
  void abandon() noexcept;  // back to the committed state

  std::uint64_t committed() const { return committed_; }
  env::File& file() { return *file_; }
  const env::File& file() const { return *file_; }

 private:
  static constexpr std::uint64_t page_size = 512;
  struct Page {
    std::array<std::byte, page_size> bytes{};
    bool describes_shape = false;  // holds (part of) an object header, where a variable's extents are
  };

  void keep(std::uint64_t address, std::span<const std::byte> bytes, bool describes_shape);
  void write_in_place(std::uint64_t address, std::span<const std::byte> bytes);
  bool in_place(std::uint64_t address, std::uint64_t size) const;
  std::vector<Patch> patches() const;

  std::unique_ptr<env::File> file_;
  std::uint64_t committed_;
  std::uint64_t written_ = 0;  // furthest byte put on the disk or kept since begin()
  std::uint64_t end_;
  std::map<std::uint64_t, Page> pages_;  // by page number
  std::vector<std::pair<std::uint64_t, std::uint64_t>> in_place_;
  std::optional<std::string> failure_;
  std::optional<Journal> unfinished_;
};

}  // namespace tailrace::output::netcdf
