// Who puts which chunk together, and who speaks for which file: arithmetic that gives the same answer on
// every server, so that no message has to say so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "output/assembly.hpp"

namespace tailrace::sinks {

// A variable of a file, as far as its owners depend on it.
struct OwnedVariable {
  std::size_t file = 0;      // index into the plan's files
  std::size_t variable = 0;  // index into the layout's variables
  std::size_t record_bytes = 0;
  const output::ChunkGrid* grid = nullptr;
  // Whether it pays to put its chunks together on all servers: they are encoded there, or stay there.
  bool spread = true;
};

class Owners {
 public:
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
