#include "output/zarr/folder_store.hpp"

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "output/checks.hpp"

namespace tailrace::output::zarr {
namespace {

constexpr std::size_t remembered_folders = 1024;
constexpr const char* scratch_name = ".new";
constexpr const char* writers_name = ".writers";  // the folder of their marks

std::string in_folder(const std::string& folder, const std::string& name) {
  return folder.empty() ? name : folder + "/" + name;
}

std::uint64_t size_of_tree(env::FileSystem& files, const std::string& path) {
  if (files.entry(path) == env::Entry::file) return files.open(path, env::Access::read)->size();
  std::uint64_t bytes = 0;
  for (const std::string& name : files.list(path)) bytes += size_of_tree(files, path + "/" + name);
  return bytes;
}

}  // namespace

// A link is removed itself, even if it points to a folder: only what cannot be removed directly is listed.
void remove_tree(env::FileSystem& files, const std::string& path) {
  if (files.entry(path) == env::Entry::none) return;
  try {
    return files.remove(path);
  } catch (const Error&) {
    if (files.entry(path) == env::Entry::file) throw;
  }
  for (const std::string& name : files.list(path)) remove_tree(files, path + "/" + name);
  files.remove(path);
}

std::string place_of(const std::string& path) {
  std::string place = std::filesystem::absolute(path).lexically_normal().string();
  while (place.size() > 1 && place.back() == '/') place.pop_back();
  return place;
}

FolderStore::FolderStore(env::FileSystem& files, std::string root, std::string scratch, bool sync, int writer)
    : files_(files),
      root_(std::move(root)),
      scratch_folder_(std::move(scratch)),
      scratch_(in_folder(scratch_folder_, scratch_name)),
      mark_name_(metadata_name),
      sync_(sync),
      is_writer_(writer >= 0) {
  if (!is_writer_) return;
  const std::string number = std::to_string(writer);
  scratch_ += "." + number;
  mark_name_ = in_folder(scratch_folder_, writers_name) + "/" + number;
}

void FolderStore::make_folder_of(const std::string& name) {
  const std::string folder = std::filesystem::path(name).parent_path().string();
  if (folders_.contains(folder)) return;
  std::vector<std::string> made;
  if (sync_)
    for (std::filesystem::path at = folder; !at.empty() && !has(at.string()); at = at.parent_path())
      made.push_back(at.string());
  files_.make_directories(folder.empty() ? root_ : path(folder));
  for (auto at = made.rbegin(); at != made.rend(); ++at) files_.sync(path(*at));
  if (folders_.size() == remembered_folders) folders_.clear();
  folders_.insert(folder);
}

std::unique_ptr<env::File> FolderStore::write_temporary(const Fill& fill, std::uint64_t& size) {
  make_folder_of(scratch_);
  auto file = files_.open(path(scratch_), env::Access::create);
  if (file->size() > 0) file->truncate(0);  // may be left from a killed run
  size = fill(*file);
  if (sync_) file->sync();
  return file;
}

void FolderStore::rename_temporary(const std::string& name, std::uint64_t size) {
  make_folder_of(name);
  const std::uint64_t before =
      has(name) ? files_.open(path(name), env::Access::read)->size() : std::uint64_t{0};
  files_.rename(path(scratch_), path(name));
  if (sync_) files_.sync(path(name));
  bytes_ += size - before;
}

void FolderStore::replace(const std::string& name, const Fill& fill) {
  std::uint64_t size = 0;
  write_temporary(fill, size)->close();
  rename_temporary(name, size);
}

void FolderStore::place(const std::string& name, const Fill& fill) {
  make_folder_of(name);
  const auto file = files_.open(path(name), env::Access::create);
  const std::uint64_t before = file->size();  // > 0 if left from a killed run or a failed attempt
  if (before > 0) file->truncate(0);
  const std::uint64_t size = fill(*file);
  file->close();
  if (sync_) files_.sync(path(name));
  bytes_ += size - before;
}

void FolderStore::replace_root(std::string_view text) {
  std::uint64_t size = 0;
  const auto fill = [text](env::File& file) {
    file.write(0, std::as_bytes(std::span(text)));
    return text.size();
  };
  auto file = write_temporary(fill, size);
  mark_as_writer(*file, path(metadata_name));
  rename_temporary(metadata_name, size);
  marked_ = std::move(file);
}

bool FolderStore::overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                            std::uint64_t at, std::span<const std::byte> bytes) {
  if (!has(name)) return false;
  const auto file = files_.open(path(name), env::Access::update);
  if (file->size() != size) return false;
  std::vector<std::byte> found(front.size());
  file->read(0, found);
  if (!std::ranges::equal(found, front)) return false;
  file->write(at, bytes);
  if (sync_) file->sync();
  file->close();
  return true;
}

std::unique_ptr<env::File> FolderStore::open(const std::string& name) const {
  return files_.open(path(name), env::Access::read);
}

std::vector<std::byte> FolderStore::read(const std::string& name) const {
  const auto file = open(name);
  std::vector<std::byte> bytes(file->size());
  file->read(0, bytes);
  return bytes;
}

bool FolderStore::has(const std::string& name) const { return files_.exists(path(name)); }

std::vector<std::string> FolderStore::list(const std::string& folder) const {
  return has(folder) ? files_.list(path(folder)) : std::vector<std::string>();
}

void FolderStore::remove(const std::string& folder) { remove_tree(files_, path(folder)); }

void FolderStore::take_mark() {
  auto file = files_.open(path(mark_name_), env::Access::update);
  mark_as_writer(*file, path(mark_name_));
  marked_ = std::move(file);
}

bool FolderStore::is_in_place() { return marked_ && marked_->is_file_at(path(mark_name_)); }

// Marks are no part of the store, so nobody counts their bytes.
void FolderStore::make_writer_marks(const ManyWriters& writers) {
  const std::uint64_t counted = bytes_;
  for (int writer = 0; writer < writers.count; ++writer)
    place(in_folder(scratch_folder_, writers_name) + "/" + std::to_string(writer), {},
          std::as_bytes(std::span(writers.token)));
  bytes_ = counted;
}

// Each under its lock: of a writer that takes it at the same time and this session, one gets it, and the
// other fails.
void FolderStore::remove_writer_marks() {
  const std::string marks = in_folder(scratch_folder_, writers_name);
  for (const std::string& writer : list(marks)) {
    const std::string mark = path(marks + "/" + writer);
    const auto file = files_.open(mark, env::Access::update);
    mark_as_writer(*file, mark);
    files_.remove(mark);
  }
  for (const std::string& name : list(scratch_folder_))
    if (name == writers_name || name.starts_with(std::string(scratch_name) + "."))
      remove(in_folder(scratch_folder_, name));
}

// The file that is compared is the one that is locked: another session may put its own in the place
// meanwhile.
void FolderStore::take_writer_mark(const std::string& token) {
  if (has(mark_name_)) {
    auto file = files_.open(path(mark_name_), env::Access::update);
    std::vector<std::byte> found(file->size());
    file->read(0, found);
    if (std::ranges::equal(found, std::as_bytes(std::span(token)))) {
      mark_as_writer(*file, path(mark_name_));
      marked_ = std::move(file);
      if (is_in_place()) return;
      marked_.reset();
    }
  }
  throw Error(
      ErrorCode::resource,
      "is not the store that the home of the file writes: it was removed or replaced, or it is not in "
      "a directory that all servers share; expected such a directory, or `zarr: {writers: home}`");
}

// A writer removes its mark while it has the lock, so that it is not that of another session. The folder of
// the marks goes with the last of them; on NFS it is empty only when the removed file is closed.
void FolderStore::close() {
  if (is_writer_ && marked_ && is_in_place()) try {
      files_.remove(path(mark_name_));
      marked_.reset();
      files_.remove(path(in_folder(scratch_folder_, writers_name)));
    } catch (const Error&) {
      // The marks of others are in the folder. Whatever stays is removed by the next session.
    }
  marked_.reset();
}

void check_no_writers(env::FileSystem& files, const std::string& place) {
  for (const std::string& name : files.list(place)) {
    const std::string folder = place + "/" + name + "/" + writers_name;
    if (!files.exists(folder)) continue;
    for (const std::string& writer : files.list(folder)) check_no_writer(files, folder + "/" + writer);
  }
}

void FolderStore::count_bytes() { bytes_ = size_of_tree(files_, root_); }

}  // namespace tailrace::output::zarr
