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
    // The launcher ends all others as soon as one rank has ended, and theirs may be the message that counts.
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    std::_Exit(1);
  } catch (...) {  // told below
  }
  __gnu_cxx::__verbose_terminate_handler();
  std::abort();
}

}  // namespace

void tell_uncaught_errors() {
  if (std::get_terminate() == &__gnu_cxx::__verbose_terminate_handler) std::set_terminate(end_with_message);
}

}  // namespace tailrace::session
