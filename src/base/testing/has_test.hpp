// Finds tests of this program by name, so that a room can check that each registered name has a test.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <string>
#include <string_view>

namespace tailrace::base::testing {

// Whether the suite, or an instance of it (`Cases/ShmTransport`), has the test. `test` is without its
// parameter.
inline bool has_test(const std::string& suite, const std::string& test) {
  const auto& all = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& tests = *all.GetTestSuite(s);
    const std::string_view full(tests.name());
    if (full.substr(full.rfind('/') + 1) != suite) continue;
    for (int t = 0; t < tests.total_test_count(); ++t) {
      const std::string_view name(tests.GetTestInfo(t)->name());
      if (name.substr(0, name.find('/')) == test) return true;
    }
  }
  return false;
}

// The suite that tests the registered `name`: suite_of("run_length", "Codec") is RunLengthCodec.
inline std::string suite_of(const std::string& name, const std::string& kind) {
  std::string suite;
  bool at_start = true;
  for (const char c : name) {
    if (c != '_') suite += at_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    at_start = c == '_';
  }
  return suite + kind;
}

inline void expect_conformance_test(const std::string& name, const std::string& kind) {
  EXPECT_TRUE(has_test(suite_of(name, kind), "keeps_the_contract"))
      << "\"" << name << "\" is registered, but there is no test " << suite_of(name, kind)
      << ".keeps_the_contract";
}

}  // namespace tailrace::base::testing
