#include "plan/tables/table_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "analytics/units/unit_system.hpp"

namespace tailrace::plan {
namespace {

namespace units = analytics::units;

class TableCheck {
 public:
  TableCheck(const TableCase& on, config::Problems& problems, std::vector<std::string>& warnings)
      : on_(on), table_(*on.entry.cmip->is), problems_(problems), warnings_(warnings) {}

  void check() {
    check_units();
    check_standard_name();
    check_once();
    check_dimensions();
  }

 private:
  std::string head() const { return fmt::format("{} ({})", table_.title(), table_.location.text()); }

  void refuse(const std::string& what) {
    problems_.add(on_.entry.cmip->location, on_.entry.config_path + ".cmip", what);
  }

  void warn(const std::string& what) {
    warnings_.push_back(
        fmt::format("{}  {}.cmip: {}", on_.entry.cmip->location.text(), on_.entry.config_path, what));
  }

  void check_units() {
    const std::string& own = on_.field.units;
    if (table_.units.empty() || own == table_.units) return;
    if (own.empty())
      return warn(fmt::format("the model declares no units for \"{}\"; they are taken to be {}, as {} has",
                              on_.field.name, table_.units, head()));
    if (units::unit_system().same(own, table_.units)) return;
    const std::string differ =
        fmt::format("field \"{}\" is in \"{}\" and {} in \"{}\"", on_.field.name, own, head(), table_.units);
    if (!units::unit_system().conversion(own, table_.units))
      return refuse(differ + ", which cannot be converted into each other");
    refuse(
        fmt::format("{}; values are written as they are. Write a diagnostic in its place: "
                    "`{}: {{is: 'to_units({}, units=\"{}\")'}}`",
                    differ, on_.entry.cmip->variable, on_.field.name, table_.units));
  }

  void check_standard_name() {
    const std::string& own = on_.field.standard_name;
    if (own.empty() || table_.standard_name.empty() || own == table_.standard_name) return;
    refuse(fmt::format("the model declares the standard_name \"{}\" for \"{}\", but {} is \"{}\"", own,
                       on_.field.name, head(), table_.standard_name));
  }

  void check_once() {
    if (on_.once && table_.has_time())
      refuse(fmt::format("\"{}\" is put once, but {} changes with time: it has the dimensions \"{}\"",
                         on_.field.name, head(), fmt::join(table_.dimensions, " ")));
    if (!on_.once && !table_.has_time())
      refuse(
          fmt::format("{} does not change with time; list \"{}\" under `fields` in a group with "
                      "`every: once`",
                      head(), on_.field.name));
  }

  bool has_dimension(const char* name) const { return std::ranges::count(table_.dimensions, name) > 0; }

  void check_dimensions() {
    const settings::CmipRequest& request = *on_.entry.cmip;
    const std::size_t dims =
        on_.grid.dims.size() - (on_.entry.split.empty() || on_.grid.dims.empty() ? 0 : 1);
    const bool one_for_two = on_.grid.kind == model::GridKind::indexed && has_dimension("longitude") &&
                             has_dimension("latitude") && request.cells > 0;
    const std::size_t wanted = request.cells - (one_for_two ? 1 : 0);
    if (dims == wanted) return;
    const std::string what = fmt::format(
        "{} has the dimensions \"{}\", so {} {} expected besides time, but \"{}\" has {} ({}), those of grid "
        "\"{}\"",
        head(), fmt::join(table_.dimensions, " "), wanted, wanted == 1 ? "is" : "are", on_.field.name, dims,
        fmt::join(on_.grid.dims, ", "), on_.grid.name);
    if (request.knows_scalars) return refuse(what);
    warn(what + "; which of them have one value is a guess, since no table of coordinates lies beside it");
  }

  const TableCase& on_;
  const settings::MipVariable& table_;
  config::Problems& problems_;
  std::vector<std::string>& warnings_;
};

bool has(const std::vector<model::Coordinate>& coordinates, const std::string& name) {
  return std::ranges::count(coordinates, name, &model::Coordinate::name) > 0;
}

}  // namespace

void check_table(const TableCase& on, config::Problems& problems, std::vector<std::string>& warnings) {
  if (on.entry.cmip && on.entry.cmip->is) TableCheck(on, problems, warnings).check();
}

std::vector<model::Coordinate> scalar_coordinates(const TableCase& on) {
  std::vector<model::Coordinate> coordinates = on.entry.coordinates;
  if (!on.entry.cmip) return coordinates;
  for (const model::Coordinate& scalar : on.entry.cmip->scalars)
    if (!has(on.grid.coordinates, scalar.name) && !has(on.field.coordinates, scalar.name) &&
        !has(coordinates, scalar.name) && std::ranges::count(on.grid.dims, scalar.name) == 0)
      coordinates.push_back(scalar);
  return coordinates;
}

}  // namespace tailrace::plan
