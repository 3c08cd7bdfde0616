#include "session/uncaught.hpp"

#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include "base/log.hpp"
#include "tailrace/error.hpp"

namespace tailrace::session {
namespace {

[[noreturn]] void end_with_message() noexcept {
  try {
    if (const std::exception_ptr uncaught = std::current_exception()) std::rethrow_exception(uncaught);
  } catch (const Error& error) {
    base::log_error(error.what());
    // When one rank ends, the launcher ends all others, which may still have to print the relevant message.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::_Exit(1);
  } catch (...) {  // reported below
  }
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

}  // namespace

void report_uncaught_errors() {
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler) std::set_terminate(end_with_message);
}

}  // namespace tailrace::session
