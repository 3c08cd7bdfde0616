#include "transport/ring/spill_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "base/error.hpp"

namespace tailrace::transport {
namespace {

constexpr std::uint64_t punch_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t claim_bytes = std::uint64_t{16}
                                      << 20;  // an allocation of any size takes milliseconds
constexpr std::uint64_t kept_bytes = std::uint64_t{64}
                                     << 20;  // of the file stay allocated and are used again
constexpr std::size_t kept_packets = (std::size_t{1} << 20) / sizeof(PacketHead);

}  // namespace

SpillFile SpillFile::create(const std::string& directory) {
  std::string path = directory + "/tailrace-spill-XXXXXX";
  const int descriptor = mkostemp(path.data(), O_CLOEXEC);
  if (descriptor < 0) {
    throw Error(ErrorCode::resource,
                fmt::format("cannot create a spill file in {} (servers.spill_directory): {}", directory,
                            std::strerror(errno)));
  }
  return {descriptor, path};
}

SpillFile SpillFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) {
    throw Error(ErrorCode::resource, fmt::format("cannot open the spill file {} of the other end: {}", path,
                                                 std::strerror(errno)));
  }
  return {descriptor, path};
}

SpillFile::SpillFile(SpillFile&& other) noexcept
    : descriptor_(other.descriptor_), path_(std::move(other.path_)) {
  other.descriptor_ = -1;
}

SpillFile::~SpillFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void SpillFile::unlink() { ::unlink(path_.c_str()); }

SpillFile SpillFile::duplicate() const {
  const int copy = fcntl(descriptor_, F_DUPFD_CLOEXEC, 0);
  if (copy < 0)
    throw Error(ErrorCode::resource,
                fmt::format("cannot share the spill file {}: {}", path_, std::strerror(errno)));
  return {copy, path_};
}

void SpillWriter::refuse(int error, std::uint64_t bytes) const {
  throw Error(
      ErrorCode::resource,
      fmt::format(
          "cannot spill {} bytes to {} (servers.spill_directory): {}; the buffer in memory is full and "
          "the spill file holds {} bytes that have not been read yet",
          bytes, file_.path(), std::strerror(error),
          control_.spill_tail.load() - control_.spill_head.load()));
}

bool SpillWriter::drained() const {
  return control_.spill_head.load(std::memory_order_acquire) ==
         control_.spill_tail.load(std::memory_order_relaxed);
}

void SpillWriter::claim(std::uint64_t offset, std::uint64_t bytes) {
  const int file = file_.descriptor();
  if (offset == 0 && claimed_ > kept_bytes && ftruncate(file, static_cast<off_t>(kept_bytes)) == 0)
    claimed_ = kept_bytes;
  const std::uint64_t end = offset + bytes;
  if (end <= claimed_) return;
  const auto from = static_cast<off_t>(claimed_);
  const std::uint64_t generous = std::max(end, claimed_ + claim_bytes);
  if (fallocate(file, 0, from, static_cast<off_t>(generous - claimed_)) == 0) {
    claimed_ = generous;
  } else if (fallocate(file, 0, from, static_cast<off_t>(end - claimed_)) == 0) {
    claimed_ = end;
  } else if (errno != EOPNOTSUPP && errno != ENOSYS) {  // where room cannot be claimed, publish finds out
    refuse(errno, bytes);
  }
}

std::byte* SpillWriter::reserve(std::size_t payload) {
  const std::uint64_t tail = control_.spill_tail.load(std::memory_order_relaxed);
  if (drained()) control_.spill_base = tail;  // continue at the start of the file
  const std::uint64_t bytes = packet_size(payload);
  claim(tail - control_.spill_base, bytes);
  packet_.resize(bytes / sizeof(PacketHead));
  payload_ = payload;
  return reinterpret_cast<std::byte*>(packet_.data() + 1);
}

void SpillWriter::publish(const model::PacketHeader& header, std::uint64_t sequence) {
  const std::uint64_t bytes = packet_size(payload_);
  packet_.front() = PacketHead{.sequence = sequence, .payload = payload_, .total = bytes, .header = header};
  const std::uint64_t tail = control_.spill_tail.load(std::memory_order_relaxed);
  const auto* data = reinterpret_cast<const std::byte*>(packet_.data());
  for (std::uint64_t written = 0; written < bytes;) {
    const ssize_t count = pwrite(file_.descriptor(), data + written, bytes - written,
                                 static_cast<off_t>(tail - control_.spill_base + written));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) refuse(count < 0 ? errno : ENOSPC, bytes);
    written += static_cast<std::uint64_t>(count);
  }
  if (packet_.size() > kept_packets) packet_ = {};
  control_.spill_tail.store(tail + bytes, std::memory_order_release);
}

void SpillReader::read(std::uint64_t position, void* place, std::size_t bytes) {
  auto* to = static_cast<std::byte*>(place);
  for (std::size_t got = 0; got < bytes;) {
    const ssize_t count = pread(file_.descriptor(), to + got, bytes - got,
                                static_cast<off_t>(position - control_.spill_base + got));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      throw Error(ErrorCode::resource,
                  fmt::format("cannot read {} bytes from the spill file {}: {}", bytes, file_.path(),
                              count < 0 ? std::strerror(errno) : "it ends too early"));
    }
    got += static_cast<std::size_t>(count);
  }
}

const PacketHead* SpillReader::peek() {
  if (head_) return &*head_;
  if (position_ == control_.spill_tail.load(std::memory_order_acquire)) return nullptr;
  PacketHead head;
  read(position_, &head, sizeof head);
  TAILRACE_ASSERT(head.total == packet_size(head.payload), "the spill file of a channel was overwritten");
  head_ = head;
  return &*head_;
}

void SpillReader::take(std::byte* payload) {
  const PacketHead head = *head_;
  if (head.payload > 0) read(position_ + sizeof(PacketHead), payload, head.payload);
  position_ += head.total;
  head_.reset();
  unpunched_ += head.total;
  if (unpunched_ >= punch_bytes) {  // before the release: afterwards the producer may truncate the file
    const std::uint64_t base = control_.spill_base;
    const std::uint64_t begin =
        std::max((std::max(position_ - unpunched_, base) - base) / 4096 * 4096, kept_bytes);
    const std::uint64_t end = (position_ - base) / 4096 * 4096;
    if (end > begin)
      fallocate(
          file_.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(begin),
          static_cast<off_t>(end - begin));  // if it is not supported, the space is freed when all is read
    unpunched_ = 0;
  }
  control_.spill_head.store(position_, std::memory_order_release);
}

}  // namespace tailrace::transport
