#include "output/adios2/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "base/error.hpp"
#include "env/programs.hpp"

namespace tailrace::output::adios2 {
namespace {

constexpr const char* plugin_name = "libtailrace_adios2.so";

std::filesystem::path plugin_path() { return env::beside_library(plugin_name); }

// Stays loaded: ADIOS2 has threads of its own.
template <class Function>
Function load(const char* name) {
  if (const std::string missing = missing_library(); !missing.empty())
    throw Error(ErrorCode::resource, missing);
  void* plugin = dlopen(plugin_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr)
    throw Error(ErrorCode::resource, fmt::format("the plugin for ADIOS2 cannot be loaded: {}", dlerror()));
  void* symbol = dlsym(plugin, name);
  if (symbol == nullptr)
    throw Error(ErrorCode::resource, fmt::format("{} is another version's", plugin_path().string()));
  return reinterpret_cast<Function>(symbol);
}

}  // namespace

std::string missing_library() {
  if (std::filesystem::exists(plugin_path())) return "";
  return fmt::format(
      "Tailrace was built without ADIOS2 (there is no {}); expected a build that finds it, as after `pip "
      "install "
      "adios2`",
      plugin_path().string());
}

std::unique_ptr<StepWriter> open_engine(const EngineSpec& spec) {
  const auto open = load<OpenEngine>(open_engine_name);
  try {
    return std::unique_ptr<StepWriter>(open(spec));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::resource, fmt::format("ADIOS2 cannot open it: {}", error.what()));
  }
}

std::unique_ptr<StepReader> open_reader(const std::string& path) {
  const auto open = load<OpenReader>(open_reader_name);
  try {
    return std::unique_ptr<StepReader>(open(path));
  } catch (const std::exception& error) {
    throw Error(ErrorCode::resource, fmt::format("ADIOS2 cannot read it: {}", error.what()));
  }
}

}  // namespace tailrace::output::adios2
