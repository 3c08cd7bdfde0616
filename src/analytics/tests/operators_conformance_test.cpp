// Every reduction that is registered keeps the contract; every operator says what it does.
#include <gmock/gmock.h>

#include <map>

#include "analytics/testing/use.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;

const std::vector<std::vector<std::string>> some_dims = {{},    {"z"},           {"y", "x"},
                                                         {"x"}, {"z", "y", "x"}, {"x", "z"}};

// With which parameters each reduction is checked; all of them must be here.
const std::map<std::string, std::vector<Parameters>> simple = {
    {"sum", {{}, {{"skip_missing", 1.0}}}},
    {"count", {{}}},
    {"min", {{}, {{"skip_missing", 1.0}}}},
    {"max", {{}, {{"skip_missing", 1.0}}}},
    {"any", {{}, {{"skip_missing", 1.0}}}},
    {"all", {{}, {{"skip_missing", 1.0}}}},
    {"histogram",
     {{{"edges", std::vector<double>{-0.5, -0.0, 0.25, 1.0}}},
      {{"bins", 4.0}, {"low", -1.0}, {"high", 1.0}}}}};

TEST(Operators, every_reduction_keeps_the_contract) {
  for (const auto& [name, parameters] : simple)
    for (const Parameters& some : parameters)
      for (const auto& dims : some_dims) check_reduction(name, call_of({}, dims, some));
}

TEST(Operators, places_of_extremes_keep_the_contract) {
  for (const char* name : {"argmin", "argmax"})
    for (const double skip : {0.0, 1.0}) {
      for (const auto& dims : {std::vector<std::string>{"z"}, {"x"}, {"y"}})
        check_reduction(name, call_of({}, dims, {{"skip_missing", skip}}));
      for (const char* along : {"y", "x"}) {
        check_reduction(name, call_of({}, {"y", "x"}, {{"skip_missing", skip}, {"along", along}}));
        check_reduction(name, call_of({}, {}, {{"skip_missing", skip}, {"along", along}}));
      }
    }
}

TEST(Operators, integrals_with_arrays_keep_the_contract) {
  for (const double skip : {0.0, 1.0})
    for (const char* dim : {"z", "y", "x"})
      check_reduction("vertical_integral", call_of({}, {dim}, {{"skip_missing", skip}}), 2);
}

TEST(Operators, no_reduction_is_left_out) {
  for (const std::string& name : operator_names()) {
    if (dynamic_cast<const Reduction*>(find_operator(name)) == nullptr) continue;
    const bool elsewhere = name == "argmin" || name == "argmax" || name == "vertical_integral";
    EXPECT_TRUE(simple.contains(name) || elsewhere) << name;
  }
}

TEST(Operators, say_what_they_do) {
  for (const std::string& name : operator_names()) {
    const OperatorDoc doc = find_operator(name)->doc();
    EXPECT_FALSE(doc.says.empty()) << name;
    EXPECT_FALSE(doc.cost.empty()) << name;
    const bool array_function = dynamic_cast<const Elementwise*>(find_operator(name)) == nullptr;
    if (!array_function) continue;
    EXPECT_TRUE(doc.signature.starts_with(name + "(")) << name << ": " << doc.signature;
    for (const char* word : {"NaN", "mpty", "length 1"})
      EXPECT_NE(doc.says.find(word), std::string::npos) << name << " is silent about " << word;
  }
}

}  // namespace
}  // namespace tailrace::analytics
