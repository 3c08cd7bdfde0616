#include "config/location.hpp"

#include <fmt/format.h>

namespace tailrace::config {

std::string Location::text() const {
  if (line <= 0) return file;
  return fmt::format("{}:{}:{}", file, line, column);
}

}  // namespace tailrace::config
