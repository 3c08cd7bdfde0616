// Helpers for tests of operators: short calls, results of whole arrays, and messages for invalid calls.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "analytics/operator.hpp"
#include "analytics/testing/operator_conformance.hpp"

namespace tailrace::analytics::testing {

inline Array array_of(const Dims& dims, std::vector<double> values) {
  Array array{whole_region(Shape{dims, std::nullopt}), std::move(values)};
  EXPECT_EQ(array.region.size(), static_cast<std::int64_t>(array.values.size()));
  return array;
}

using Parameters = std::map<std::string, ParameterValue>;

inline Call call_of(const std::vector<Dims>& arguments, std::vector<std::string> dims = {},
                    Parameters parameters = {}) {
  Call call;
  for (const Dims& argument : arguments) call.arguments.push_back({argument, "K"});
  call.dims = std::move(dims);
  call.parameters = std::move(parameters);
  return call;
}

inline Shape shape_of(const std::string& name, const Call& call) { return find_operator(name)->infer(call); }

// The names of the dimensions with their extents: "z:3 x:7".
inline std::string dims_of(const Shape& shape) {
  std::string text;
  for (const Dim& dim : shape.dims)
    text += (text.empty() ? "" : " ") + dim.name + ":" + std::to_string(dim.extent);
  return text;
}

// The result for whole arguments, whose shape is checked against infer().
inline std::vector<double> result_of(const std::string& name, const Call& call,
                                     const std::vector<Array>& arguments) {
  const Operator* op = find_operator(name);
  const Shape shape = op->infer(call);
  std::vector<ConstArray> views;
  for (const Array& argument : arguments) views.push_back(argument.view());
  Array result;
  if (const auto* kernel = dynamic_cast<const Kernel*>(op)) {
    result = kernel->start(call)->compute(views);
  } else {
    const auto partial = dynamic_cast<const Reduction&>(*op).start(call);
    partial->add(views);
    result = partial->finish();
  }
  EXPECT_EQ(result.region, whole_region(shape)) << name;
  EXPECT_EQ(result.values.size(), static_cast<std::size_t>(shape.size())) << name;
  return result.values;
}

inline std::string problem_of(const std::string& name, const Call& call) {
  try {
    find_operator(name)->infer(call);
  } catch (const CallProblem& problem) {
    return problem.parameter + ": " + problem.what();
  }
  return "no problem";
}

inline void expect_values(const std::vector<double>& got, const std::vector<double>& expected,
                          double tolerance = 0.0) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
    else if (tolerance == 0.0 || std::isinf(expected[i]))
      EXPECT_EQ(got[i], expected[i]) << i;
    else
      EXPECT_NEAR(got[i], expected[i], tolerance) << i;
  }
}

}  // namespace tailrace::analytics::testing
