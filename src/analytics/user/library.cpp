// Functions of shared libraries: C, C++ and Fortran.
#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <string>

#include "analytics/user/declaration.hpp"
#include "analytics/user/function.hpp"
#include "base/error.hpp"

namespace tailrace::analytics::user {
namespace {

// A library stays loaded until the process ends: its code may have left threads or exit handlers behind.
class LibraryFunction final : public Function {
 public:
  explicit LibraryFunction(tailrace_operator function) : function_(function) {}

  void call(std::span<const tailrace_array> inputs, tailrace_array& output) const override {
    std::array<char, error_size> error{};
    int status = 0;
    try {
      status = function_(inputs.data(), static_cast<int>(inputs.size()), &output, error.data(), error.size());
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      throw Error(ErrorCode::configuration, "it threw something that is not a std::exception");
    }
    error.back() = '\0';
    throw_if_failed(status, error.data());
  }

 private:
  tailrace_operator function_;
};

}  // namespace

void throw_if_failed(int status, const char* error) {
  if (status == 0) return;
  const std::string text = error;
  throw Error(ErrorCode::configuration, text.empty() ? fmt::format("it returned {}", status) : text);
}

std::shared_ptr<const Function> load_library(const Declaration& declaration) {
  void* library = dlopen(declaration.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr)
    throw Error(ErrorCode::configuration, fmt::format("the library cannot be loaded: {}", dlerror()));
  void* symbol = dlsym(library, declaration.function.c_str());
  if (symbol == nullptr) {
    const bool is_fortran = dlsym(library, (declaration.function + "_").c_str()) != nullptr;
    throw Error(
        ErrorCode::configuration,
        fmt::format("the library {} has no function \"{}\"{}; it must be exported under exactly this name "
                    "(TAILRACE_OPERATOR in C++, bind(c) in Fortran)",
                    declaration.path, declaration.function,
                    is_fortran ? fmt::format(", but \"{}_\"", declaration.function) : ""));
  }
  return std::make_shared<LibraryFunction>(reinterpret_cast<tailrace_operator>(symbol));
}

}  // namespace tailrace::analytics::user
