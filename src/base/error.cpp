#include "base/error.hpp"

#include <fmt/format.h>

#include <exception>
#include <new>

namespace tailrace::base {

Fault current_fault() {
  try {
    throw;
  } catch (const Error& error) {
    return {error.code(), error.what()};
  } catch (const std::bad_alloc&) {
    return {ErrorCode::resource, "out of memory"};
  } catch (const std::exception& error) {
    return {ErrorCode::internal, error.what()};
  } catch (...) {
    return {ErrorCode::internal, "unknown exception"};
  }
}

void assertion_failed(std::string_view expression, std::string_view file, int line,
                      std::string_view message) {
  throw Error(ErrorCode::internal, fmt::format("this is a bug in Tailrace: {}:{}: `{}` does not hold: {}",
                                               file, line, expression, message));
}

}  // namespace tailrace::base
