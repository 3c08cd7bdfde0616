#include "transport/transport.hpp"

namespace tailrace::transport {

void Consumer::take(std::vector<Record>& records, std::size_t most, std::size_t bytes) {
  for (std::size_t taken = 0, size = 0; taken < most && size < bytes; ++taken) {
    const auto record = next();
    if (!record) return;
    records.push_back(*record);
    size += record->payload.size();
    if (record->header.kind != model::RecordKind::block) return;
  }
}

// From the last to the first: only the oldest one frees any room, and then it frees all.
void Consumer::release(std::span<const Record> records) {
  for (auto record = records.rbegin(); record != records.rend(); ++record) release(record->sequence);
}

}  // namespace tailrace::transport
