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

const char* name_of(Operator applied) {
  return applied == Operator::blosc ? "blosc" : applied == Operator::bzip2 ? "bzip2" : "zfp";
}

library::Params parameters_of(const Options& options) {
  const std::string level = std::to_string(options.level);
  if (options.applied == Operator::bzip2) return {{"blockSize100k", level}};
  if (options.applied == Operator::zfp) return {{"accuracy", fmt::format("{}", options.accuracy)}};
  return {{"compressor", options.compressor}, {"clevel", level}, {"doshuffle", "BLOSC_SHUFFLE"}};
}

std::optional<library::Operator> own_of(library::ADIOS& adios, const Options& options) {
  if (options.applied == Operator::none) return std::nullopt;
  const char* name = name_of(options.applied);
  try {
    return adios.DefineOperator("own", name, parameters_of(options));
  } catch (const std::exception&) {
    throw std::runtime_error(
        fmt::format("the library of ADIOS2 was built without the operator `{}` (that of PyPI has none); "
                    "expected one that "
                    "has it when Tailrace is built, or `compression` in place of `adios2.operator`",
                    name));
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
    : adios_(adios), reals_only_(options.applied == Operator::zfp), own_(own_of(adios_, options)) {}

std::optional<library::Operator> Operators::own(bool of_reals) const {
  return of_reals || !reals_only_ ? own_ : std::nullopt;
}

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
