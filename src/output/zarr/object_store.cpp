#include "output/zarr/object_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <set>

#include "base/error.hpp"
#include "output/checks.hpp"
#include "output/zarr/metadata.hpp"
#include "output/zarr/object_file.hpp"

namespace tailrace::output::zarr {
namespace {

using object_store::Client;
using object_store::Conflict;

std::string new_session() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::string claim_text(const std::string& session) {
  const Json attributes = {
      {properties_attribute, "version=2,tailrace=1"}, {claim_attribute, "true"}, {writer_attribute, session}};
  return text_of({{"zarr_format", 3}, {"node_type", "group"}, {"attributes", attributes}});
}

bool is_zarr(const std::optional<Client::Object>& metadata) {
  if (!metadata) return false;
  const auto* const first = reinterpret_cast<const char*>(metadata->bytes.data());
  const Json document = Json::parse(first, first + metadata->bytes.size(), nullptr, false);
  return document.is_object() && document.contains("zarr_format");
}

}  // namespace

ObjectStore::ObjectStore(std::shared_ptr<const Client> client, std::string prefix,
                         const ObjectOptions& options)
    : client_(std::move(client)),
      prefix_(std::move(prefix)),
      session_(new_session()),
      queue_(std::make_unique<object_store::UploadQueue>(options.parallel_puts, most_waiting_bytes)) {}

bool ObjectStore::exists() const { return !client_->list(prefix_ + "/", "", 1).objects.empty(); }

void ObjectStore::claim(bool replaces) {
  Client::Condition condition{.is_new = true};
  const bool is_there = exists();
  if (is_there) {
    if (!replaces) throw Error(ErrorCode::resource, exists_already());
    const auto metadata = client_->get(key(metadata_name));
    if (!is_zarr(metadata) && !is_zarr(client_->get(key(".zgroup"))))
      throw Error(ErrorCode::resource,
                  "exists, and is not replaced, as it is not a Zarr store; expected another name");
    if (metadata) condition = {.etag = metadata->etag};
  }
  try {
    put_root(claim_text(session_), condition);
  } catch (const Conflict&) {
    throw Error(ErrorCode::resource,
                "is being created or written by another session; expected another name, or one session");
  }
  if (!is_there) return;
  // The metadata of arrays first: a reader that lists them must find none without its chunks.
  Client::Listing listing = client_->list(prefix_ + "/", "");
  std::erase_if(listing.objects, [this](const auto& one) { return one.first == key(metadata_name); });
  const auto chunks = std::ranges::stable_partition(listing.objects, [](const auto& one) {
    return one.first.ends_with(std::string("/") + metadata_name) || one.first.ends_with("/.zarray");
  });
  remove_all({listing.objects.begin(), chunks.begin()});
  remove_all(chunks);
}

void ObjectStore::remove_all(std::span<const std::pair<std::string, std::uint64_t>> objects) {
  for (const auto& [object, size] : objects)
    queue_->add(object, 0, [this, name = object] { client_->remove(name); });
  settle();
}

void ObjectStore::put_later(const std::string& name, std::vector<std::byte> bytes) {
  std::uint64_t& size = sizes_[name];
  bytes_ += bytes.size() - size;
  size = bytes.size();
  const auto body = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  queue_->add(key(name), body->size(), [this, object = key(name), body] { client_->put(object, *body); });
}

void ObjectStore::replace(const std::string& name, const Fill& fill) {
  BufferFile file;
  fill(file);
  put_later(name, file.take());
}

void ObjectStore::put_root(const std::string& text, const Client::Condition& condition) {
  attempted_ = text;
  etag_ = client_->put(key(metadata_name), std::as_bytes(std::span(text)), condition);
  attempted_.clear();
}

void ObjectStore::replace_root(std::string_view text) {
  TAILRACE_ASSERT(!etag_.empty(), "metadata of a store that nobody claimed");
  settle();
  Json document = Json::parse(text);
  document["attributes"][writer_attribute] = session_;
  try {
    put_root(text_of(document), {.etag = etag_});
  } catch (const Conflict&) {
    throw Error(ErrorCode::resource,
                "was removed, or is written by another session; expected one session for each store");
  }
}

void ObjectStore::take_mark() {
  const auto head = client_->head(key(metadata_name));
  if (!head) throw Error(ErrorCode::resource, "is not a Zarr v3 store: it has no zarr.json");
  etag_ = head->etag;
}

bool ObjectStore::is_in_place() {
  const auto head = client_->head(key(metadata_name));
  if (!head) return false;
  if (head->etag == etag_) return true;
  if (attempted_.empty()) return false;
  const auto found = client_->get(key(metadata_name));
  if (!found || !std::ranges::equal(found->bytes, std::as_bytes(std::span(attempted_)))) return false;
  etag_ = found->etag;
  attempted_.clear();
  return true;
}

bool ObjectStore::overwrite(const std::string& name, std::span<const std::byte> front, std::uint64_t size,
                            std::uint64_t at, std::span<const std::byte> bytes) {
  queue_->settle(key(name));
  auto found = client_->get(key(name));
  if (!found || found->bytes.size() != size) return false;
  if (!std::equal(front.begin(), front.end(), found->bytes.begin())) return false;
  std::ranges::copy(bytes, found->bytes.begin() + static_cast<std::ptrdiff_t>(at));
  put_later(name, std::move(found->bytes));
  return true;
}

std::vector<std::byte> ObjectStore::read(const std::string& name) const {
  queue_->settle(key(name));
  auto found = client_->get(key(name));
  if (!found) throw Error(ErrorCode::resource, fmt::format("{} does not exist", name));
  return std::move(found->bytes);
}

std::unique_ptr<env::File> ObjectStore::open(const std::string& name) const {
  queue_->settle(key(name));
  const auto head = client_->head(key(name));
  if (!head) throw Error(ErrorCode::resource, fmt::format("{} does not exist", name));
  return std::make_unique<ObjectFile>(client_, key(name), head->size);
}

bool ObjectStore::has(const std::string& name) const {
  queue_->settle(key(name));
  return client_->head(key(name)).has_value();
}

std::vector<std::string> ObjectStore::list(const std::string& folder) const {
  queue_->settle();
  const std::string below = key(folder) + "/";
  const Client::Listing found = client_->list(below, "/");
  std::set<std::string> names;
  for (const auto& [object, size] : found.objects) names.insert(object.substr(below.size()));
  for (const std::string& one : found.folders)
    names.insert(one.substr(below.size(), one.size() - below.size() - 1));
  names.erase("");  // an object that stands for the folder itself, as some browsers of buckets make
  return {names.begin(), names.end()};
}

void ObjectStore::remove(const std::string& folder) {
  settle();
  client_->remove(key(folder));
  remove_all(client_->list(key(folder) + "/", "").objects);
}

void ObjectStore::count_bytes() {
  for (const auto& [object, size] : client_->list(prefix_ + "/", "").objects) {
    sizes_[object.substr(prefix_.size() + 1)] = size;
    bytes_ += size;
  }
}

std::unique_ptr<ObjectStore> open_object_store(const std::string& url, const ObjectOptions& options) {
  const object_store::Location at = object_store::location_of(url);
  std::shared_ptr<const Client> client =
      object_store::make_client(at.bucket, {.patience = options.patience, .part_bytes = options.part_bytes});
  return std::make_unique<ObjectStore>(std::move(client), at.key, options);
}

}  // namespace tailrace::output::zarr
