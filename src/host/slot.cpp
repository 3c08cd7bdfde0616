#include "host/slot.hpp"

#include <fmt/format.h>

namespace tailrace::host {

std::string Slot::describe(const std::string& name, int servers) const {
  switch (state) {
    case State::awaited: return fmt::format("\n    component \"{}\" has not called ready yet", name);
    case State::connecting:
      return fmt::format("\n    component \"{}\" is being connected: {} of {} servers are set up", name,
                         set_up->heard(), servers);
    case State::running: return component->describe();
    case State::over: break;
  }
  return "";
}

}  // namespace tailrace::host
