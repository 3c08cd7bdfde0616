#include "mip_tables/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "units/unit_system.hpp"

namespace tailrace::mip_tables {
namespace {

class TableCheck {
 public:
  TableCheck(const Written& written, config::Problems& problems, std::vector<std::string>& warnings)
      : written_(written), table_(*written.request->is), problems_(problems), warnings_(warnings) {}

  void check() {
    check_units();
    check_standard_name();
    check_once();
    check_dimensions();
  }

 private:
  std::string head() const { return fmt::format("{} ({})", table_.title(), table_.location.text()); }

  void refuse(const std::string& what) {
    problems_.add(written_.request->location, written_.config_path + ".cmip", what);
  }

  void warn(const std::string& what) {
    warnings_.push_back(
        fmt::format("{}  {}.cmip: {}", written_.request->location.text(), written_.config_path, what));
  }

  void check_units() {
    const std::string& own = written_.field.units;
    if (table_.units.empty() || own == table_.units) return;
    if (own.empty())
      return warn(fmt::format("the model declares no units for \"{}\"; they are taken to be {}, as {} has",
                              written_.field.name, table_.units, head()));
    if (units::unit_system().same(own, table_.units)) return;
    const std::string differ = fmt::format("field \"{}\" is in \"{}\" and {} in \"{}\"", written_.field.name,
                                           own, head(), table_.units);
    if (!units::unit_system().conversion(own, table_.units))
      return refuse(differ + ", which cannot be converted into each other");
    refuse(
        fmt::format("{}; values are written as they are. Write a diagnostic in its place: "
                    "`{}: {{is: 'to_units({}, units=\"{}\")'}}`",
                    differ, written_.request->variable, written_.field.name, table_.units));
  }

  void check_standard_name() {
    const std::string& own = written_.field.standard_name;
    if (own.empty() || table_.standard_name.empty() || own == table_.standard_name) return;
    refuse(fmt::format("the model declares the standard_name \"{}\" for \"{}\", but {} is \"{}\"", own,
                       written_.field.name, head(), table_.standard_name));
  }

  void check_once() {
    if (written_.once && table_.has_time())
      refuse(fmt::format("\"{}\" is put once, but {} changes with time: it has the dimensions \"{}\"",
                         written_.field.name, head(), fmt::join(table_.dimensions, " ")));
    if (!written_.once && !table_.has_time())
      refuse(
          fmt::format("{} does not change with time; list \"{}\" under `fields` in a group with "
                      "`every: once`",
                      head(), written_.field.name));
  }

  bool has_dimension(const char* name) const { return std::ranges::count(table_.dimensions, name) > 0; }

  void check_dimensions() {
    const Request& request = *written_.request;
    const std::size_t dims =
        written_.grid.dims.size() - (written_.is_split && !written_.grid.dims.empty() ? 1 : 0);
    const bool one_for_two = written_.grid.kind == model::GridKind::indexed && has_dimension("longitude") &&
                             has_dimension("latitude") && request.cells > 0;
    const std::size_t wanted = request.cells - (one_for_two ? 1 : 0);
    if (dims == wanted) return;
    const std::string what = fmt::format(
        "{} has the dimensions \"{}\", so {} {} expected besides time, but \"{}\" has {} ({}), those of grid "
        "\"{}\"",
        head(), fmt::join(table_.dimensions, " "), wanted, wanted == 1 ? "is" : "are", written_.field.name,
        dims, fmt::join(written_.grid.dims, ", "), written_.grid.name);
    if (request.knows_scalars) return refuse(what);
    warn(what + "; which of them have one value is a guess, since no table of coordinates lies beside it");
  }

  const Written& written_;
  const TableVariable& table_;
  config::Problems& problems_;
  std::vector<std::string>& warnings_;
};

bool has(const std::vector<model::Coordinate>& coordinates, const std::string& name) {
  return std::ranges::count(coordinates, name, &model::Coordinate::name) > 0;
}

}  // namespace

void check_table(const Written& written, config::Problems& problems, std::vector<std::string>& warnings) {
  if (written.request != nullptr && written.request->is) TableCheck(written, problems, warnings).check();
}

std::vector<model::Coordinate> scalar_coordinates(const Written& written) {
  std::vector<model::Coordinate> coordinates = written.coordinates;
  if (written.request == nullptr) return coordinates;
  for (const model::Coordinate& scalar : written.request->scalars)
    if (!has(written.grid.coordinates, scalar.name) && !has(written.field.coordinates, scalar.name) &&
        !has(coordinates, scalar.name) && std::ranges::count(written.grid.dims, scalar.name) == 0)
      coordinates.push_back(scalar);
  return coordinates;
}

}  // namespace tailrace::mip_tables
