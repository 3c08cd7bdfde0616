#include "output/netcdf/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/error.hpp"
#include "env/file_system.hpp"
#include "env/open_files.hpp"
#include "output/checks.hpp"
#include "output/netcdf/append/existing.hpp"
#include "output/netcdf/creation.hpp"
#include "output/netcdf/hdf5.hpp"
#include "output/netcdf/journal.hpp"
#include "output/netcdf/names.hpp"
#include "output/netcdf/repack/repack.hpp"
#include "output/netcdf/repack/stored.hpp"

namespace tailrace::output::netcdf {
namespace {

// The superblock of an HDF5 file, version 2 or 3, as far as an inspection needs it.
struct Front {
  bool marked_open = false;  // version 3: a program has the file open for writing, or was killed while it did
  std::uint64_t length = 0;  // of the file according to its superblock
};

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

Front read_superblock(const env::File& file) {
  constexpr std::array<unsigned char, 8> signature{0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  std::array<std::byte, 48> front;
  file.read(0, front);
  if (file.size() == 0) refuse("is empty");
  if (std::memcmp(front.data(), "CDF", 3) == 0)
    refuse("is a classic netCDF file, which Tailrace does not write");
  if (std::memcmp(front.data(), signature.data(), signature.size()) != 0)
    refuse("is not a NetCDF-4 (HDF5) file");
  const auto version = std::to_integer<int>(front[8]);
  if (version < 2 || version > 3 || std::to_integer<int>(front[9]) != 8)
    refuse(fmt::format("was not written by Tailrace (HDF5 superblock version {})", version));
  Front superblock;
  superblock.marked_open = version == 3 && (std::to_integer<int>(front[11]) & 5) != 0;
  std::memcpy(&superblock.length, front.data() + 28, sizeof superblock.length);
  return superblock;
}

struct Contents {
  std::vector<std::string> lengths;  // "time 12", one for each unlimited dim
};

extern "C" herr_t tailrace_visit_dataset(hid_t group, const char* name, const H5L_info_t*, void* into) {
  const hid_t dataset = H5Dopen2(group, name, H5P_DEFAULT);
  if (dataset < 0) return -1;
  const hid_t space = H5Dget_space(dataset);
  hsize_t size[H5S_MAX_RANK] = {}, most[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space, size, most);
  if (rank == 1 && most[0] == H5S_UNLIMITED && H5Aexists(dataset, "_Netcdf4Dimid") > 0)
    static_cast<Contents*>(into)->lengths.push_back(fmt::format("{} {}", name, size[0]));
  H5Sclose(space);
  H5Dclose(dataset);
  return rank < 0 ? -1 : 0;
}

// Opens the file like any reader and visits every variable.
Contents read_contents(const std::string& path) {
  const Hdf5Lock lock;
  const Id access(H5Pcreate(H5P_FILE_ACCESS), &H5Pclose, "cannot make access properties");
  check(H5Pset_file_locking(access, false, true), "cannot switch locking off");
  const Id file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), &H5Fclose, "is damaged");
  Contents contents;
  check(H5Literate(file, H5_INDEX_NAME, H5_ITER_INC, nullptr, &tailrace_visit_dataset, &contents),
        "is damaged");
  return contents;
}

std::string records(const Contents& contents) {
  if (contents.lengths.empty()) return "no unlimited dimension";
  return fmt::format("records: {}", fmt::join(contents.lengths, ", "));
}

std::string note_on_leftover(const std::string& path) {
  const std::string leftover = name_while_created(std::filesystem::absolute(path).string());
  if (env::system_files().entry(leftover) == env::Entry::none) return "";
  return fmt::format(
      " ({} is left from a run that was killed while it created the file; a new run replaces it)", leftover);
}

Inspection whole(const std::string& path, bool repaired, const std::string& what) {
  return {true, repaired,
          fmt::format("{}: {}; {}{}", path, what, records(read_contents(path)), note_on_leftover(path))};
}

Inspection finish_commit(const std::string& path, env::File& file, const Journal& journal, bool repair) {
  if (!repair) {
    const std::string what =
        "the run was killed in the last part of a commit; `tailrace inspect --repair` completes it";
    try {
      return whole(path, false, what);  // readers see the state before that commit
    } catch (const Error&) {
      return {false, false, fmt::format("{}: {}{}", path, what, note_on_leftover(path))};
    }
  }
  finish_journal(file, journal);
  return whole(path, true, "repaired: the interrupted commit is complete");
}

// Whether the bytes after the end are the room that a session reserves for later commits: they are all 0.
bool ends_with_room(const env::File& file, std::uint64_t size) {
  std::array<std::byte, 16> last{};
  if (size >= last.size()) file.read(size - last.size(), last);
  return std::ranges::all_of(last, [](std::byte byte) { return byte == std::byte{0}; });
}

Inspection look(const std::string& path, bool repair) {
  env::FileSystem& files = env::system_files();  // the system's own: HDF5 opens the file by its name
  const env::Entry entry = files.entry(path);
  if (entry == env::Entry::none) refuse(fmt::format("no such file{}", note_on_leftover(path)));
  if (entry == env::Entry::other) refuse("is not a file");
  const auto opened = files.open(path, repair ? env::Access::update : env::Access::read);
  env::File& file = *opened;
  const Front superblock = read_superblock(file);
  if (file.other_writer()) return whole(path, false, "is being written by a running session");
  if (const auto journal = read_journal(file)) return finish_commit(path, file, *journal, repair);
  const std::uint64_t size = file.size();
  if (size < superblock.length)
    refuse(
        fmt::format("is truncated: {} of {} bytes exist; this cannot be repaired", size, superblock.length));
  if (superblock.marked_open) {
    refuse(
        fmt::format("another program opened it for writing, and has not closed it: {}; if none writes it any "
                    "more, `h5clear -s` "
                    "removes the mark",
                    env::who_writes(path, repair ? 1 : 0)));
  }
  if (size == superblock.length || ends_with_room(file, size)) return whole(path, false, "complete");
  const std::string rest = fmt::format("{} bytes of an interrupted commit", size - superblock.length);
  if (!repair)
    return whole(path, false, fmt::format("complete, with {} after its end, which readers ignore", rest));
  read_contents(path);  // throws before anything is truncated if the file is damaged otherwise
  file.truncate(superblock.length);
  return whole(path, true, fmt::format("repaired: {} were removed", rest));
}

// The second part of an inspection: a run that was killed leaves chunks that it had begun to fill. `found`:
// what the first part found; the file can be read.
Inspection look_at_chunks(const std::string& path, bool repair, const Inspection& found) {
  auto opened = env::system_files().open(path, repair ? env::Access::update : env::Access::read);
  const Front superblock = read_superblock(*opened);
  if (opened->other_writer() || read_journal(*opened)) return found;
  if (repair && !opened->mark_as_writer()) return found;
  AtomicFile file(std::move(opened), superblock.length, true);
  file.begin();
  std::uint64_t raw = 0;
  try {
    const StoredFile stored = stored_variables(file);
    if (stored.is_of_tailrace) raw = stored.raw_chunks();
  } catch (const Error&) {
    return found;  // readable, but of a structure that Tailrace does not write
  }
  if (raw == 0) return found;
  if (!repair)
    return {true, false,
            fmt::format("{}; {} chunks that the run had begun to fill are not compressed; `tailrace inspect "
                        "--repair` compresses them",
                        found.report, raw)};
  const Repacked repacked =
      repack(file, env::system_files(), behind_links(std::filesystem::absolute(path).string()), {});
  repacked.copy ? repacked.copy->close() : file.close();
  const std::string what = in_words(repacked);
  if (found.repaired) return {true, true, fmt::format("{}; {}", found.report, what)};
  return whole(path, true, fmt::format("repaired: {}", what));
}

// The bounds and errors of variables whose values were rounded. A file that another session writes is read as
// any reader would.
Inspection with_bounds(const std::string& path, Inspection found) {
  if (found.readable) found.report += bounds_in_words(read_bounds(path));
  return found;
}

}  // namespace

Inspection finish_last_commit(const std::string& path) {
  try {
    return look(path, true);
  } catch (const std::exception& error) {
    return {false, false, fmt::format("{}: {}", path, error.what())};
  }
}

Inspection inspect(const std::string& path, bool repair) {
  try {
    const Inspection found = look(path, repair);
    return with_bounds(path, found.readable ? look_at_chunks(path, repair, found) : found);
  } catch (const std::exception& error) {
    return {false, false, fmt::format("{}: {}", path, error.what())};
  }
}

}  // namespace tailrace::output::netcdf
