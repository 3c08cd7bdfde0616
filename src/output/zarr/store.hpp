// The files of one Zarr store (a directory), and the writer's mark of the session that writes them.
//
// A file that readers may open is replaced atomically: it is written under a temporary name that no reader
// opens, and then renamed. The mark is a lock on the open `zarr.json` of the store. Each new `zarr.json` is
// locked before it is renamed, so that the store is marked without a gap during the session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/file_system.hpp"

namespace tailrace::output::zarr {

inline constexpr const char* metadata_name = "zarr.json";

// Not thread-safe.
class Store {
 public:
  // `root`: an absolute path, since the model may change its working directory. `scratch`: the folder in it
  // for temporary files ("": `root` itself).
  Store(env::FileSystem& files, std::string root, std::string scratch, bool sync);

  const std::string& root() const { return root_; }
  void renamed(std::string root) { root_ = std::move(root); }  // the directory was renamed

  // Writes the contents of a new, empty file, and returns its size.
  using Fill = std::function<std::uint64_t(env::File&)>;

  // Names are relative to the root. Creates missing folders. If `size` is larger than `front` and `body`,
  // zeros follow.
  void replace(const std::string& name, const Fill& fill);
  void replace(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
               std::uint64_t size = 0);
  void replace(const std::string& name, std::string_view text);
  // Like replace(), for a file that no reader opens yet: written under its final name at once.
  void place(const std::string& name, const Fill& fill);
  void place(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
             std::uint64_t size = 0);
  // Replaces the metadata of the store, which carry the mark.
  void replace_root(std::string_view text);
  // Writes bytes at `at` in place. Returns false, and writes nothing, unless the file exists with this length
  // and front.
  bool overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                 std::uint64_t at, std::span<const std::byte> bytes);
  std::vector<std::byte> read(const std::string& name) const;
  std::unique_ptr<env::File> open(const std::string& name) const;  // for reading
  bool has(const std::string& name) const;
  std::vector<std::string> list(const std::string& folder) const;  // empty if the folder does not exist
  void remove(const std::string& folder);                          // recursively

  // Marks the existing `zarr.json`. Throws Error(resource) if another session has marked it.
  void take_mark();
  bool is_in_place() const;  // whether the path still refers to the files of this session
  void close() { marked_.reset(); }
  std::uint64_t bytes() const { return bytes_; }
  void count_bytes();  // adds the size of all existing files

 private:
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void make_folder_of(const std::string& name);
  // Returns the open file, which holds `size` bytes.
  std::unique_ptr<env::File> write_temporary(const Fill& fill, std::uint64_t& size);
  void rename_temporary(const std::string& name, std::uint64_t size);

  env::FileSystem& files_;
  std::string root_;
  std::string scratch_;
  bool sync_;
  std::unique_ptr<env::File> marked_;
  std::set<std::string> folders_;  // folders known to exist, recently used
  std::uint64_t bytes_ = 0;
};

// Removes a directory recursively, or a file, or a link itself. Does nothing if the path does not exist.
void remove_tree(env::FileSystem& files, const std::string& path);

}  // namespace tailrace::output::zarr
