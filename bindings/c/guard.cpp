#include "guard.hpp"

#include <cstdlib>

namespace tailrace::bindings {

int report(tailrace_error* error, ErrorCode code, const char* message) noexcept {
  if (error != nullptr) {
    const std::size_t size = std::strlen(message) + 1;
    error->code = static_cast<int>(code);
    error->message = static_cast<char*>(std::malloc(size));
    if (error->message != nullptr) std::memcpy(error->message, message, size);
  }
  return static_cast<int>(code);
}

int report_current_exception(tailrace_error* error) noexcept {
  try {
    throw;
  } catch (const Error& failure) {
    return report(error, failure.code(), failure.what());
  } catch (const std::bad_alloc&) {
    return report(error, ErrorCode::resource, "no memory left");
  } catch (const std::exception& failure) {
    return report(error, ErrorCode::internal, failure.what());
  } catch (...) {
    return report(error, ErrorCode::internal, "an exception of unknown type");
  }
}

}  // namespace tailrace::bindings

extern "C" {

void tailrace_error_clear(tailrace_error* error) {
  if (error == nullptr) return;
  std::free(error->message);
  *error = TAILRACE_NO_ERROR;
}
}
