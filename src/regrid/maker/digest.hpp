// The digest that names a file of weights.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace tailrace::regrid {

// Two digests with different beginnings, since 64 bits are few for the name of a file that many jobs share.
class Digest {
 public:
  void add(std::span<const std::byte> bytes);
  template <class T>
  void add_all(const std::vector<T>& values) {
    const std::uint64_t count = values.size();
    add(std::as_bytes(std::span(&count, 1)));
    add(std::as_bytes(std::span(values)));
  }
  void add_text(const std::string& text);
  // Adds the whole file. Blocks. Throws Error(resource) that names it.
  void add_content(const std::string& path);

  std::string text() const;  // 32 hexadecimal digits

 private:
  std::array<std::uint64_t, 2> halves_{base::empty_digest, ~base::empty_digest};
};

}  // namespace tailrace::regrid
