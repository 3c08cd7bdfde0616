#include "comm/communicator.hpp"

namespace tailrace::comm {

const char* name_of(ThreadLevel level) {
  switch (level) {
    case ThreadLevel::none: return "none";
    case ThreadLevel::single: return "single";
    case ThreadLevel::funneled: return "funneled";
    case ThreadLevel::serialized: return "serialized";
    case ThreadLevel::multiple: return "multiple";
  }
  return "unknown";
}

}  // namespace tailrace::comm
