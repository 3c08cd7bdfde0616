#include "base/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

namespace tailrace::base {
namespace {

using testing::HasSubstr;

template <class Thrown>
Fault fault_of(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return current_fault();
  }
}

TEST(CurrentFault, keeps_code_and_message) {
  const Fault fault = fault_of(Error(ErrorCode::resource, "disk full: out.nc"));
  EXPECT_EQ(fault.code, ErrorCode::resource);
  EXPECT_EQ(fault.message, "disk full: out.nc");
}

TEST(CurrentFault, tells_the_world_from_a_bug) {
  EXPECT_EQ(fault_of(std::bad_alloc()).code, ErrorCode::resource);
  EXPECT_EQ(fault_of(std::logic_error("oops")).code, ErrorCode::internal);
  EXPECT_EQ(fault_of(std::logic_error("oops")).message, "oops");
  EXPECT_EQ(fault_of(42).code, ErrorCode::internal);
}

TEST(Assertion, throws_a_message_that_names_place_and_expression) {
  EXPECT_NO_THROW(TAILRACE_ASSERT(1 + 1 == 2, "arithmetic holds"));
  try {
    TAILRACE_ASSERT(1 + 1 == 3, "arithmetic is broken");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::internal);
    EXPECT_THAT(error.what(), HasSubstr("error_test.cpp"));
    EXPECT_THAT(error.what(), HasSubstr("`1 + 1 == 3` does not hold: arithmetic is broken"));
  }
}

}  // namespace
}  // namespace tailrace::base
