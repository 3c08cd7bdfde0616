// Functions of Python files. This library does not link Python. A plugin beside it does, which is loaded at
// the first call, together with the interpreter if the process has none.
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "analytics/user/declaration.hpp"
#include "analytics/user/function.hpp"
#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::analytics::user {
namespace {

constexpr const char* plugin_name = "libtailrace_python_operators.so";
constexpr const char* entry_name = "tailrace_call_python";

#ifdef TAILRACE_PYTHON_LIBRARY
const std::string python_library = TAILRACE_PYTHON_LIBRARY;
#else
const std::string python_library;
#endif

using Entry = int (*)(const char* path, const char* function, const tailrace_array* inputs, int count,
                      tailrace_state* state, int states, tailrace_array* output, char* error,
                      std::size_t size);

std::filesystem::path plugin_path() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&plugin_path), &here);
  return std::filesystem::absolute(here.dli_fname).parent_path() / plugin_name;
}

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::configuration, what); }

// NumPy's modules resolve the symbols of Python from the process, so these must be global.
void load_interpreter() {
  if (dlsym(RTLD_DEFAULT, "Py_IsInitialized") != nullptr) return;
  const std::string soname = std::filesystem::path(python_library).filename();
  for (const std::string& name : {python_library, soname})
    if (dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr) return;
  refuse(fmt::format("Python cannot be loaded: {}", dlerror()));
}

Entry load_plugin() {
  load_interpreter();
  void* plugin = dlopen(plugin_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) refuse(fmt::format("the plugin for Python cannot be loaded: {}", dlerror()));
  return reinterpret_cast<Entry>(dlsym(plugin, entry_name));
}

// The words of a line of code, approximately its names.
std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    if (letter)
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  return words;
}

// Python does not run before the first call, but a name that does not occur in the file is a typing error.
void expect_function(const std::string& path, const std::string& function) {
  std::ifstream file(path);
  std::vector<std::string> defined;
  for (std::string line; std::getline(file, line);) {
    if (line.find("import *") != std::string::npos) return;
    const std::vector<std::string> words = words_of(line);
    if (std::find(words.begin(), words.end(), function) != words.end()) return;
    if (line.starts_with("def ") && words.size() > 1) defined.push_back(words[1]);
  }
  refuse(fmt::format("{} has no function \"{}\".{}", path, function, base::name_hint(function, defined)));
}

class PythonFunction final : public Function {
 public:
  explicit PythonFunction(const Declaration& declaration)
      : path_(declaration.path), function_(declaration.function) {}

  void call(std::span<const tailrace_array> inputs, std::span<tailrace_state> state,
            tailrace_array& output) const override {
    static const Entry entry = load_plugin();  // if it fails, the next call tries again
    std::array<char, error_size> error{};
    const int status =
        entry(path_.c_str(), function_.c_str(), inputs.data(), static_cast<int>(inputs.size()), state.data(),
              static_cast<int>(state.size()), &output, error.data(), error.size());
    throw_if_failed(status, error.data());
  }

 private:
  std::string path_, function_;
};

}  // namespace

std::shared_ptr<const Function> find_python(const Declaration& declaration) {
  if (!std::filesystem::is_regular_file(declaration.path))
    refuse(fmt::format("there is no file {}", declaration.path));
  if (python_library.empty() || !std::filesystem::exists(plugin_path()))
    refuse(
        fmt::format("operators in Python need a Tailrace that was built with TAILRACE_PYTHON=ON: there is "
                    "no {} beside the library",
                    plugin_name));
  expect_function(declaration.path, declaration.function);
  return std::make_shared<PythonFunction>(declaration);
}

}  // namespace tailrace::analytics::user
