#include "client/input/input_field.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "client/input/grid_cells.hpp"
#include "client/target.hpp"

namespace tailrace::client {
namespace {

constexpr std::int64_t chunk_cells = 512;  // of float64 on the stack

const model::Field& field_of(const input::PreparedField& prepared, const Declarer& declarer) {
  return declarer.declarations().fields[base::index(prepared.field)];
}

std::string place_of(const input::PreparedField& prepared) {
  return fmt::format("input \"{}\" ({}), variable {}", prepared.request.name,
                     prepared.request.location.text(), prepared.request.variable);
}

input::TimeSelector selector_of(const input::PreparedField& prepared, const calendar::Calendar& calendar) {
  try {
    return {prepared.timeline, prepared.request.time, calendar};
  } catch (const Error& error) {
    throw Error(ErrorCode::configuration, fmt::format("{}: {}", place_of(prepared), error.what()));
  }
}

}  // namespace

InputField::InputField(input::PreparedField prepared, const calendar::Calendar& calendar,
                       const Declarer& declarer)
    : prepared_(std::make_unique<input::PreparedField>(std::move(prepared))),
      selector_(selector_of(*prepared_, calendar)),
      type_(field_of(*prepared_, declarer).type),
      writer_(prepared_->request, field_of(*prepared_, declarer)),
      regions_(regions_to_get(prepared_->field, declarer)) {
  for (const model::Region& region : regions_) cells_ += region.size();
  if (prepared_->vertical) levels_ = std::make_unique<LevelPass>(*prepared_, declarer);
  const std::int64_t cells = levels_ ? levels_->record_cells() : cells_;
  const bool has_levels = levels_ && prepared_->vertical->come_with_records;
  payload_bytes_ = sizeof(input::RecordHead) + base::index(cells) * (model::size_of(prepared_->travels_as) +
                                                                     (has_levels ? sizeof(double) : 0));
}

std::string InputField::message(const std::string& what) const {
  return fmt::format("{}: {}", place_of(*prepared_), what);
}

std::vector<input::Part> InputField::parts_at(double time) const {
  const input::Selection selection = selector_.at(time);
  std::vector<input::Part> parts;
  for (input::Part part : selection.parts()) {
    if (prepared_->stays) part.place = part.record;
    if (part.weight != 0.0) parts.push_back(part);
  }
  return parts;
}

bool InputField::is_behind(double time) const {
  return prepared_->request.time.cycle.kind == input::CycleKind::none &&
         time > selector_.timeline().records().back().end;
}

bool InputField::may_change_at(double time) const {
  return prepared_->may_grow && selector_.may_need_further(time);
}

void InputField::lengthen(const input::FurtherRecords& further) {
  prepared_->files.insert(prepared_->files.end(), further.files.begin(), further.files.end());
  selector_.lengthen(further.records);
}

bool InputField::is_copy(const Sum& sum) const {
  return !levels_ && sum.records.size() == 1 && prepared_->travels_as == type_ &&
         (!sum.may_miss || writer_.keeps_nan());
}

void InputField::deliver(std::span<const input::Part> parts,
                         std::span<const std::span<const std::byte>> payloads, const PresentField& present,
                         const Target& target, std::vector<std::byte>& scratch) {
  Sum sum{{}, false, parts};
  for (std::size_t i = 0; i < parts.size(); ++i) {
    input::RecordHead head;
    std::memcpy(&head, payloads[i].data(), sizeof head);
    sum.may_miss = sum.may_miss || head.missing > 0;
    sum.records.push_back({payloads[i].data() + sizeof head, parts[i].weight});
  }
  const std::size_t bytes = base::index(cells_) * model::size_of(type_);
  auto* const to = static_cast<std::byte*>(target.data);
  if (is_copy(sum)) {
    const std::span<const std::byte> values(sum.records[0].values, bytes);
    if (!target.strides.empty()) return scatter(target, values);
    std::memcpy(to, values.data(), bytes);
    return;
  }
  if (target.strides.empty()) return fill(sum, present, to);
  scratch.resize(bytes);
  fill(sum, present, scratch.data());
  scatter(target, scratch);
}

void InputField::fill(const Sum& sum, const PresentField& present, std::byte* dense) {
  if (levels_) return fill_levels(sum, present, dense);
  const model::DataType from = prepared_->travels_as;
  const bool is_real = !model::is_integer(from) && !model::is_integer(type_);
  const bool is_plain = !sum.may_miss || writer_.keeps_nan();
  if (is_real && is_plain && sum_real_cells(sum.records, from, 0, base::index(cells_), type_, dense)) return;
  std::array<double, base::index(chunk_cells)> values;
  for (std::int64_t first = 0; first < cells_; first += chunk_cells) {
    const auto chunk = std::span(values).first(base::index(std::min(chunk_cells, cells_ - first)));
    sum_cells(sum.records, from, base::index(first), chunk);
    write(sum, first, chunk, dense);
  }
}

void InputField::fill_levels(const Sum& sum, const PresentField& present, std::byte* dense) {
  try {
    levels_->run(sum.records, present, [&](std::int64_t first_cell, std::span<const double> values) {
      write(sum, first_cell, values, dense);
    });
  } catch (const Error& error) {
    throw Error(error.code(), message(fmt::format("{} ({})", error.what(), records_text(sum.parts))));
  }
}

void InputField::write(const Sum& sum, std::int64_t first_cell, std::span<const double> values,
                       std::byte* dense) const {
  const auto refusal = writer_.write(values, dense + base::index(first_cell) * model::size_of(type_));
  if (!refusal) return;
  const auto cell = global_indices(regions_, first_cell + static_cast<std::int64_t>(refusal->cell));
  const std::string what =
      fmt::format("the value of cell ({}) (counted from 0) {}", fmt::join(cell, ", "), refusal->why);
  if (levels_) throw Error(ErrorCode::resource, what);  // its names are added above
  throw Error(ErrorCode::resource, message(fmt::format("{} ({})", what, records_text(sum.parts))));
}

std::string InputField::records_text(std::span<const input::Part> parts) const {
  std::vector<std::string> names;
  for (const input::Part& part : parts) {
    const input::Record& one = selector_.timeline().records()[base::index(part.record)];
    names.push_back(fmt::format("record {} of {}", one.index, prepared_->files[base::index(one.file)]));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tailrace::client
