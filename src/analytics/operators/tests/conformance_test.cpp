// Every registered reduction and kernel satisfies the contract, and every operator is documented.
#include <gmock/gmock.h>

#include <map>

#include "analytics/testing/kernel_conformance.hpp"
#include "base/testing/has_test.hpp"

namespace tailrace::analytics {
namespace {

using namespace testing;

const std::vector<std::vector<std::string>> some_dims = {{},    {"z"},           {"y", "x"},
                                                         {"x"}, {"z", "y", "x"}, {"x", "z"}};

// The parameters with which each reduction is checked; every reduction must be listed.
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

// The calls with which each kernel is checked, on a field with dims z, y, x.
const std::map<std::string, std::vector<Call>> kernels = {
    {"coarsen",
     {call_of({sample_dims}, {}, {{"x", 2.0}}),
      call_of({sample_dims}, {}, {{"z", 2.0}, {"y", 3.0}, {"method", "max"}})}},
    {"cumsum", {call_of({sample_dims}, {"z"}), call_of({sample_dims}, {"x"}, {{"skip_missing", 1.0}})}},
    {"diff", {call_of({sample_dims}, {"z"}), call_of({sample_dims}, {"y"})}},
    {"quantile",
     {call_of({sample_dims}, {"z"}),
      call_of({sample_dims}, {"y", "x"}, {{"q", std::vector<double>{0.1, 1.0}}})}},
    {"range",
     {call_of(
         {sample_dims}, {},
         {{"z", std::vector<double>{1.5, 4.0}}, {"z.coordinates", std::vector<double>{1.0, 2.0, 4.0}}})}},
    {"regions", {call_of({sample_dims}), call_of({sample_dims}, {"y", "x"}, {{"periodic", "x"}})}},
    {"select",
     {call_of(
         {sample_dims}, {},
         {{"z", std::vector<double>{1.0, 3.0}}, {"z.coordinates", std::vector<double>{1.0, 2.0, 4.0}}})}},
    {"slice",
     {call_of({sample_dims}, {}, {{"z", 1.0}}),
      call_of({sample_dims}, {}, {{"x", std::vector<double>{1.0, 5.0, 2.0}}})}},
    {"spectrum", {call_of({sample_dims}, {"x"}), call_of({sample_dims}, {"y", "x"})}},
    {"track", {call_of({sample_dims}), call_of({sample_dims}, {"y", "x"})}},
    {"interpolate",
     {call_of({sample_dims, {sample_dims[0]}}, {"z"}, {{"levels", std::vector<double>{-0.5, 0.0, 2.0}}})}},
};

TEST(Operators, every_kernel_keeps_the_contract) {
  for (const auto& [name, calls] : kernels)
    for (const Call& call : calls) check_kernel(name, call);
}

TEST(Operators, statistics_of_regions_keep_the_contract) {
  const Parameters most{{"max", 4.0}};
  for (const char* name : {"region_count", "region_label", "region_size"}) {
    const bool counts = std::string(name) == "region_count";
    for (const auto& dims : {std::vector<std::string>{}, {"y", "x"}})
      check_kernel(name, call_of({sample_dims}, dims, counts ? Parameters{} : most));
  }
  for (const char* name : {"region_sum", "region_mean", "region_min", "region_max"})
    check_kernel(name, call_of({sample_dims, sample_dims}, {"y", "x"}, most));
  check_kernel("region_centroid", call_of({sample_dims}, {"y", "x"}, {{"max", 4.0}, {"along", "x"}}));
}

// Elementwise operators are checked by the tests of programs.
TEST(Operators, all_are_checked) {
  for (const std::string& name : operator_names()) {
    if (dynamic_cast<const Elementwise*>(find_operator(name)) != nullptr) continue;
    const bool elsewhere =
        name == "argmin" || name == "argmax" || name == "vertical_integral" || name.starts_with("region_");
    if (!simple.contains(name) && !kernels.contains(name) && !elsewhere)
      base::testing::expect_conformance_test(name, "Operator");
  }
}

TEST(Operators, are_documented) {
  for (const std::string& name : operator_names()) {
    const OperatorDoc doc = find_operator(name)->doc();
    EXPECT_FALSE(doc.description.empty()) << name;
    EXPECT_FALSE(doc.cost.empty()) << name;
    const bool array_function = dynamic_cast<const Elementwise*>(find_operator(name)) == nullptr;
    if (!array_function) continue;
    EXPECT_TRUE(doc.signature.starts_with(name + "(")) << name << ": " << doc.signature;
    for (const char* word : {"NaN", "mpty", "length 1"})
      EXPECT_NE(doc.description.find(word), std::string::npos) << name << " is silent about " << word;
  }
}

}  // namespace
}  // namespace tailrace::analytics
