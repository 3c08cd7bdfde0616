// The conventions of a dataset as a strategy: what its times, dims and attributes are. `make_layout` asks it
// for them in this order, and the sink for the times of new records. A convention holds no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cf/grid.hpp"
#include "cf/layout.hpp"
#include "time/axis.hpp"

namespace tailrace::cf {

// A dataset that is being laid out.
struct Draft {
  DatasetLayout& layout;
  const plan::DatasetPlan& file;
  const settings::Configuration& configuration;
  const model::Declarations& declarations;
  Names& names;
  GridWriter& grids;
  std::vector<std::string> point_names = {};  // that variables at points list in `coordinates`

  const model::Field& field_of(int variable) const;  // by index into DatasetPlan::variables
  output::Attributes& attributes_of(int variable);   // the same; of those it is split into, the first
};

// The names of the variables that the plan makes: one, or those it is split into.
std::vector<std::string> names_in_file(const plan::VariablePlan& plan);

// The user's fill value, or that of the field where the file's type can hold it.
std::optional<model::FillValue> own_fill(const plan::VariablePlan& plan, const model::Field& field);

// New records along an axis; `first` is the index of the first one in the file.
struct NewRecords {
  const AxisLayout& axis;
  std::int64_t first = 0;
  std::span<const time::TimeRecord> records;
  settings::TimeStamp stamp = settings::TimeStamp::middle;
};

class Conventions {
 public:
  virtual ~Conventions() = default;

  // Adds the variables with the times. REQUIRES: the dims of the axes are there.
  virtual void add_times(Draft& draft) const = 0;
  // Adds the dims of the grids; afterwards GridWriter::dims_of is valid.
  virtual void add_dims(Draft& draft) const = 0;
  // The `_FillValue` of a variable; nothing if it gets none.
  virtual std::optional<model::FillValue> fill_value(const plan::VariablePlan& plan,
                                                     const model::Field& field) const = 0;
  // How many records of a variable a commit brings, for the shape of its chunks; nothing: chunks are chosen
  // without regard to commits.
  virtual std::optional<double> records_of_commit(const plan::DatasetPlan& file,
                                                  const plan::VariablePlan& plan) const = 0;
  // The attributes of the field itself.
  virtual output::Attributes describe(const plan::VariablePlan& plan, const model::Field& field) const = 0;
  // Adds the variables that the planned ones need. REQUIRES: the planned ones are there.
  virtual void add_coordinates(Draft& draft) const = 0;
  // Adds what follows the attributes of the field itself, and those of the user.
  virtual void finish_attributes(Draft& draft, int variable) const = 0;
  virtual output::Attributes global_attributes(const Draft& draft, const std::string& history) const = 0;
  // Brings attributes of a file to the form in which they are written.
  virtual void write_as(output::Attributes&) const {}

  // The values of the variables of add_times.
  virtual std::vector<output::PlainValues> times_of(const NewRecords& records,
                                                    const calendar::Calendar& calendar) const = 0;
};

// Adds the attributes that the model gives to a file when it opens it; those of the user have the last word.
void add_file_attributes(const plan::DatasetPlan& file, const DatasetLayout& layout,
                         const output::Attributes& given, output::Attributes& attributes);

const Conventions& cf_conventions();
const Conventions& wrf_conventions();
const Conventions& conventions_of(settings::Layout layout);

}  // namespace tailrace::cf
