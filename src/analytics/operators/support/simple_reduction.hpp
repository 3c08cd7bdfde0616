// A fusible reduction of one argument to one number for each cell, with skip_missing as the only parameter.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/operators/support/kept_pieces.hpp"

namespace tailrace::analytics::operators {

class SimpleReduction : public Reduction {
 public:
  Shape infer(const Call& call) const override {
    expect_arguments(call, 1, 1);
    expect_parameters(call, {"skip_missing"});
    flag(call, "skip_missing");
    Shape shape = without(call, consumed_dims(call));
    shape.units = units(call.arguments[0].units);
    return shape;
  }
  bool fusible() const override { return true; }
  bool can_skip_missing() const override { return true; }
  std::unique_ptr<Partial> start(const Call& call) const override {
    return kept_partial(call, [this, skip = flag(call, "skip_missing")](std::size_t cells) {
      return make_cells(cells, skip);
    });
  }

 protected:
  virtual std::unique_ptr<Cells> make_cells(std::size_t cells, bool skip_missing) const = 0;
  virtual std::optional<std::string> units(const std::optional<std::string>& argument) const {
    return argument;
  }
};

}  // namespace tailrace::analytics::operators
