#include "base/fault_bytes.hpp"

namespace tailrace::base {

void put_fault(ByteWriter& writer, const std::optional<Fault>& fault) {
  writer.put(fault ? static_cast<int>(fault->code) : 0);
  if (fault) writer.put_text(fault->message);
}

std::optional<Fault> get_fault(ByteReader& reader) {
  const int code = reader.get<int>();
  if (code == 0) return std::nullopt;
  TAILRACE_ASSERT(code > 0 && code <= static_cast<int>(ErrorCode::internal), "a fault of no known kind");
  return Fault{static_cast<ErrorCode>(code), reader.get_text()};
}

std::vector<std::byte> fault_bytes(std::span<const Fault> faults) {
  ByteWriter writer;
  for (const Fault& fault : faults) put_fault(writer, fault);
  return writer.take();
}

std::vector<Fault> faults_in(std::span<const std::byte> bytes) {
  std::vector<Fault> faults;
  for (ByteReader reader(bytes); !reader.rest().empty();)
    if (auto fault = get_fault(reader)) faults.push_back(std::move(*fault));
  return faults;
}

}  // namespace tailrace::base
