#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

#include "env/programs.hpp"

namespace tailrace::env {

std::string beside_library(const std::string& program) {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&beside_library), &here);
  return (std::filesystem::absolute(here.dli_fname).parent_path() / program).string();
}

std::string default_interpreter() {
  const char* const environment = std::getenv("VIRTUAL_ENV");
  return environment != nullptr && *environment != '\0' ? std::string(environment) + "/bin/python3"
                                                        : "python3";
}

}  // namespace tailrace::env
