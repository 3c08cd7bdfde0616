// One input field on this rank: which records make its value at a time, and the pass that computes it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "client/declarer.hpp"
#include "client/input/cell_sums.hpp"
#include "client/input/cell_writer.hpp"
#include "client/input/level_pass.hpp"
#include "input/prepared.hpp"
#include "input/time_rule.hpp"

namespace tailrace::client {

class InputField {
 public:
  // The declarer must live longer. Throws Error(configuration) if a rule cannot be applied.
  InputField(input::PreparedField prepared, const calendar::Calendar& calendar, const Declarer& declarer);

  const input::PreparedField& prepared() const { return *prepared_; }
  bool holds() const { return prepared_->on_trouble == input::OnTrouble::hold; }
  std::size_t payload_bytes() const { return payload_bytes_; }
  int levels_field() const { return levels_ ? levels_->levels_field() : -1; }

  // Those with a weight that is not 0, at the places at which this field's records come. Throws as
  // TimeSelector::at.
  std::vector<input::Part> parts_at(double time) const;
  input::Places places(double time) const { return selector_.places(time, time); }
  std::int64_t record_at(std::int64_t place) const {
    return prepared_->stays ? place : selector_.record_at(place);
  }
  std::int64_t place_behind() const { return std::ssize(selector_.timeline().records()); }  // the last record
  bool is_behind(double time) const;  // the end of the last record, and it is no cycle
  // A further record of a field that may grow could change the value at this time.
  bool may_change_at(double time) const;
  void lengthen(const input::FurtherRecords& further);

  // Computes the values from the payloads of the parts, in one pass. Throws Error(resource) for a value that
  // cannot be given, with file, variable, record and cell. `present`: of levels_field(), if there is one.
  // `scratch`: memory for values of an array with strides. REQUIRES: the target was checked, and has cells.
  void deliver(std::span<const input::Part> parts, std::span<const std::span<const std::byte>> payloads,
               const PresentField& present, const Target& target, std::vector<std::byte>& scratch);

  // "input "sst" (run.yml:14:9), variable tos: ..."
  std::string message(const std::string& what) const;
  bool is_first_warning() { return !std::exchange(has_warned_, true); }

 private:
  struct Sum {
    std::vector<WeightedRecord> records;
    bool may_miss = false;  // some of their values are missing
    std::span<const input::Part> parts;
  };
  bool is_copy(const Sum& sum) const;
  void fill(const Sum& sum, const PresentField& present, std::byte* dense);
  void fill_levels(const Sum& sum, const PresentField& present, std::byte* dense);
  void write(const Sum& sum, std::int64_t first_cell, std::span<const double> values, std::byte* dense) const;
  std::string records_text(std::span<const input::Part> parts) const;

  std::unique_ptr<input::PreparedField> prepared_;  // at one place, since levels_ refers to it
  input::TimeSelector selector_;
  model::DataType type_;
  CellWriter writer_;
  std::vector<model::Region> regions_;
  std::int64_t cells_ = 0;
  std::unique_ptr<LevelPass> levels_;
  std::size_t payload_bytes_ = 0;
  bool has_warned_ = false;
};

}  // namespace tailrace::client
