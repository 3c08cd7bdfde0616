#include "input/reader/process/read_count.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

namespace tailrace::input::process {
namespace {

struct Counted {
  std::uint64_t bytes = 0;
  std::uint64_t own = 0;  // which looking adds to it afterwards
};

std::optional<Counted> look() {
  static const int file = ::open("/proc/self/io", O_RDONLY | O_CLOEXEC);
  std::array<char, 512> text{};
  const ssize_t size = file < 0 ? -1 : ::pread(file, text.data(), text.size(), 0);
  constexpr std::string_view word = "rchar: ";
  if (size <= 0) return std::nullopt;
  const std::string_view read(text.data(), static_cast<std::size_t>(size));
  const auto at = read.find(word);
  Counted counted{0, static_cast<std::uint64_t>(size)};
  if (at == read.npos ||
      std::from_chars(read.data() + at + word.size(), read.data() + read.size(), counted.bytes).ec !=
          std::errc())
    return std::nullopt;
  return counted;
}

}  // namespace

ReadCount::ReadCount() {
  if (const auto counted = look()) begin_ = counted->bytes + counted->own;
}

std::optional<std::uint64_t> ReadCount::bytes() const {
  const auto end = look();
  if (!begin_ || !end) return std::nullopt;
  return end->bytes - *begin_;
}

}  // namespace tailrace::input::process
