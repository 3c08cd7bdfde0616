// The conventions of WRF's own files, as its readers expect them: docs/formats/wrf.md.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/index.hpp"
#include "cf/conventions.hpp"
#include "cf/text.hpp"
#include "plan/append/write_amplification.hpp"
#include "plan/wrf_layout.hpp"

namespace tailrace::cf {
namespace {

constexpr std::int64_t dates_per_chunk = 512;

// Whole seconds, as WRF has them. The date is rounded, not the time: a run may start within a second.
std::string date_text(double seconds, const calendar::Calendar& calendar) {
  const calendar::Date date = calendar.date_of(seconds + 0.5);
  // The sum of 59 and a fraction that is nearly 1 may be 60.
  const int second = std::min(static_cast<int>(date.second), 59);
  return fmt::format("{:04}-{:02}-{:02}_{:02}:{:02}:{:02}", date.year, date.month, date.day, date.hour,
                     date.minute, second);
}

// In the order in which WRF writes them; others follow.
std::size_t place_of(const std::string& attribute) {
  constexpr std::array<std::string_view, 6> known{"FieldType", "MemoryOrder", "description",
                                                  "units",     "stagger",     "coordinates"};
  return base::index(std::ranges::find(known, attribute) - known.begin());
}

// WRF writes an empty text as one NUL character.
void end_empty_texts(output::Attributes& attributes) {
  for (auto& [name, value] : attributes)
    if (auto* text = std::get_if<std::string>(&value); text != nullptr && text->empty())
      text->assign(1, '\0');
}

class WrfConventions final : public Conventions {
 public:
  void add_times(Draft& draft) const override {
    if (draft.layout.axes.empty()) return;
    AxisLayout& axis = draft.layout.axes.front();
    axis.time_variable = static_cast<int>(draft.layout.dataset.variables.size());
    constexpr auto length = static_cast<std::int64_t>(plan::wrf::date_length);
    output::VariableSpec dates;
    dates.name = plan::wrf::dates;
    dates.type = model::DataType::uint8;
    dates.is_text = true;
    dates.dims = {axis.dim, draft.grids.dim(plan::wrf::characters, length)};
    dates.chunk = {dates_per_chunk, length};
    draft.layout.dataset.variables.push_back(std::move(dates));
  }

  void add_dims(Draft& draft) const override { draft.grids.share_dims(); }

  // Values that are changed on their way into the file may turn out to be missing.
  std::optional<model::FillValue> fill_value(const plan::VariablePlan& plan,
                                             const model::Field& field) const override {
    if (const auto own = own_fill(plan, field)) return own;
    const bool is_changed = plan.packing || plan.type != field.type;
    return is_changed ? std::optional<model::FillValue>(model::default_fill(plan.type)) : std::nullopt;
  }

  // Where the configuration leaves open what a commit brings, it is one frame.
  std::optional<double> records_of_commit(const plan::DatasetPlan& file,
                                          const plan::VariablePlan& plan) const override {
    return plan::writing::records_per_commit(file, plan).value_or(1.0);
  }

  output::Attributes describe(const plan::VariablePlan&, const model::Field& field) const override {
    output::Attributes attributes;
    if (!field.units.empty()) set_attribute(attributes, "units", field.units);
    if (!field.standard_name.empty()) set_attribute(attributes, "standard_name", field.standard_name);
    if (!field.long_name.empty()) set_attribute(attributes, "long_name", field.long_name);
    for (const auto& [name, value] : field.attributes) set_attribute(attributes, name, value);
    return attributes;
  }

  void add_coordinates(Draft&) const override {}  // they are fields of the model, as XLAT and XLONG

  void finish_attributes(Draft& draft, int variable) const override {
    output::Attributes& attributes = draft.attributes_of(variable);
    for (const auto& [name, value] : draft.file.variables[base::index(variable)].attributes)
      set_attribute(attributes, name, value);
    std::ranges::stable_sort(attributes, {}, [](const auto& one) { return place_of(one.first); });
    end_empty_texts(attributes);
  }

  output::Attributes global_attributes(const Draft& draft, const std::string& history) const override {
    output::Attributes attributes = given_attributes(draft.file, draft.declarations, history);
    write_as(attributes);
    return attributes;
  }

  void write_as(output::Attributes& attributes) const override { end_empty_texts(attributes); }

  std::vector<output::PlainValues> times_of(const NewRecords& records,
                                            const calendar::Calendar& calendar) const override {
    std::string all;
    for (const time::TimeRecord& record : records.records) {
      std::string date = date_text(time_stamp(record, records.stamp), calendar);
      date.resize(plan::wrf::date_length, '\0');
      all += date;
    }
    const auto bytes = std::as_bytes(std::span(all));
    return {{records.axis.time_variable, records.first, {bytes.begin(), bytes.end()}}};
  }
};

}  // namespace

const Conventions& wrf_conventions() {
  static const WrfConventions conventions;
  return conventions;
}

}  // namespace tailrace::cf
