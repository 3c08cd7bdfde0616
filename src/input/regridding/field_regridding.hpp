// How the records of one field are brought from the cells of its files to those of the model.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "input/entry/axis_dim.hpp"
#include "input/entry/file_coordinates.hpp"
#include "input/options.hpp"
#include "input/record_values.hpp"
#include "input/regridding/horizontal_regrid.hpp"
#include "input/regridding/model_cells.hpp"
#include "input/regridding/source_grid.hpp"

namespace tailrace::input {

// The first file decides from which cells; later ones must have the same. A copy goes on for itself. One
// thread at a time; calls block. The messages of errors lack the place in the configuration and the file.
class FieldRegridding {
 public:
  // Throws Error(configuration) for a grid of the model to which nothing can be regridded. `request`,
  // `context` and `is_stopped` must live longer.
  FieldRegridding(const RegridRequest& request, const ReaderContext& context, int grid,
                  const std::atomic<bool>& is_stopped);

  // Looks at the cells of a variable. For the first file it has the weights made if the cache lacks them.
  void add(FileCoordinates& file, const VariableHeader& variable);
  // Whether the cells of the files differ from those of the model. If not, records are read as without this.
  bool is_needed() const { return is_needed_; }
  // Whether its values are none of those in the file, but computed.
  bool computes() const;
  // From which cells, and by which method: "from lat-lon 19 x 36 of the files, conservative; ...".
  const std::string& description() const { return description_; }

  // The rest is for fields that need it.
  // The dims to look for in the file: first the grid's other dims, then the file's horizontal ones, without
  // coordinates, so that all their cells match in order. Takes the coordinates from the latter in `file` too.
  std::vector<AxisDim> dims_to_match(std::vector<AxisDim>& file, const std::vector<AxisDim>& grid) const;
  // Leaves of the horizontal dims, which are at the end of the match, only the indices that are needed.
  void restrict(Match& match) const;
  bool is_horizontal(std::size_t dim_of_grid) const { return is_horizontal_[dim_of_grid]; }
  // The array that is read, for a result of this shape over the dims of the grid, or over all but the one
  // `without` (-1: none), which is not a horizontal one.
  std::vector<std::int64_t> source_shape(const std::vector<std::int64_t>& result, int without = -1) const;
  // Returns how many values are missing in the result.
  std::int64_t apply(model::DataType type, std::span<const std::byte> from,
                     const std::vector<std::int64_t>& result_shape, std::span<std::byte> result,
                     int without = -1) const;

 private:
  ResultDims result_dims(const std::vector<std::int64_t>& shape, int without) const;
  void set_source(SourceGrid source, const std::vector<std::int64_t>& shape);
  bool knows_model_cells() const;
  void check_without_places(const SourceGrid& source) const;
  std::string method_text() const;

  const RegridRequest* request_;
  const ReaderContext* context_;
  int grid_;
  const std::atomic<bool>* is_stopped_;
  std::vector<bool> is_horizontal_;  // by dim of the grid
  std::vector<std::size_t> dims_;    // of the variable, in the last file
  std::vector<std::int64_t> file_shape_;
  std::string centres_;  // of the first file; empty: there was none
  std::shared_ptr<const SourceRows> rows_;
  std::string description_;
  bool is_needed_ = false;
};

}  // namespace tailrace::input
