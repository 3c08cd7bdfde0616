#include <filesystem>
#include <system_error>

#include "env/place.hpp"

namespace tailrace::env {

std::string place_of(const std::string& path) {
  std::error_code error;
  const auto place = std::filesystem::weakly_canonical(path, error);
  if (!error && place.is_absolute()) return place.string();
  const auto from_root = std::filesystem::absolute(error ? path : place.string(), error);
  return (error ? std::filesystem::path(path) : from_root).lexically_normal().string();
}

}  // namespace tailrace::env
