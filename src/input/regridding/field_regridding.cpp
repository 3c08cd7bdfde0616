#include "input/regridding/field_regridding.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "regrid/maker/method_name.hpp"

namespace tailrace::input {

using regrid::Method;

FieldRegridding::FieldRegridding(const RegridRequest& request, const model::Declarations& declarations,
                                 int grid, std::shared_ptr<WeightsStore> store,
                                 const std::atomic<bool>& is_stopped)
    : request_(&request),
      declarations_(&declarations),
      grid_(grid),
      store_(std::move(store)),
      is_stopped_(&is_stopped),
      is_horizontal_(declarations.grids[base::index(grid)].dims.size(), false),
      model_(model_cells_of(declarations, grid)) {
  for (const std::size_t d : model_.horizontal.dims) is_horizontal_[d] = true;
}

bool FieldRegridding::computes() const {
  const Method method = request_->rule.method;
  return is_needed_ && method != Method::nearest && method != Method::largest_area;
}

void FieldRegridding::add(FileCoordinates& file, const VariableHeader& variable) {
  SourceGrid source = source_grid_of(file, variable);
  const std::string centres = centres_of(source);
  dims_ = source.dims;
  if (!centres_.empty()) {
    if (centres != centres_)
      throw Error(ErrorCode::resource,
                  fmt::format("its cells ({}) differ from those of the first file; files with other cells "
                              "belong into another entry of `input`",
                              regrid::text_of(source.cells)));
    return;
  }
  std::vector<std::int64_t> shape;
  for (const std::size_t d : source.dims) shape.push_back(variable.shape[d]);
  set_source(std::move(source), shape);
  centres_ = centres;
}

void FieldRegridding::set_source(SourceGrid source, const std::vector<std::int64_t>& shape) {
  file_shape_ = shape;
  is_needed_ = !are_same_cells(source.cells, model_.cells) || request_->rule.method == Method::file;
  const std::string from = regrid::text_of(source.cells);
  if (!is_needed_) {
    description_ = fmt::format("not regridded: {} of the files has the cells of the model", from);
    model_ = {};
    return;
  }
  const regrid::WeightsRequest wanted{.source = std::move(source.cells),
                                      .target = std::move(model_.cells),
                                      .method = request_->rule.method,
                                      .weights = request_->weights};
  model_ = {};
  regrid::check_bounds(wanted.source, wanted.method);
  const bool is_there = store_ && store_->has(wanted);
  const std::string how = wanted.method == Method::file ? fmt::format("weights of {}", wanted.weights)
                                                        : regrid::name_of(wanted.method);
  description_ =
      fmt::format("regridded from {} of the files to {} of the model, {}{}", from,
                  regrid::text_of(wanted.target), how, is_there ? "" : "; the job makes the weights");
  if (store_ && store_->makes()) rows_ = store_->rows(wanted, shape, *is_stopped_);
}

std::vector<AxisDim> FieldRegridding::dims_to_match(std::vector<AxisDim>& file,
                                                    const std::vector<AxisDim>& grid) const {
  std::vector<AxisDim> wanted;
  for (std::size_t d = 0; d < grid.size(); ++d)
    if (!is_horizontal_[d]) wanted.push_back(grid[d]);
  for (const std::size_t d : dims_) {
    file[d].coordinate.clear();
    wanted.push_back(file[d]);
  }
  return wanted;
}

void FieldRegridding::restrict(Match& match) const {
  if (!rows_) return;
  const std::size_t first = match.cells.size() - rows_->used.size();
  for (std::size_t d = 0; d < rows_->used.size(); ++d) match.cells[first + d] = rows_->used[d];
}

ResultDims FieldRegridding::result_dims(const std::vector<std::int64_t>& shape, int without) const {
  ResultDims dims{.shape = shape, .is_horizontal = is_horizontal_};
  if (without < 0) return dims;
  dims.shape.erase(dims.shape.begin() + without);
  dims.is_horizontal.erase(dims.is_horizontal.begin() + without);
  return dims;
}

std::vector<std::int64_t> FieldRegridding::source_shape(const std::vector<std::int64_t>& result,
                                                        int without) const {
  if (rows_) return input::source_shape(*rows_, result_dims(result, without));
  SourceRows all;
  for (const std::int64_t length : file_shape_) {
    std::vector<std::int64_t>& used = all.used.emplace_back(base::index(length));
    std::iota(used.begin(), used.end(), std::int64_t{0});
  }
  return input::source_shape(all, result_dims(result, without));
}

std::int64_t FieldRegridding::apply(model::DataType type, std::span<const std::byte> from,
                                    const std::vector<std::int64_t>& result_shape,
                                    std::span<std::byte> result, int without) const {
  TAILRACE_ASSERT(rows_ != nullptr, "records are read with weights");
  return regrid_record(*rows_, request_->rule, type, from, result_dims(result_shape, without), result);
}

}  // namespace tailrace::input
