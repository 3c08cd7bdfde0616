#include "output/netcdf/atomic_file.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tailrace::output::netcdf {
namespace {

bool begins_with(std::span<const std::byte> bytes, const char* signature) {
  return bytes.size() >= 4 && std::memcmp(bytes.data(), signature, 4) == 0;
}

}  // namespace

AtomicFile::AtomicFile(std::unique_ptr<env::File> file, std::uint64_t committed)
    : file_(std::move(file)), committed_(committed), end_(committed) {
  // Cutting even an empty file makes ext4 write all of it to the device when it is closed.
  if (committed_ == 0 && file_->size() > 0) file_->truncate(0);
}

void AtomicFile::begin() {
  if (unfinished_) {
    finish_journal(*file_, *unfinished_, false);
    unfinished_.reset();
  }
  pages_.clear();
  in_place_.clear();
  failure_.reset();
  written_ = 0;
  end_ = committed_;
}

std::uint64_t AtomicFile::end() const { return std::max({committed_, written_, end_}); }

void AtomicFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  file_->read(address, bytes);
  const std::uint64_t end = address + bytes.size();
  for (auto at = pages_.lower_bound(address / page_size); at != pages_.end(); ++at) {
    const std::uint64_t begin_of_page = at->first * page_size;
    if (begin_of_page >= end) break;
    const std::uint64_t from = std::max(address, begin_of_page);
    const std::uint64_t to = std::min(end, begin_of_page + page_size);
    std::memcpy(bytes.data() + (from - address), at->second.bytes.data() + (from - begin_of_page), to - from);
  }
}

void AtomicFile::write(std::uint64_t address, std::span<const std::byte> bytes, bool raw) {
  if (bytes.empty() || (failure_ && raw)) return;
  written_ = std::max(written_, address + bytes.size());
  const bool describes_shape = !raw && (begins_with(bytes, "OHDR") || begins_with(bytes, "OCHK"));
  try {
    if (failure_) return keep(address, bytes, describes_shape);
    if (in_place(address, bytes.size())) return write_in_place(address, bytes);
    // Pages are kept whole, so the page that the committed end lies in is kept too.
    const std::uint64_t border = (committed_ + page_size - 1) / page_size * page_size;
    const std::uint64_t kept = address < border ? std::min<std::uint64_t>(border - address, bytes.size()) : 0;
    if (kept > 0) keep(address, bytes.first(kept), describes_shape);
    if (kept < bytes.size()) file_->write(address + kept, bytes.subspan(kept));
  } catch (const Error& error) {
    if (!failure_) failure_ = error.what();
    if (!raw) keep(address, bytes, describes_shape);
  }
}

// Whole pages go to the disk; at the edges, where other things share the page, it is kept like any other.
void AtomicFile::write_in_place(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::uint64_t head =
      std::min<std::uint64_t>((page_size - address % page_size) % page_size, bytes.size());
  const std::uint64_t tail = (address + bytes.size()) % page_size;
  if (head + tail >= bytes.size()) return keep(address, bytes, false);
  keep(address, bytes.first(head), false);
  const auto middle = bytes.subspan(head, bytes.size() - head - tail);
  pages_.erase(pages_.lower_bound((address + head) / page_size),
               pages_.lower_bound((address + head + middle.size()) / page_size));
  file_->write(address + head, middle);
  keep(address + bytes.size() - tail, bytes.last(tail), false);
}

void AtomicFile::keep(std::uint64_t address, std::span<const std::byte> bytes, bool describes_shape) {
  while (!bytes.empty()) {
    const std::uint64_t number = address / page_size;
    const std::uint64_t at = address % page_size;
    const std::uint64_t count = std::min<std::uint64_t>(page_size - at, bytes.size());
    const auto [place, added] = pages_.try_emplace(number);
    Page& page = place->second;
    if (added && count < page_size) file_->read(number * page_size, page.bytes);
    std::memcpy(page.bytes.data() + at, bytes.data(), count);
    page.describes_shape |= describes_shape;
    bytes = bytes.subspan(count);
    address += count;
  }
}

void AtomicFile::allow_in_place(std::uint64_t address, std::uint64_t size) {
  in_place_.emplace_back(address, size);
}

bool AtomicFile::in_place(std::uint64_t address, std::uint64_t size) const {
  return std::any_of(in_place_.begin(), in_place_.end(), [&](const auto& range) {
    return address >= range.first && address + size <= range.first + range.second;
  });
}

// For a reader that opens the file in just this moment: first the superblock (a longer file harms nobody),
// then the indices of chunks, last the shapes of variables, so that no record is announced before it can be
// found.
std::vector<Patch> AtomicFile::patches() const {
  const auto rank = [](std::uint64_t number, const Page& page) {
    return number == 0 ? 0 : page.describes_shape ? 2 : 1;
  };
  std::vector<Patch> patches;
  for (int wanted = 0; wanted < 3; ++wanted) {
    for (const auto& [number, page] : pages_) {
      const std::uint64_t address = number * page_size;
      if (rank(number, page) != wanted || address >= end_) continue;
      const std::uint64_t size = std::min(page_size, end_ - address);
      const bool follows =
          !patches.empty() && patches.back().address + patches.back().bytes.size() == address;
      if (!follows) patches.push_back({address, {}});
      patches.back().bytes.insert(patches.back().bytes.end(), page.bytes.begin(),
                                  page.bytes.begin() + static_cast<std::ptrdiff_t>(size));
    }
  }
  return patches;
}

void AtomicFile::commit(bool sync) {
  if (failure_) {
    const std::string failure = *failure_;
    abandon();
    throw Error(ErrorCode::resource, failure);
  }
  Journal journal{std::max(end_, committed_), end_, patches()};
  try {
    if (file_->size() < end_) file_->truncate(end_);
    if (!journal.patches.empty()) write_journal(*file_, journal);
    if (sync) file_->sync();
  } catch (const Error&) {
    abandon();
    throw;
  }
  committed_ = end_;
  pages_.clear();
  unfinished_ = std::move(journal);
  finish_journal(*file_, *unfinished_, sync);
  unfinished_.reset();
}

void AtomicFile::abandon() noexcept {
  pages_.clear();
  in_place_.clear();
  written_ = 0;
  end_ = committed_;
  try {
    if (file_->size() > committed_) file_->truncate(committed_);
  } catch (const Error&) {
    // What is left behind the end refers to nothing and is cut off by the next commit.
  }
}

}  // namespace tailrace::output::netcdf
