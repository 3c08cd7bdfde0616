// A Zarr store whose files are objects with a common prefix in a bucket.
//
// An object is replaced as a whole, so nothing needs a temporary name. Chunks and metadata of arrays are put
// side by side; `zarr.json` of the store follows when all of them are there, and only if it still has the
// ETag that this session gave it (If-Match). So two sessions never commit to one store: the second to do so
// gets an error. The first `zarr.json` is a claim, an empty group, that is put only where there is none
// (If-None-Match). Each has an attribute with a number of the session: otherwise two sessions that write the
// same text would have the same ETag.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "output/object_store/client.hpp"
#include "output/object_store/location.hpp"
#include "output/object_store/upload_queue.hpp"
#include "output/zarr/options.hpp"
#include "output/zarr/store.hpp"

namespace tailrace::output::zarr {

// Attributes of the group that xarray hides.
inline constexpr const char* writer_attribute = "_nc_writer";        // the number of the session
inline constexpr const char* claim_attribute = "_nc_being_created";  // in a claim

class ObjectStore final : public Store {
 public:
  static constexpr std::size_t most_waiting_bytes = std::size_t{128} << 20;  // or one larger object

  ObjectStore(std::shared_ptr<const object_store::Client> client, std::string prefix,
              const ObjectOptions& options);

  // Makes the store this session's, with nothing in it but the claim. Throws Error(resource) if there is an
  // object below the prefix and not `replaces`, or if what is there is no Zarr store. Otherwise these objects
  // are removed.
  void claim(bool replaces);
  bool exists() const;  // whether there is an object below the prefix

  using Store::place;
  using Store::replace;
  void replace(const std::string& name, const Fill& fill) override;
  void place(const std::string& name, const Fill& fill) override { replace(name, fill); }
  void settle() override { queue_->settle(); }
  void replace_root(std::string_view text) override;
  bool writes_in_place() const override { return false; }
  bool overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                 std::uint64_t at, std::span<const std::byte> bytes) override;
  std::vector<std::byte> read(const std::string& name) const override;
  std::unique_ptr<env::File> open(const std::string& name) const override;
  bool has(const std::string& name) const override;
  std::vector<std::string> list(const std::string& folder) const override;
  void remove(const std::string& folder) override;

  // Takes the present `zarr.json` for the one to replace; the mark is set by replace_root().
  void take_mark() override;
  bool is_in_place() override;
  void close() override { queue_.reset(); }
  std::uint64_t bytes() const override { return bytes_; }
  void count_bytes() override;

 private:
  std::string key(const std::string& name) const { return prefix_ + "/" + name; }
  void put_later(const std::string& name, std::vector<std::byte> bytes);
  void put_root(const std::string& text, const object_store::Client::Condition& condition);
  void remove_all(std::span<const std::pair<std::string, std::uint64_t>> objects);  // by their keys

  std::shared_ptr<const object_store::Client> client_;
  std::string prefix_;
  std::string session_;
  std::string etag_;       // of the `zarr.json` of this session; empty: none yet
  std::string attempted_;  // the text of a put that failed, which may have succeeded all the same
  std::map<std::string, std::uint64_t> sizes_;  // of the objects that this session has put, by name
  std::uint64_t bytes_ = 0;
  std::unique_ptr<object_store::UploadQueue> queue_;
};

// For the name of an object store. Throws Error(configuration) for other names.
std::unique_ptr<ObjectStore> open_object_store(const std::string& url, const ObjectOptions& options);

}  // namespace tailrace::output::zarr
