#include "sinks/owners.hpp"

namespace tailrace::sinks {

int Owners::of_file(std::size_t file) const {
  return static_cast<int>((file + static_cast<std::size_t>(component_)) % static_cast<std::size_t>(servers_));
}

int Owners::of_chunk(const OwnedVariable& variable, std::int64_t spatial, std::int64_t record_chunk) const {
  const int file = of_file(variable.file);
  if (!variable.spread || variable.record_bytes < worth_spreading) return file;
  // Chunks of several records keep their owner, because it holds them open from commit to commit.
  const std::int64_t turn =
      variable.grid->records_per_chunk > 1 ? 0 : record_chunk * variable.grid->chunks_per_record();
  return static_cast<int>((file + static_cast<std::int64_t>(variable.variable) + spatial + turn) % servers_);
}

}  // namespace tailrace::sinks
