// The owner of each chunk, which assembles it, and of each file. Computed, so all servers get the same result
// without a message.
#pragma once

#include <cstddef>
#include <cstdint>

#include "output/assembly.hpp"

namespace tailrace::sinks {

// The properties of a variable on which the owners of its chunks depend.
struct OwnedVariable {
  std::size_t file = 0;      // index into the plan's files
  std::size_t variable = 0;  // index into the layout's variables
  std::size_t record_bytes = 0;
  const output::ChunkGrid* grid = nullptr;
  // Assemble its chunks on all servers: useful if they are encoded there or written from there.
  bool spread = true;
};

class Owners {
 public:
  // Smaller records are assembled on the home of the file; larger ones are distributed over the servers.
  static constexpr std::size_t worth_spreading = std::size_t{64} << 10;

  // `component`: its number; the files of several components start on different servers.
  Owners(int component, int servers) : component_(component), servers_(servers) {}

  int servers() const { return servers_; }
  int of_file(std::size_t file) const;
  int of_chunk(const OwnedVariable& variable, std::int64_t spatial, std::int64_t record_chunk) const;

 private:
  int component_;
  int servers_;
};

}  // namespace tailrace::sinks
