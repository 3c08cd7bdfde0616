#include "points/netcdf_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "calendar/file_time.hpp"
#include "input/plain_file.hpp"
#include "tailrace/error.hpp"

namespace tailrace::points {
namespace {

using input::PlainVariable;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::resource, what); }

std::string attribute(const PlainVariable& variable, const char* name) {
  const auto found = variable.attributes.find(name);
  return found == variable.attributes.end() ? "" : found->second;
}

class File {
 public:
  File(std::vector<PlainVariable> variables, const std::string& vertical) : all_(std::move(variables)) {
    time_ = find([](const PlainVariable& one) {
      return attribute(one, "standard_name") == "time" || attribute(one, "axis") == "T" || one.name == "time";
    });
    if (time_ == nullptr)
      refuse(fmt::format("expected a variable with the standard_name time, but there are {}", names()));
    const PlainVariable* y = find_place("latitude", "lat", "degrees_north", "Y");
    const PlainVariable* x = find_place("longitude", "lon", "degrees_east", "X");
    if (y == nullptr || x == nullptr)
      refuse(fmt::format(
          "expected variables with the standard_names latitude and longitude, or of axis X and Y, but "
          "there are {}",
          names()));
    add_column(*y, is_on_sphere(*y) ? "latitude" : y->name);
    add_column(*x, is_on_sphere(*x) ? "longitude" : x->name);
    if (!vertical.empty())
      if (const PlainVariable* z = find([&](const PlainVariable& one) {
            return one.name == vertical || attribute(one, "standard_name") == vertical;
          }))
        add_column(*z, vertical);
    name_ = find([](const PlainVariable& one) { return attribute(one, "cf_role") == "trajectory_id"; });
    find_form();
  }

  const PlainVariable& time() const { return *time_; }
  bool has_names() const { return name_ != nullptr || instances_ > 1; }
  const std::vector<std::string>& columns() const { return columns_; }

  // Calls visit(trajectory, index along the dims of the positions) for each position.
  template <class Visit>
  void visit(const Visit& visit) const {
    if (rows_ != nullptr) {
      std::size_t at = 0;
      for (std::size_t i = 0; i < rows_->numbers.size(); ++i)
        for (double n = 0; n < rows_->numbers[i]; ++n) visit(i, at++);
    } else {
      for (std::size_t at = 0; at < size_; ++at)
        visit(index_ != nullptr ? static_cast<std::size_t>(index_->numbers.at(at))
                                : (at / instance_stride_) % instances_,
              at);
    }
  }

  std::string name_of(std::size_t instance) const {
    if (name_ == nullptr) return fmt::format("{}", instance + 1);
    const std::size_t one = name_->shape.empty() ? 0 : instance;
    if (one < name_->texts.size()) return name_->texts[one];
    if (one < name_->numbers.size()) return fmt::format("{}", name_->numbers[one]);
    return "";
  }

  // None if it is missing.
  std::optional<double> value(const PlainVariable& variable, std::size_t at) const {
    const double number = variable.numbers.at(place_in(variable, at));
    const bool missing = !std::isfinite(number) || (variable.fill_value && number == *variable.fill_value);
    return missing ? std::nullopt : std::optional(number);
  }
  const PlainVariable& column(std::size_t i) const { return *places_[i]; }

 private:
  template <class Fits>
  const PlainVariable* find(const Fits& fits) const {
    const auto found = std::ranges::find_if(all_, fits);
    return found == all_.end() ? nullptr : &*found;
  }
  const PlainVariable* find_place(const char* standard, const char* usual, const char* units,
                                  const char* axis) const {
    if (const auto* one =
            find([&](const PlainVariable& v) { return attribute(v, "standard_name") == standard; }))
      return one;
    if (const auto* one =
            find([&](const PlainVariable& v) { return v.name == usual || attribute(v, "units") == units; }))
      return one;
    return find([&](const PlainVariable& v) { return attribute(v, "axis") == axis; });
  }
  static bool is_on_sphere(const PlainVariable& one) {
    return attribute(one, "standard_name") == "latitude" || attribute(one, "standard_name") == "longitude" ||
           attribute(one, "units").starts_with("degree");
  }
  std::string names() const {
    std::string all;
    for (const PlainVariable& one : all_) all += (all.empty() ? "" : ", ") + one.name;
    return all.empty() ? "none" : all;
  }
  void add_column(const PlainVariable& variable, const std::string& name) {
    if (variable.numbers.empty()) refuse(fmt::format("{} has no numbers", variable.name));
    places_.push_back(&variable);
    columns_.push_back(name);
  }

  void find_form() {
    const PlainVariable& y = *places_.front();
    dims_ = y.dims;
    shape_ = y.shape;
    size_ = y.numbers.size();
    if (dims_.empty() || dims_.size() > 2)
      refuse(fmt::format("{} has {} dimensions; expected those of trajectories and positions", y.name,
                         dims_.size()));
    for (const PlainVariable* one : places_) check_dims(*one);
    check_dims(*time_);
    const auto speaks_of = [&](const char* word) {
      return [this, word](const PlainVariable& one) { return attribute(one, word) == dims_.front(); };
    };
    if (dims_.size() == 1) {
      rows_ = find(speaks_of("sample_dimension"));
      index_ = find([&](const PlainVariable& one) {
        return !attribute(one, "instance_dimension").empty() && one.dims == dims_;
      });
      if (rows_ != nullptr) check_rows();
      instance_stride_ = size_ == 0 ? 1 : size_;
      instances_ = rows_ != nullptr ? rows_->numbers.size() : 1;
      return;
    }
    const bool second = name_ != nullptr && !name_->dims.empty()
                            ? name_->dims.front() == dims_[1]
                            : time_->dims.size() == 1 && time_->dims[0] == dims_[0];
    instances_ = static_cast<std::size_t>(shape_[second ? 1 : 0]);
    instance_stride_ = second ? 1 : static_cast<std::size_t>(shape_[1]);
  }

  void check_rows() const {
    if (std::accumulate(rows_->numbers.begin(), rows_->numbers.end(), 0.0) != static_cast<double>(size_))
      refuse(fmt::format("the numbers of positions in {} do not add up to {}, the length of {}", rows_->name,
                         size_, dims_.front()));
  }

  void check_dims(const PlainVariable& one) const {
    const bool within = std::ranges::all_of(
        one.dims, [&](const std::string& dim) { return std::ranges::find(dims_, dim) != dims_.end(); });
    if (!within || one.numbers.empty())
      refuse(fmt::format("{} has other dimensions than {}, so it does not describe its positions", one.name,
                         places_.front()->name));
  }

  // A variable may lack one of the dims: times that all trajectories share, or one altitude of each
  // trajectory.
  std::size_t place_in(const PlainVariable& variable, std::size_t at) const {
    if (variable.dims == dims_) return at;
    if (variable.dims.empty()) return 0;
    const auto inner = static_cast<std::size_t>(shape_.back());
    return variable.dims.front() == dims_.front() && dims_.size() == 2 ? at / inner : at % inner;
  }

  std::vector<PlainVariable> all_;
  const PlainVariable* time_ = nullptr;
  const PlainVariable* name_ = nullptr;
  const PlainVariable* rows_ = nullptr;   // the number of positions of each trajectory
  const PlainVariable* index_ = nullptr;  // the trajectory of each position
  std::vector<const PlainVariable*> places_;
  std::vector<std::string> columns_, dims_;
  std::vector<std::int64_t> shape_;
  std::size_t size_ = 0, instances_ = 1, instance_stride_ = 1;
};

}  // namespace

bool is_netcdf(const config::SourceFile& source) {
  return input::is_netcdf4(source.text) || input::is_classic_netcdf(source.text);
}

void read_netcdf_rows(const config::SourceFile& source, const std::string& vertical,
                      const calendar::Calendar& calendar,
                      const std::function<bool(std::vector<Cell>&)>& take) {
  if (!input::is_netcdf4(source.text))
    refuse("is a netCDF file of a form before netCDF-4; expected netCDF-4: nccopy -k nc4 makes one of it");
  const File file(input::variables_of(source.text), vertical);
  const calendar::FileTime times(attribute(file.time(), "units"), attribute(file.time(), "calendar"),
                                 calendar);
  std::vector<Cell> names{{"time", {source.name, 1, 1}}};
  if (file.has_names()) names.push_back({"trajectory", {source.name, 1, 1}});
  for (const std::string& column : file.columns()) names.push_back({column, {source.name, 1, 1}});
  if (!take(names)) return;
  bool goes_on = true;
  int number = 0;
  file.visit([&](std::size_t instance, std::size_t at) {
    const config::Location where{source.name, ++number, 1};
    const auto value_of_time = file.value(file.time(), at);
    const auto time = value_of_time ? times.seconds(*value_of_time) : std::nullopt;
    if (!goes_on || !time) return;
    std::vector<Cell> cells{{fmt::format("{}", *time), where}};
    if (file.has_names()) cells.push_back({file.name_of(instance), where});
    for (std::size_t i = 0; i < file.columns().size(); ++i) {
      const auto value = file.value(file.column(i), at);
      if (!value) return;
      cells.push_back({fmt::format("{}", *value), where});
    }
    goes_on = take(cells);
  });
}

}  // namespace tailrace::points
