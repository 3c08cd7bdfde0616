#include "output/adios2/existing.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"

namespace tailrace::output::adios2 {
namespace {

using Shape = std::vector<std::size_t>;

[[noreturn]] void refuse(const std::string& why) {
  throw Error(
      ErrorCode::resource,
      fmt::format("cannot be continued: {}; expected a dataset of the same configuration, another path, "
                  "or `if_exists: replace`",
                  why));
}

const ExistingVariable* found(const StepReader& reader, const std::string& name) {
  const auto& variables = reader.variables();
  const auto at = std::ranges::find(variables, name, &ExistingVariable::name);
  return at == variables.end() ? nullptr : &*at;
}

std::vector<std::byte> all_of(StepReader& reader, const ExistingVariable& variable) {
  std::vector<std::byte> bytes;
  for (std::size_t place = 0; place < variable.steps.size(); ++place) {
    const auto more = reader.read(variable, place);
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  return bytes;
}

std::vector<double> numbers(StepReader& reader, const ExistingVariable& variable) {
  if (variable.type != model::DataType::float64)
    throw Error(ErrorCode::resource,
                fmt::format("its \"{}\" is not stored as Tailrace stores times", variable.name));
  const std::vector<std::byte> bytes = all_of(reader, variable);
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

std::string text(const StepReader& reader, const std::string& variable, const char* attribute) {
  const auto texts = reader.texts(variable + "/" + attribute);
  return texts.empty() ? "" : texts.front();
}

void check_codec(const StepReader& reader, const DatasetSpec& spec, const VariableSpec& variable) {
  const std::string found = text(reader, variable.name, codec_attribute);
  if (found == (codec_in(spec, variable) == "none" ? "" : codec_in(spec, variable))) return;
  refuse(fmt::format("its variable \"{}\" has another compression than in this run, {}", variable.name,
                     codec_in(spec, variable)));
}

void check_variable(const ExistingVariable& there, const DatasetSpec& spec, const VariableSpec& variable) {
  if (there.type != variable.type)
    refuse(fmt::format("its variable \"{}\" is not of the type {}", variable.name,
                       model::name_of(variable.type)));
  const auto wanted = shape_of(variable, first_lengths(spec));
  const std::ptrdiff_t first = grows(spec, variable) ? 1 : 0;
  const Shape extents(wanted.begin(), wanted.end());
  for (const Shape& shape : there.shapes)
    if (shape.size() != extents.size() ||
        !std::equal(shape.begin() + first, shape.end(), extents.begin() + first))
      refuse(fmt::format("its variable \"{}\" has the shape {}, and this run writes {}{}", variable.name,
                         fmt::join(shape, " x "), first == 1 ? "records of " : "",
                         fmt::join(extents.begin() + first, extents.end(), " x ")));
}

// How many steps, from the first on, hold no more records than stay.
std::size_t whole_steps(const StepReader& reader, const DatasetSpec& spec,
                        const std::vector<std::int64_t>& lengths) {
  std::size_t whole = reader.steps();
  for (const VariableSpec& variable : spec.variables) {
    const ExistingVariable* there = found(reader, variable.name);
    if (there == nullptr || !grows(spec, variable)) continue;
    auto stay = static_cast<std::size_t>(lengths[base::index(variable.dims[0])]);
    for (std::size_t place = 0; place < there->steps.size(); ++place) {
      if (there->shapes[place][0] > stay) {
        whole = std::min(whole, there->steps[place]);
        break;
      }
      stay -= there->shapes[place][0];
    }
  }
  return whole;
}

class TailReader {
 public:
  TailReader(StepReader& reader, RewrittenTail& tail) : reader_(reader), tail_(tail) {}

  // The records from the first step of the tail on, as many as stay.
  void add_growing(int index, const ExistingVariable& there, std::size_t stay) {
    std::vector<std::byte> bytes;
    Shape shape;
    std::size_t records = 0;
    for (std::size_t place = 0; place < there.steps.size(); ++place) {
      const std::size_t in_step = there.shapes[place][0];
      const std::size_t kept = std::min(in_step, stay);
      stay -= kept;
      if (there.steps[place] < tail_.steps || kept == 0) continue;
      const auto more = reader_.read(there, place);
      bytes.insert(bytes.end(), more.begin(),
                   more.begin() + static_cast<std::ptrdiff_t>(more.size() / in_step * kept));
      shape = there.shapes[place];
      records += kept;
    }
    if (records == 0) return;
    shape[0] = records;
    add(index, shape, std::move(bytes));
  }

  void add_fixed(int index, const ExistingVariable& there) {
    if (there.steps.empty() || there.steps.back() < tail_.steps) return;
    add(index, there.shapes.back(), reader_.read(there, there.steps.size() - 1));
  }

 private:
  void add(int index, const Shape& shape, std::vector<std::byte>&& bytes) {
    tail_.values.push_back(std::move(bytes));
    tail_.blocks.push_back({index, shape, Shape(shape.size(), 0), shape, tail_.values.back().data(), 0});
  }

  StepReader& reader_;
  RewrittenTail& tail_;
};

}  // namespace

std::string codec_in(const DatasetSpec& spec, const VariableSpec& variable) {
  return takes_operator(spec, variable) ? "blosc" : variable.codec.codec;
}

bool takes_operator(const DatasetSpec& spec, const VariableSpec& variable) {
  return unwrap_options<Options>(spec.options.get()).applied == Operator::blosc && variable.is_field &&
         !variable.chunk.empty() && variable.codec.codec == "none";
}

std::map<std::string, ExistingAxis> axes_of(StepReader& reader) {
  const auto dims = reader.texts("__unlimited_dimensions__");
  if (dims.empty())
    throw Error(
        ErrorCode::resource,
        "was not written by Tailrace, which appends only to its own files, or has nothing that grows");
  std::map<std::string, ExistingAxis> axes;
  for (const std::string& dim : dims) {
    ExistingAxis axis;
    axis.units = text(reader, dim, "units");
    axis.calendar = text(reader, dim, "calendar");
    if (axis.units.empty()) continue;  // a dim without a coordinate
    if (const ExistingVariable* times = found(reader, dim)) axis.times = numbers(reader, *times);
    const ExistingVariable* bounds = found(reader, text(reader, dim, "bounds"));
    if (bounds != nullptr) axis.bounds = numbers(reader, *bounds);
    axes.emplace(dim, std::move(axis));
  }
  return axes;
}

void check_fits(const StepReader& reader, const DatasetSpec& spec) {
  for (const VariableSpec& variable : spec.variables) {
    const ExistingVariable* there = found(reader, variable.name);
    if (there != nullptr) {
      check_variable(*there, spec, variable);
      check_codec(reader, spec, variable);
      if (const auto why = other_regridding(variable, text(reader, variable.name, regridding_attribute));
          !why.empty())
        refuse(why);
    } else if (!variable.dims.empty() && reader.texts(variable.name + "/__xarray_dimensions__").empty()) {
      refuse(fmt::format("it has no variable \"{}\"", variable.name));
    }
  }
  const auto unlimited = reader.texts("__unlimited_dimensions__");
  for (const ExistingVariable& there : reader.variables()) {
    if (there.dims.empty() || std::ranges::find(unlimited, there.dims[0]) == unlimited.end()) continue;
    if (std::ranges::find(spec.variables, there.name, &VariableSpec::name) == spec.variables.end())
      refuse(fmt::format("its variable \"{}\" is not among those of this run", there.name));
  }
}

bool has_values(const StepReader& reader, const std::string& variable) {
  const ExistingVariable* there = found(reader, variable);
  return there != nullptr && !there->steps.empty();
}

RewrittenTail tail_of(StepReader& reader, const DatasetSpec& spec, const std::vector<std::int64_t>& lengths) {
  RewrittenTail tail;
  tail.steps = whole_steps(reader, spec, lengths);
  if (tail.steps == reader.steps()) return tail;
  TailReader read(reader, tail);
  for (std::size_t v = 0; v < spec.variables.size(); ++v) {
    const VariableSpec& variable = spec.variables[v];
    const ExistingVariable* there = found(reader, variable.name);
    if (there == nullptr) continue;
    if (grows(spec, variable))
      read.add_growing(static_cast<int>(v), *there,
                       static_cast<std::size_t>(lengths[base::index(variable.dims[0])]));
    else
      read.add_fixed(static_cast<int>(v), *there);
  }
  return tail;
}

}  // namespace tailrace::output::adios2
