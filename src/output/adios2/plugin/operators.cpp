#include "output/adios2/plugin/operators.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <ranges>
#include <stdexcept>
#include <string>

namespace tailrace::output::adios2 {
namespace {

namespace library = ::adios2;
namespace fs = std::filesystem;

library::Params parameters_of(const Options& options) {
  return {{"compressor", options.compressor},
          {"clevel", std::to_string(options.level)},
          {"doshuffle", "BLOSC_SHUFFLE"}};
}

std::optional<library::Operator> own_of(library::ADIOS& adios, const Options& options) {
  if (options.applied == Operator::none) return std::nullopt;
  try {
    return adios.DefineOperator("own", "blosc", parameters_of(options));
  } catch (const std::exception&) {
    throw std::runtime_error(
        "the library of ADIOS2 was built without the operator `blosc` (that of PyPI has none); expected one "
        "that has it when Tailrace is built, or `compression` in place of `adios2.operator`");
  }
}

fs::path folder_of_plugins() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&folder_of_plugins), &here);
  return fs::absolute(here.dli_fname).parent_path();
}

}  // namespace

// ADIOS2 looks in the folders of ADIOS2_PLUGIN_PATH, or else asks the system for the library by its name,
// which gives the one that is loaded.
void load_operator() {
  const std::string file = fmt::format("lib{}.so", operator_library);
  const fs::path folder = folder_of_plugins();
  if (const char* given = std::getenv("ADIOS2_PLUGIN_PATH"); given != nullptr && *given != '\0') {
    for (const auto part : std::views::split(std::string_view(given), ':'))
      if (fs::exists(fs::path(std::string_view(part.begin(), part.end())) / file)) return;
    throw std::runtime_error(fmt::format(
        "`compression` needs {}, and it is in no folder of ADIOS2_PLUGIN_PATH, {}; expected {} among them",
        file, given, folder.string()));
  }
  if (dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr)
    throw std::runtime_error(fmt::format("the library of `compression` cannot be loaded: {}", dlerror()));
}

Operators::Operators(library::ADIOS& adios, const Options& options)
    : adios_(adios), own_(own_of(adios_, options)) {}

library::Operator Operators::own() const { return own_.value(); }

library::Operator Operators::of(const codecs::CodecOptions& codec, std::size_t element) {
  if (made_ == 0) load_operator();
  return adios_.DefineOperator(fmt::format("codec{}", made_++), "plugin",
                               {{"PluginName", operator_name},
                                {"PluginLibrary", operator_library},
                                {"codec", codec.codec},
                                {"level", std::to_string(codec.level)},
                                {"shuffle", codec.shuffle ? "1" : "0"},
                                {"element", std::to_string(element)},
                                {"puts", "sources"}});
}

}  // namespace tailrace::output::adios2
