// The format `memory`: datasets in the memory of this process, for tests and for inspection in a debugger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "output/format.hpp"

namespace tailrace::output::memory {

// The decoded values of a dataset. Must not be read during a commit.
class Contents {
 public:
  explicit Contents(const DatasetSpec& spec);

  const DatasetSpec& spec() const { return spec_; }
  std::int64_t length(const std::string& dim) const;  // throws Error(usage) for an unknown name
  std::vector<std::int64_t> shape(const std::string& variable) const;
  std::vector<std::byte> bytes(
      const std::string& variable) const;  // C order; unwritten cells have the fill value
  template <class T>
  std::vector<T> values(const std::string& variable) const {
    const std::vector<std::byte> raw = bytes(variable);
    TAILRACE_ASSERT(element_size(variable) == sizeof(T), "read as another type: " + variable);
    std::vector<T> values(raw.size() / sizeof(T));
    if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
    return values;
  }

  void add(const Commit& commit);  // all or nothing

 private:
  std::size_t index_of(const std::string& variable) const;
  std::size_t element_size(const std::string& variable) const;
  void put(const EncodedChunk& chunk, const std::vector<std::byte>& raw);
  void put(const PlainValues& values);

  DatasetSpec spec_;
  std::vector<std::int64_t> lengths_;
  std::vector<std::vector<std::byte>> values_;  // one for each variable, of whole chunks of records
};

// The contents of the dataset that was last created under this path; null if there was none. They remain
// after the dataset is closed, until another one is created under the same path or the process ends.
std::shared_ptr<const Contents> contents_of(const std::string& path);

}  // namespace tailrace::output::memory
