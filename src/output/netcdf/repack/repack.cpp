#include "output/netcdf/repack/repack.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>

#include "base/error.hpp"
#include "output/netcdf/creation.hpp"
#include "output/netcdf/repack/copy.hpp"
#include "output/netcdf/repack/new_indices.hpp"
#include "output/netcdf/repack/stored.hpp"

namespace tailrace::output::netcdf {
namespace {

// A chunk in another form, or nothing if it stays as it is.
struct Changed {
  Bytes bytes;
  std::uint32_t skipped = 0;
};
using Change =
    std::function<std::optional<Changed>(const StoredVariable& variable, const StoredChunk& chunk)>;

// One more commit: changed chunks go to the end of the file, and their variables get new indices, which lead
// to all their chunks. The old indices and chunks stay for readers that opened the file before.
void change_in_place(AtomicFile& file, const StoredFile& stored, const Change& change) {
  std::vector<RepackedVariable> changed;
  for (const StoredVariable& variable : stored.variables) {
    RepackedVariable repacked{&variable, variable.chunk, variable.chunks};
    bool any = false;
    for (StoredChunk& chunk : repacked.chunks) {
      const auto other = change(variable, chunk);
      if (!other) continue;
      chunk.address = file.append(other->bytes);
      chunk.size = other->bytes.size();
      chunk.skipped = other->skipped;
      any = true;
    }
    if (any) changed.push_back(std::move(repacked));
  }
  if (changed.empty()) return;
  const std::uint64_t begin = (file.end() + 7) / 8 * 8;
  const NewIndices indices = make_indices(changed, begin);
  for (const auto& [address, bytes] : indices.pieces.pieces())
    if (address >= begin) file.write(address, bytes, false);
  file.set_end(indices.end);
  const ReadBytes read = [&file](std::uint64_t address, std::span<std::byte> bytes) {
    file.read(address, bytes);
  };
  for (std::size_t i = 0; i < changed.size(); ++i) {
    const ChangedChunk header =
        with_message(read, changed[i].variable->header, MessageType::layout, indices.layouts[i]);
    file.write(header.address, header.bytes, false);
  }
  file.commit();
}

// Leaves nothing of a change that failed.
void try_to_change(AtomicFile& file, const StoredFile& stored, const Change& change) {
  try {
    change_in_place(file, stored, change);
  } catch (...) {
    file.abandon();
    throw;
  }
}

}  // namespace

Repacked repack(AtomicFile& file, env::FileSystem& files, const std::string& place, RepackOptions options) {
  file.begin();
  StoredFile stored = stored_variables(file);
  stored.keeps_chunks = options.is_continued;
  Repacked repacked;
  repacked.chunks = stored.raw_chunks();
  repacked.bytes_before = file.committed();
  if (is_worth_a_copy(stored, file.committed()) && !has_other_names(place)) {
    try {
      repacked.copy = copy_to_new_file(file, stored, files, place, options.sync);
      repacked.bytes_of_copy = repacked.copy->size();
      return repacked;
    } catch (const Error& error) {
      // There may be no room for a second file. The chunks can still be encoded.
      if (error.code() != ErrorCode::resource || repacked.chunks == 0) throw;
      file.begin();
    }
  }
  try_to_change(file, stored,
                [&](const StoredVariable& variable, const StoredChunk& chunk) -> std::optional<Changed> {
                  if (!variable.is_raw(chunk)) return std::nullopt;
                  return Changed{encoded(variable, read_cells(file, variable, chunk), variable.chunk), 0};
                });
  return repacked;
}

void open_last_chunks(AtomicFile& file) {
  file.begin();
  const StoredFile stored = stored_variables(file);
  try_to_change(
      file, stored, [&](const StoredVariable& variable, const StoredChunk& chunk) -> std::optional<Changed> {
        const bool is_encoded = variable.filters > 0 && variable.codec && chunk.skipped == 0;
        const bool is_open = variable.grows && chunk.offset[0] + variable.chunk[0] > variable.shape[0];
        if (!is_encoded || !is_open) return std::nullopt;
        return Changed{read_cells(file, variable, chunk), (1U << variable.filters) - 1};
      });
}

std::string in_words(const Repacked& repacked) {
  std::string words;
  if (repacked.chunks > 0)
    words =
        fmt::format("{} chunks that several commits had filled were compressed at its end", repacked.chunks);
  if (!repacked.copy) return words;
  return fmt::format("{}it was copied, from {} to {} bytes", words.empty() ? "" : words + "; ",
                     repacked.bytes_before, repacked.bytes_of_copy);
}

}  // namespace tailrace::output::netcdf
