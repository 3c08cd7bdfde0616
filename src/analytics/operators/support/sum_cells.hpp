// Exact sums of kept cells, optionally without NaN.
#pragma once

#include "analytics/exact_sum/exact_sums.hpp"
#include "analytics/operators/support/kept_pieces.hpp"

namespace tailrace::analytics::operators {

class SumCells final : public ValueCells {
 public:
  SumCells(std::size_t cells, bool skip_missing) : sums_(cells), skip_missing_(skip_missing) {}

  void add(std::size_t cell, std::span<const double> values) override;
  void add_each(std::size_t first, std::span<const double> values) override;
  void merge(const Cells& other, std::size_t from, std::size_t first, std::size_t count) override {
    sums_.merge(static_cast<const SumCells&>(other).sums_, from, first, count);
  }
  void merge(base::ByteReader bytes) override { sums_.merge(bytes.rest()); }
  void write(base::ByteWriter& bytes) const override { bytes.put_bytes(sums_.to_bytes()); }
  void clear() override { sums_.clear(); }
  void results(std::span<double> values) const override { sums_.results(values); }

 private:
  exact_sum::ExactSums sums_;
  bool skip_missing_;
};

}  // namespace tailrace::analytics::operators
