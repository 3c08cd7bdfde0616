// The files or objects of one Zarr store, as the dataset that writes it needs them. Two implementations: a
// folder (folder_store.hpp) and objects with a common prefix in a bucket (object_store.hpp).
//
// What readers may open is replaced atomically, and the `zarr.json` of the store shows who writes it: each
// implementation says how.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/file.hpp"

namespace tailrace::output::zarr {

inline constexpr const char* metadata_name = "zarr.json";

// Not thread-safe. Names are relative to the root of the store.
class Store {
 public:
  virtual ~Store() = default;

  // Writes the contents of a new, empty file, and returns its size.
  using Fill = std::function<std::uint64_t(env::File&)>;

  // If `size` is larger than `front` and `body`, zeros follow.
  virtual void replace(const std::string& name, const Fill& fill) = 0;
  void replace(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
               std::uint64_t size = 0);
  void replace(const std::string& name, std::string_view text);
  // Like replace(), for a file that no reader opens yet: written under its final name at once.
  virtual void place(const std::string& name, const Fill& fill) = 0;
  void place(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
             std::uint64_t size = 0);
  // Waits until all that was written before is in the store. Throws the errors of these writes.
  virtual void settle() = 0;
  // Replaces the metadata of the store, which carry the mark of the writer, after settle().
  virtual void replace_root(std::string_view text) = 0;
  // Whether overwrite() writes the new bytes alone; else it replaces the whole, as a caller that has the
  // whole does more cheaply.
  virtual bool writes_in_place() const = 0;
  // Writes bytes at `at`. Returns false, and writes nothing, unless the file exists with this length and
  // front.
  virtual bool overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                         std::uint64_t at, std::span<const std::byte> bytes) = 0;
  virtual std::vector<std::byte> read(const std::string& name) const = 0;
  virtual std::unique_ptr<env::File> open(const std::string& name) const = 0;  // for reading
  virtual bool has(const std::string& name) const = 0;                         // a file, or a folder
  virtual std::vector<std::string> list(const std::string& folder) const = 0;  // empty if there is none
  virtual void remove(const std::string& folder) = 0;                          // recursively

  // Marks the existing `zarr.json`. Throws Error(resource) if another session has marked it.
  virtual void take_mark() = 0;
  virtual bool is_in_place() = 0;  // whether the store is still the one that this session writes
  virtual void close() = 0;
  virtual std::uint64_t bytes() const = 0;
  virtual void count_bytes() = 0;  // adds the size of all that exists
};

// A store for reading: of a path, or of the name of an object store.
std::unique_ptr<Store> open_store(const std::string& path);

}  // namespace tailrace::output::zarr
