#include "output/netcdf/journal.hpp"

#include <array>
#include <bit>
#include <cstring>

#include "base/bytes.hpp"

namespace tailrace::output::netcdf {
namespace {

static_assert(std::endian::native == std::endian::little, "the journal is written little-endian");

// The footer is part of the file format: existing files may have one, so its layout must not change.
struct Footer {
  std::uint64_t begin = 0;
  std::uint64_t length = 0;
  std::uint64_t patches = 0;
  std::uint64_t checksum = 0;  // of the journal from `begin` up to the footer, and of the three numbers above
  std::array<char, 16> magic{};
};
static_assert(sizeof(Footer) == 48);
constexpr std::array<char, 16> magic{'t', 'a', 'i', 'l', 'r', 'a', 'c', 'e',
                                     '-', 'j', 'o', 'u', 'r', 'n', 'l', '1'};

std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (const std::byte byte : bytes) hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3;
  return hash;
}

std::uint64_t checksum(std::span<const std::byte> patches, const Footer& footer) {
  const std::array<std::uint64_t, 3> numbers{footer.begin, footer.length, footer.patches};
  return fnv1a(std::as_bytes(std::span(numbers)), fnv1a(patches, 0xcbf29ce484222325));
}

std::optional<Footer> read_footer(const env::File& file, std::uint64_t size) {
  Footer footer;
  if (size < sizeof(Footer)) return std::nullopt;
  file.read(size - sizeof(Footer), std::as_writable_bytes(std::span<Footer, 1>(&footer, 1)));
  if (footer.magic != magic || footer.begin > size - sizeof(Footer)) return std::nullopt;
  return footer;
}

}  // namespace

void write_journal(env::File& file, const Journal& journal) {
  base::ByteWriter writer;
  for (const Patch& patch : journal.patches) {
    writer.put(patch.address);
    writer.put(static_cast<std::uint64_t>(patch.bytes.size()));
    writer.put_bytes(patch.bytes);
  }
  Footer footer{journal.begin, journal.length, journal.patches.size(), 0, magic};
  footer.checksum = checksum(writer.bytes(), footer);
  writer.put(footer);
  if (file.size() > journal.begin) file.truncate(journal.begin);
  file.write(journal.begin, writer.bytes());
}

std::optional<Journal> read_journal(const env::File& file) {
  const std::uint64_t size = file.size();
  const auto footer = read_footer(file, size);
  if (!footer) return std::nullopt;
  std::vector<std::byte> bytes(size - sizeof(Footer) - footer->begin);
  file.read(footer->begin, bytes);
  if (checksum(bytes, *footer) != footer->checksum) return std::nullopt;

  Journal journal{footer->begin, footer->length, {}};
  base::ByteReader reader(bytes);
  for (std::uint64_t i = 0; i < footer->patches; ++i) {
    Patch patch;
    patch.address = reader.get<std::uint64_t>();
    const auto taken = reader.take(reader.get<std::uint64_t>());
    patch.bytes.assign(taken.begin(), taken.end());
    journal.patches.push_back(std::move(patch));
  }
  return journal;
}

void apply_journal(env::File& file, const Journal& journal, bool sync) {
  for (const Patch& patch : journal.patches) {
    if (sync && &patch == &journal.patches.back()) file.sync();
    file.write(patch.address, patch.bytes);
  }
  if (sync) file.sync();
}

void finish_journal(env::File& file, const Journal& journal) {
  file.sync();
  apply_journal(file, journal, true);
  file.truncate(journal.length);
  file.sync();
}

}  // namespace tailrace::output::netcdf
