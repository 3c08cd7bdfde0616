// Places in a file whose values are no longer part of it: those of raw chunks that were encoded. They are
// used again once no reader can know the old values.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tailrace::output::netcdf {

// Not thread-safe.
class RetiredPlaces {
 public:
  // `rest`: the number of commits after which a place may be used again.
  explicit RetiredPlaces(std::uint64_t rest) : rest_(rest) {}

  // The smallest place that has `size` bytes; nothing if there is none.
  std::optional<std::uint64_t> take(std::uint64_t size);
  bool has(std::uint64_t size) const { return find(size) != free_.end(); }
  void give(std::uint64_t address, std::uint64_t size);  // from the next commit on
  void commit();
  void abandon();  // what was taken and given since the last commit

 private:
  struct Place {
    std::uint64_t size = 0;
    std::uint64_t commit = 0;  // the number of the commit that gave it back
  };
  using Places = std::map<std::uint64_t, Place>;  // by address
  Places::const_iterator find(std::uint64_t size) const;

  std::uint64_t rest_;
  std::uint64_t commits_ = 0;
  Places free_, before_;  // `before_`: as at the last commit, where anything was taken since
  bool changed_ = false;
  Places given_;
};

}  // namespace tailrace::output::netcdf
