#include "regrid/maker/digest.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "env/file_system.hpp"

namespace tailrace::regrid {

void Digest::add(std::span<const std::byte> bytes) {
  for (std::uint64_t& half : halves_) half = base::digest(bytes, half);
}

void Digest::add_text(const std::string& text) { add_all(std::vector<char>(text.begin(), text.end())); }

void Digest::add_content(const std::string& path) {
  constexpr std::uint64_t most = std::uint64_t{16} << 20;
  try {
    const auto file = env::system_files().open(path, env::Access::read);
    const std::uint64_t size = file->size();
    std::vector<std::byte> bytes;
    for (std::uint64_t at = 0; at < size; at += bytes.size()) {
      bytes.resize(std::min(most, size - at));
      file->read(at, bytes);
      add(bytes);
    }
  } catch (const Error& error) {  // which does not name the file
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  }
}

std::string Digest::text() const { return fmt::format("{:016x}{:016x}", halves_[0], halves_[1]); }

}  // namespace tailrace::regrid
