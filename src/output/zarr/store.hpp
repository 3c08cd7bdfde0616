// The files of one Zarr store (a directory), each replaced as a whole, and the mark of the session that
// writes them.
//
// A file that readers may look for is written beside the chunks, under a name that none looks for, and takes
// its name with a rename. The mark lies on the open `zarr.json` of the store and goes to the next one before
// that takes the name, so that it is there as long as the session is.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/file_system.hpp"

namespace tailrace::output::zarr {

inline constexpr const char* metadata_name = "zarr.json";

// One thread.
class Store {
 public:
  // `root`: an absolute path, for the model may change its working directory. `scratch`: the folder in it
  // where new files are written ("": itself).
  Store(env::FileSystem& files, std::string root, std::string scratch, bool sync);

  const std::string& root() const { return root_; }
  void renamed(std::string root) { root_ = std::move(root); }  // somebody gave the directory another name

  // All names are relative to the root. Makes the folders on the way. Behind `body` come zeros, if the file
  // is to have more bytes.
  void replace(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
               std::uint64_t size = 0);
  void replace(const std::string& name, std::string_view text);
  // The same of a file that no reader looks for yet: under its name at once.
  void place(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
             std::uint64_t size = 0);
  // The metadata of the store, which bear the mark.
  void replace_root(std::string_view text);
  // Whether bytes of a file that is there, and has this length and front, could be written in place.
  bool overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                 std::uint64_t at, std::span<const std::byte> bytes);
  std::vector<std::byte> read(const std::string& name) const;
  bool has(const std::string& name) const;
  std::vector<std::string> list(const std::string& folder) const;  // none where there is no folder
  void remove(const std::string& folder);                          // with all that is in it

  // Of the `zarr.json` that is there. Throws Error(resource) where another session has it.
  void take_mark();
  bool is_in_place() const;  // whether the name still leads to the files that this session wrote
  void close() { marked_.reset(); }
  std::uint64_t bytes() const { return bytes_; }
  void count_bytes();  // of what is there already

 private:
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void make_folder_of(const std::string& name);
  std::unique_ptr<env::File> written_aside(std::span<const std::byte> front, std::span<const std::byte> body,
                                           std::uint64_t size);
  static void fill(env::File& file, std::span<const std::byte> front, std::span<const std::byte> body,
                   std::uint64_t size);
  void take_name(const std::string& name, std::uint64_t size);

  env::FileSystem& files_;
  std::string root_;
  std::string scratch_;
  bool sync_;
  std::unique_ptr<env::File> marked_;
  std::set<std::string> folders_;  // those that this session made or saw last
  std::uint64_t bytes_ = 0;
};

// A directory with all that is in it, or a file, or a link itself; fine if it is not there.
void remove_tree(env::FileSystem& files, const std::string& path);

}  // namespace tailrace::output::zarr
