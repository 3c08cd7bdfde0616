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
  LibraryFunction(void* symbol, bool takes_state) : symbol_(symbol), takes_state_(takes_state) {}

  void call(std::span<const tailrace_array> inputs, std::span<tailrace_state> state,
            tailrace_array& output) const override {
    std::array<char, error_size> error{};
    int status = 0;
    try {
      const int count = static_cast<int>(inputs.size()), states = static_cast<int>(state.size());
      status = takes_state_
                   ? reinterpret_cast<tailrace_operator_with_state>(symbol_)(
                         inputs.data(), count, state.data(), states, &output, error.data(), error.size())
                   : reinterpret_cast<tailrace_operator>(symbol_)(inputs.data(), count, &output, error.data(),
                                                                  error.size());
    } catch (const std::exception&) {
      throw;
    } catch (...) {
      throw Error(ErrorCode::configuration, "it threw something that is not a std::exception");
    }
    error.back() = '\0';
    throw_if_failed(status, error.data());
  }

 private:
  void* symbol_;
  bool takes_state_;
};

// Functions with a state have another name than those without, since a call with the wrong arguments would
// crash the server.
constexpr const char* with_state = "_with_state";

[[noreturn]] void refuse_symbol(void* library, const Declaration& declaration, const std::string& wanted) {
  const auto has = [&](const std::string& name) { return dlsym(library, name.c_str()) != nullptr; };
  const std::string other = declaration.function + (declaration.state.empty() ? with_state : "");
  std::string instead;
  if (has(other))
    instead = fmt::format(", but \"{}\", which {}", other,
                          declaration.state.empty() ? "needs a declaration of its `state`"
                                                    : "takes no state, although `state` is declared");
  else if (has(wanted + "_"))
    instead = fmt::format(", but \"{}_\"", wanted);
  throw Error(ErrorCode::configuration,
              fmt::format("the library {} has no function \"{}\"{}; it must be exported under exactly this "
                          "name ({} in C++, bind(c) in Fortran)",
                          declaration.path, wanted, instead,
                          declaration.state.empty() ? "TAILRACE_OPERATOR" : "TAILRACE_OPERATOR_WITH_STATE"));
}

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
  const std::string name = declaration.function + (declaration.state.empty() ? "" : with_state);
  void* symbol = dlsym(library, name.c_str());
  if (symbol == nullptr) refuse_symbol(library, declaration, name);
  return std::make_shared<LibraryFunction>(symbol, !declaration.state.empty());
}

}  // namespace tailrace::analytics::user
