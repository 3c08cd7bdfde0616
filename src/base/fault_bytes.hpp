// Faults as bytes, for messages between ranks.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/error.hpp"

namespace tailrace::base {

// A fault or the lack of one.
void put_fault(ByteWriter& writer, const std::optional<Fault>& fault);
std::optional<Fault> get_fault(ByteReader& reader);

// Any number of faults; such bytes may be joined.
std::vector<std::byte> fault_bytes(std::span<const Fault> faults);
std::vector<Fault> faults_in(std::span<const std::byte> bytes);

}  // namespace tailrace::base
