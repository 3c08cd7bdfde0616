#include "output/zarr/object_file.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::output::zarr {
namespace {

constexpr std::uint64_t read_ahead = std::uint64_t{8} << 20;

// Bytes past the end are zero.
void copy_out(std::span<const std::byte> from, std::uint64_t at, std::span<std::byte> to) {
  const std::uint64_t first = std::min<std::uint64_t>(at, from.size());
  const std::size_t count = std::min<std::size_t>(from.size() - first, to.size());
  std::ranges::copy(from.subspan(first, count), to.begin());
  std::ranges::fill(to.subspan(count), std::byte{0});
}

}  // namespace

void BufferFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  copy_out(bytes_, address, bytes);
}

void BufferFile::write(std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes_.size() < address + bytes.size()) bytes_.resize(address + bytes.size());
  std::ranges::copy(bytes, bytes_.begin() + static_cast<std::ptrdiff_t>(address));
}

void ObjectFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  const std::uint64_t end = std::min(size_, address + bytes.size());
  if (address < end && (address < first_ || end > first_ + ahead_.size())) {
    const std::uint64_t wanted = std::max<std::uint64_t>(read_ahead, bytes.size());
    ahead_ = client_->get_range(key_, address, std::min(size_ - address, wanted));
    first_ = address;
  }
  if (address >= end) return std::ranges::fill(bytes, std::byte{0}), void();
  copy_out(ahead_, address - first_, bytes);
}

void ObjectFile::write(std::uint64_t, std::span<const std::byte>) {
  TAILRACE_ASSERT(false, "an object is not written in place");
}

void ObjectFile::truncate(std::uint64_t) { TAILRACE_ASSERT(false, "an object is not shortened in place"); }

}  // namespace tailrace::output::zarr
