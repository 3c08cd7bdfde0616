#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/logged_warnings.hpp"

namespace tailrace::base {
namespace {

spdlog::logger& logger() {
  static const std::shared_ptr<spdlog::logger> instance = [] {
    auto made = spdlog::stderr_logger_mt("tailrace");
    made->set_pattern("tailrace: %l: %v");
    const char* level = std::getenv("TAILRACE_LOG");
    made->set_level(level ? spdlog::level::from_str(level) : spdlog::level::warn);
    return made;
  }();
  return *instance;
}

}  // namespace

void log_debug(std::string_view message) { logger().debug("{}", message); }
void log_info(std::string_view message) { logger().info("{}", message); }
void log_warning(std::string_view message) {
  logger().warn("{}", message);
  remember_warning(message);
}
void log_error(std::string_view message) {
  logger().error("{}", message);
  remember_warning(message);
}

}  // namespace tailrace::base
