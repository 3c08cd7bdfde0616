// The code that files and streams share: the description of a dataset for the engine, and its texts.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "output/adios2/engine.hpp"
#include "output/dataset.hpp"

namespace tailrace::output::adios2 {

// `place`: the absolute path.
EngineSpec engine_spec(const DatasetSpec& spec, const std::string& place);

// The texts of a dataset as blocks of a step.
class TextBlocks {
 public:
  explicit TextBlocks(const DatasetSpec& spec);
  TextBlocks(const TextBlocks&) = delete;
  TextBlocks& operator=(const TextBlocks&) = delete;
  void add_to(std::vector<Block>& blocks) const;  // they point into this object

 private:
  std::vector<std::vector<std::byte>> values_;
  std::vector<Block> blocks_;
};

[[noreturn]] inline void refuse(const std::string& path, const std::string& why) {
  throw Error(ErrorCode::resource, fmt::format("{}: {}", path, why));
}

// Every error of the work names the path.
template <class Work>
auto about(const std::string& path, Work work) {
  try {
    return work();
  } catch (const Error& error) {
    if (std::string_view(error.what()).starts_with(path)) throw;
    throw Error(error.code(), fmt::format("{}: {}", path, error.what()));
  } catch (const std::exception& error) {
    refuse(path, error.what());
  }
}

}  // namespace tailrace::output::adios2
