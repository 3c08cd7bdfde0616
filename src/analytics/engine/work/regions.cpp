#include "analytics/engine/work/regions.hpp"

#include <algorithm>

namespace tailrace::analytics::engine::work {

model::Box whole_box(const Shape& shape) {
  model::Box box;
  for (const Dim& dim : shape.dims) {
    box.offset.push_back(0);
    box.count.push_back(dim.extent);
  }
  return box;
}

model::Region whole_region(const Shape& shape) { return model::Region::of_box(whole_box(shape)); }

model::Region from_zero(const model::Region& region) {
  std::vector<model::Runs> runs;
  for (const std::int64_t count : region.counts()) runs.push_back({{0, count}});
  return model::Region(std::move(runs));
}

model::Region part_for(const Shape& shape, const Dims& dims, const model::Region& here) {
  std::vector<model::Runs> runs;
  for (const Dim& dim : shape.dims) {
    const auto found =
        std::find_if(dims.begin(), dims.end(), [&](const Dim& d) { return d.name == dim.name; });
    if (found == dims.end())
      runs.push_back({{0, dim.extent}});
    else
      runs.push_back(here.runs(static_cast<std::size_t>(found - dims.begin())));
  }
  return model::Region(std::move(runs));
}

bool covers(const Shape& shape, const Dims& dims, const model::Region& here) {
  return part_for(shape, dims, here) == whole_region(shape);
}

std::vector<double> cut(std::vector<double> whole, const Shape& shape, const model::Region& part) {
  if (part == whole_region(shape)) return whole;
  std::vector<double> values(static_cast<std::size_t>(part.size()));
  // Segments map cells of the part to cells of the whole.
  for (const model::Segment& segment : model::intersect(part, whole_box(shape)))
    std::copy_n(whole.begin() + segment.target, segment.count, values.begin() + segment.source);
  return values;
}

Call call_within(const Call& call, const std::vector<const model::Region*>& blocks) {
  Call within = call;
  for (std::size_t a = 0; a < within.arguments.size(); ++a) {
    for (std::size_t d = 0; d < within.arguments[a].dims.size(); ++d) {
      within.arguments[a].dims[d].extent = blocks[a]->count(d);
      within.arguments[a].dims[d].split = false;
    }
  }
  return within;
}

}  // namespace tailrace::analytics::engine::work
