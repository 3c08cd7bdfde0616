#include "sinks/saved_records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/index.hpp"

namespace tailrace::sinks {
namespace {

// Copies the box at the lower corner of a dense C-order array contiguously.
struct BoxCopy {
  const std::vector<std::int64_t>& dims;  // of the array
  const std::vector<std::int64_t>& box;
  std::size_t element;

  void copy(std::span<const std::byte> from, std::size_t d, std::int64_t at,
            std::vector<std::byte>& to) const {
    if (d == dims.size()) {
      const auto first =
          from.begin() + static_cast<std::ptrdiff_t>(at) * static_cast<std::ptrdiff_t>(element);
      to.insert(to.end(), first, first + static_cast<std::ptrdiff_t>(element));
      return;
    }
    for (std::int64_t i = 0; i < box[d]; ++i) copy(from, d + 1, at * dims[d] + i, to);
  }
};

}  // namespace

SavedRecords::SavedRecords(const plan::DatasetPlan& plan, const cf::DatasetLayout& layout,
                           std::size_t variable, const plan::Pending& pending) {
  const cf::VariableLayout& of = layout.variables[variable];
  const output::VariableSpec& spec = layout.dataset.variables[base::index(of.variable)];
  grid_ = {of.shape, of.chunk, of.records_per_chunk};
  element_ = model::size_of(spec.type);
  if (of.plan < 0) return;
  const plan::VariablePlan& planned = plan.variables[base::index(of.plan)];
  if (planned.axis < 0) return;
  const auto axis = base::index(planned.axis);
  first_ = pending.committed[axis] / grid_.records_per_chunk * grid_.records_per_chunk;
  end_ = pending.closed[axis];
  array_.name = fmt::format("files/{}/{}/records", plan.entry.path, planned.name);
  array_.type = spec.type;
  array_.dims = {"record"};
  array_.shape = {end_ - first_};
  for (std::size_t d = 0; d < of.shape.size(); ++d) {
    array_.dims.push_back(fmt::format("cell_{}", d));
    array_.shape.push_back(of.shape[d]);
  }
  if (!spec.codec.keep) return;
  reached_.name = fmt::format("files/{}/{}/errors", plan.entry.path, planned.name);
  reached_.type = model::DataType::float64;
  reached_.dims = {"record", "chunk", "absolute, relative, bits"};
  reached_.shape = {end_ - first_, grid_.chunks_per_record(), 3};
}

model::Region SavedRecords::region(std::int64_t spatial, std::int64_t first_record,
                                   std::int64_t records) const {
  model::Box box = grid_.box(spatial);
  box.offset.insert(box.offset.begin(), first_record - first_);
  box.count.insert(box.count.begin(), records);
  return model::Region::of_box(box);
}

void SavedRecords::save(model::StateSaver& saver, std::int64_t spatial, std::int64_t record_chunk,
                        std::span<const std::byte> cells, std::int64_t records_end) const {
  const std::int64_t begin = record_chunk * grid_.records_per_chunk;
  const std::int64_t records = std::min({end_, records_end, begin + grid_.records_per_chunk}) - begin;
  if (records <= 0) return;
  const model::Box box = grid_.box(spatial);
  const auto record_bytes = static_cast<std::size_t>(grid_.cells_per_chunk()) * element_;
  std::vector<std::byte> inside;
  for (std::int64_t r = 0; r < records; ++r)
    BoxCopy{grid_.chunk, box.count, element_}.copy(
        cells.subspan(static_cast<std::size_t>(r) * record_bytes, record_bytes), 0, 0, inside);
  saver.save(array_, region(spatial, begin, records), inside);
}

void SavedRecords::save_reached(model::StateSaver& saver, std::int64_t spatial, std::int64_t record_chunk,
                                std::span<const codecs::lossy::Reached> reached,
                                std::int64_t records_end) const {
  if (reached_.name.empty() || reached.empty()) return;
  const std::int64_t begin = record_chunk * grid_.records_per_chunk;
  const std::int64_t records = std::min({end_, records_end, begin + grid_.records_per_chunk}) - begin;
  if (records <= 0) return;
  std::vector<double> numbers;
  for (const codecs::lossy::Reached& of : reached.first(base::index(records)))
    numbers.insert(numbers.end(), {of.absolute, of.relative, static_cast<double>(of.bits)});
  saver.save(reached_, model::Region::of_box({{begin - first_, spatial, 0}, {records, 1, 3}}),
             std::as_bytes(std::span(numbers)));
}

codecs::lossy::Reached SavedRecords::load_reached(const model::StateLoader& loader, std::int64_t spatial,
                                                  std::int64_t record) const {
  if (reached_.name.empty()) return {};
  double numbers[3] = {};
  loader.load(reached_, model::Region::of_box({{record - first_, spatial, 0}, {1, 1, 3}}),
              std::as_writable_bytes(std::span(numbers)));
  return {numbers[0], numbers[1], static_cast<std::int64_t>(numbers[2])};
}

std::vector<std::byte> SavedRecords::load(const model::StateLoader& loader, std::int64_t spatial,
                                          std::int64_t record) const {
  std::vector<std::byte> cells(static_cast<std::size_t>(grid_.box(spatial).size()) * element_);
  loader.load(array_, region(spatial, record, 1), cells);
  return cells;
}

}  // namespace tailrace::sinks
