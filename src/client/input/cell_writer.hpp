// Turns the sums of a field's records into values of the model's type, with what the user wants where a value
// is missing.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "input/options.hpp"
#include "model/declarations.hpp"

namespace tailrace::client {

class CellWriter {
 public:
  // Throws Error(configuration) for a value in place of missing ones that the field's type cannot hold.
  CellWriter(const input::FieldRequest& request, const model::Field& field);

  struct Refusal {
    std::size_t cell = 0;  // place in `values`
    std::string why;
  };
  // Missing values are NaN. Returns the first cell that cannot be given: one that is missing, if that is
  // refused, or one that the type cannot hold. `results`: values.size() elements of the field's type.
  std::optional<Refusal> write(std::span<const double> values, std::byte* results) const;
  // A missing value is NaN in the results too, so records with missing values can be copied.
  bool keeps_nan() const { return keeps_nan_; }

 private:
  model::DataType type_;
  bool refuses_missing_;
  bool rounds_;  // to whole numbers
  bool keeps_nan_;
  model::FillValue replacement_;
};

}  // namespace tailrace::client
