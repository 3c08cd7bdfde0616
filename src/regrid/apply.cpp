#include "regrid/apply.hpp"

#include "base/error.hpp"

namespace tailrace::regrid {

std::size_t LocalRows::bytes() const {
  return start.capacity() * sizeof start[0] + source.capacity() * sizeof source[0] +
         weight.capacity() * sizeof weight[0];
}

}  // namespace tailrace::regrid
