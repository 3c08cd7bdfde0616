#include <dlfcn.h>

#include <filesystem>

#include "env/beside_library.hpp"

namespace tailrace::env {

std::string beside_library(const std::string& program) {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&beside_library), &here);
  return (std::filesystem::absolute(here.dli_fname).parent_path() / program).string();
}

}  // namespace tailrace::env
