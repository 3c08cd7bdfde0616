// How the records of one field are read, file by file.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <vector>

#include "input/entry/hybrid_record.hpp"
#include "input/entry/nearest_fill.hpp"
#include "input/entry/shared_reads.hpp"
#include "input/entry/value_plan.hpp"
#include "input/record_values.hpp"
#include "input/regridding/field_regridding.hpp"

namespace tailrace::input {

// Built up by add(), once for each file in the order of the list; then finish(), then read() as often as
// needed. A copy() may be built up further. One thread at a time; calls block. The messages of errors lack
// the place in the configuration, the file and the record.
class FieldRecipe {
 public:
  // The arguments must live longer. Throws Error(configuration) if the grid does not suit the request.
  // `is_stopped`: set when nobody needs the field any more, so that weights need not be made to the end.
  FieldRecipe(int field, const FieldRequest& request, const ReaderContext& context,
              const std::atomic<bool>& is_stopped);

  void add(std::size_t file, FileCoordinates& coordinates);
  // The same, ready for further files: the files of this one stay as they are if one of those is refused.
  std::unique_ptr<FieldRecipe> copy() const;
  // The fields `entry`, `on_trouble` and `files` are left to the caller.
  PreparedField finish();
  RecipesByFile recipes() const;            // of the values
  void set_recipes(RecipesByFile recipes);  // the same, with other boxes
  // `pages`: where records wait that are needed again, maybe by other fields.
  void start_reading(SourceFiles& files, std::shared_ptr<RecordPages> pages, ChunkMemory& chunks);
  // `record`: its index in the timeline.
  RecordValues read(std::int64_t record, model::DataType type);

  int field() const { return field_; }
  std::string time_dim() const;  // of the variable in the last file; empty: none
  const FieldRequest& request() const { return request_; }

 private:
  struct FileRecipe {
    std::shared_ptr<const VariableRecipe> values;
    std::shared_ptr<const HybridRecipe> hybrid;  // null: none
  };
  std::vector<AxisDim> file_dims(FileCoordinates& coordinates, const VariableHeader& variable) const;
  void add_times(std::size_t file, FileCoordinates& coordinates, const VariableHeader& variable, int time);
  void add_levels(FileCoordinates& coordinates, const VariableHeader& variable, const Match& match,
                  FileRecipe& recipe);
  void look_at_cells(FileCoordinates& coordinates, const VariableHeader& variable,
                     std::vector<AxisDim>& dims);
  std::size_t vertical_in_file_order() const;
  bool is_regridded() const { return regridding_ && regridding_->is_needed(); }
  Regridded regridded() const;
  Decoded read_values(const RecordReader::Wanted& wanted, model::DataType type, std::span<std::byte> numbers);
  std::int64_t cells() const;
  model::DataType travels_as() const;
  double to_next(std::int64_t record) const;
  void read_levels(const RecordReader::Wanted& wanted, RecordValues& values);

  int field_;
  const FieldRequest& request_;
  const ReaderContext& context_;
  const model::Field& declared_;
  const model::Grid& grid_;
  const std::atomic<bool>& is_stopped_;
  std::vector<AxisDim> grid_dims_;
  std::optional<FieldRegridding> regridding_;
  std::vector<AxisDim> wanted_dims_;     // to find in the last file: the grid's, or those to regrid from
  std::optional<std::size_t> vertical_;  // the dim of the grid along which levels are interpolated
  std::string level_units_;              // of what they are interpolated to
  std::vector<std::int64_t> shape_;      // of a record: with the file's levels, over the grid's cells
  Timeline timeline_;
  std::optional<FileLevels> levels_;
  bool fits_model_ = true, fits_float32_ = true;
  std::vector<FileRecipe> files_;  // by number of the file
  std::optional<RecordReader> values_reader_, surface_reader_;
  std::optional<NearestFill> nearest_;
};

}  // namespace tailrace::input
