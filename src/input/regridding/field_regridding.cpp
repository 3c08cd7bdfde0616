#include "input/regridding/field_regridding.hpp"

#include <fmt/format.h>

#include <numeric>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/index.hpp"
#include "input/regridding/model_cells.hpp"
#include "regrid/method.hpp"
#include "regrid/source_cells.hpp"

namespace tailrace::input {

using regrid::Method;

FieldRegridding::FieldRegridding(const RegridRequest& request, const ReaderContext& context, int grid,
                                 const std::atomic<bool>& is_stopped)
    : request_(&request),
      context_(&context),
      grid_(grid),
      is_stopped_(&is_stopped),
      is_horizontal_(context.declarations.grids[base::index(grid)].dims.size(), false) {
  for (const std::size_t d : regrid::horizontal_dims(context.declarations, grid, Method::bilinear).dims)
    is_horizontal_[d] = true;
}

bool FieldRegridding::knows_model_cells() const {
  return context_->cells_of_ranks ||
         !regrid::only_ranks_know_cells(context_->declarations.grids[base::index(grid_)]);
}

// Cells of the same shape may be the same, which need no weights: the job sees that, as it sees whether the
// model's cells have bounds.
void FieldRegridding::check_without_places(const SourceGrid& source) const {
  const auto* listed = std::get_if<regrid::ListedCells>(&source.cells);
  const auto own = regrid::horizontal_dims(context_->declarations, grid_, Method::bilinear).shape;
  if (listed == nullptr || listed->shape != own)
    regrid::check_bounds(source.cells, request_->rule.method, "the grid of the file");
}

std::string FieldRegridding::method_text() const {
  return request_->rule.method == Method::file ? fmt::format("weights of {}", request_->weights)
                                               : regrid::name_of(request_->rule.method);
}

bool FieldRegridding::computes() const { return is_needed_ && !regrid::picks(request_->rule.method); }

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
  const std::string from = regrid::text_of(source.cells);
  if (!knows_model_cells()) {
    check_without_places(source);
    is_needed_ = true;
    description_ = fmt::format(
        "regridded from {} of the files, {}, to the cells of the model, unless they are "
        "the same: its ranks give their places as the job starts",
        from, method_text());
    return;
  }
  ModelCells model = model_cells_of(context_->declarations, grid_, context_->cells_of_ranks.get());
  is_needed_ = !are_same_cells(source.cells, model.cells) || request_->rule.method == Method::file;
  if (!is_needed_) {
    description_ = fmt::format("not regridded: {} of the files has the cells of the model", from);
    return;
  }
  regrid::check_bounds(source.cells, request_->rule.method, "the grid of the file");
  regrid::check_bounds(
      model.cells, request_->rule.method,
      fmt::format("the grid {} of the model", context_->declarations.grids[base::index(grid_)].name));
  const regrid::WeightsRequest wanted{.source = std::move(source.cells),
                                      .target = std::move(model.cells),
                                      .method = request_->rule.method,
                                      .weights = request_->weights};
  WeightsStore* const store = context_->weights.get();
  const bool is_there = store != nullptr && store->has(wanted);
  description_ = fmt::format("regridded from {} of the files to {} of the model, {}{}", from,
                             regrid::text_of(wanted.target), method_text(),
                             is_there ? "" : "; the job makes the weights");
  if (store != nullptr && store->makes()) rows_ = store->rows(wanted, shape, *is_stopped_);
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
