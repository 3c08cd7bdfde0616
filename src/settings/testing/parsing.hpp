// Configurations in a few lines, and what is said of them.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "settings/configuration.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings::testing {

inline const std::string fields = "fields: {state: {names: [u, w, theta]}}\n";

inline Configuration parse(const std::string& yaml, const std::map<std::string, std::string>& options = {}) {
  return parse_configuration({{"run.yaml", yaml}}, &options);
}

inline std::string complaint(const std::string& yaml) {
  try {
    parse(yaml);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

// A file with one variable, on line 3.
inline std::string with_variable(const std::string& variable) {
  return "tailrace: 1\n" + fields + "output: {a.nc: {variables: [{" + variable + "}]}}\n";
}

}  // namespace tailrace::settings::testing
