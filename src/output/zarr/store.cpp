#include "output/zarr/store.hpp"

#include <algorithm>

#include "output/zarr/folder_store.hpp"
#include "output/zarr/object_store.hpp"

namespace tailrace::output::zarr {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

// Zeros follow up to `size`, where that is more.
Store::Fill in_two(std::span<const std::byte> front, std::span<const std::byte> body, std::uint64_t size) {
  return [=](env::File& file) {
    const std::uint64_t written = front.size() + body.size();
    if (!front.empty()) file.write(0, front);
    file.write(front.size(), body);
    if (size > written) file.truncate(size);
    return std::max(size, written);
  };
}

}  // namespace

void Store::replace(const std::string& name, std::span<const std::byte> front,
                    std::span<const std::byte> body, std::uint64_t size) {
  replace(name, in_two(front, body, size));
}

void Store::replace(const std::string& name, std::string_view text) { replace(name, {}, bytes_of(text)); }

void Store::place(const std::string& name, std::span<const std::byte> front, std::span<const std::byte> body,
                  std::uint64_t size) {
  place(name, in_two(front, body, size));
}

std::unique_ptr<Store> open_store(const std::string& path) {
  if (object_store::is_object_url(path)) return open_object_store(path, reading_options);
  return std::make_unique<FolderStore>(env::system_files(), place_of(path), "", false);
}

}  // namespace tailrace::output::zarr
