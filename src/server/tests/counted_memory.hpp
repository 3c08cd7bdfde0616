// How many bytes a piece of work holds, counted at operator new: what a process has from the system depends
// on what ran before, this does not.
#pragma once

#include <cstddef>

namespace tailrace::server::testing {

// From its construction on. All threads of the program count.
class CountedMemory {
 public:
  CountedMemory();
  std::size_t held() const;  // now, beyond what was held at the beginning
  std::size_t peak() const;  // at the worst moment

 private:
  std::size_t before_;
};

}  // namespace tailrace::server::testing
