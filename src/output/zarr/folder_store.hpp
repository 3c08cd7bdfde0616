// A Zarr store that is a folder, and the marks of those that write it.
//
// A file that readers may open is replaced atomically: it is written under a temporary name that no reader
// opens, and then renamed. The mark is a lock on the open `zarr.json` of the store. Each new `zarr.json` is
// locked before it is renamed, so that the store is marked without a gap during the session. Servers that
// write only chunks have a mark each: a lock on a file of their own, whose contents tell which store it is.
#pragma once

#include <set>

#include "env/file_system.hpp"
#include "output/dataset.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

class FolderStore final : public Store {
 public:
  // `root`: an absolute path, since the model may change its working directory. `scratch`: the folder in it
  // for temporary files ("": `root` itself). `writer`: the number of a server that writes only chunks; -1:
  // this one writes the metadata.
  FolderStore(env::FileSystem& files, std::string root, std::string scratch, bool sync, int writer = -1);

  void renamed(std::string root) { root_ = std::move(root); }  // the directory was renamed

  // Creates missing folders.
  using Store::place;
  using Store::replace;
  void replace(const std::string& name, const Fill& fill) override;
  void place(const std::string& name, const Fill& fill) override;
  void settle() override {}
  void replace_root(std::string_view text) override;
  bool writes_in_place() const override { return true; }
  bool overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                 std::uint64_t at, std::span<const std::byte> bytes) override;
  std::vector<std::byte> read(const std::string& name) const override;
  std::unique_ptr<env::File> open(const std::string& name) const override;
  bool has(const std::string& name) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  void remove(const std::string& folder) override;

  void take_mark() override;
  bool is_in_place() override;  // whether the path still refers to the files of this session
  void close() override;
  std::uint64_t bytes() const override { return bytes_; }
  void count_bytes() override;

  // Makes the marks that so many writers will take; they must not exist.
  void make_writer_marks(const ManyWriters& writers);
  // Removes the marks and temporary files that writers of a killed run left. Throws Error(resource) if one of
  // them still writes.
  void remove_writer_marks();
  // Takes the mark of this writer. Throws Error(resource) if this is not the store with this token.
  void take_writer_mark(const std::string& token);

 private:
  std::string path(const std::string& name) const { return root_ + "/" + name; }
  void make_folder_of(const std::string& name);
  // Returns the open file, which holds `size` bytes.
  std::unique_ptr<env::File> write_temporary(const Fill& fill, std::uint64_t& size);
  void rename_temporary(const std::string& name, std::uint64_t size);

  env::FileSystem& files_;
  std::string root_;
  std::string scratch_folder_, scratch_;
  std::string mark_name_;  // the file with the mark
  bool sync_;
  bool is_writer_;
  std::unique_ptr<env::File> marked_;
  std::set<std::string> folders_;  // folders known to exist, recently used
  std::uint64_t bytes_ = 0;
};

// Throws Error(resource) if a server of another session still writes chunks to the store at this path. It may
// outlive the one that writes the metadata.
void check_no_writers(env::FileSystem& files, const std::string& place);

// Removes a directory recursively, or a file, or a link itself. Does nothing if the path does not exist.
void remove_tree(env::FileSystem& files, const std::string& path);

// The absolute path, without slashes at the end.
std::string place_of(const std::string& path);

}  // namespace tailrace::output::zarr
