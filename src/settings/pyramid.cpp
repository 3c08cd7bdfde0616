#include "settings/pyramid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "config/read.hpp"
#include "regrid/target_grid.hpp"
#include "settings/output_entry.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

constexpr int most_levels = 14;

void add_period(Pyramid& pyramid, const time::Period& period, const Location& location) {
  pyramid.periods.push_back(period);
  pyramid.period_locations.push_back(location);
}

Pyramid read(const Value& value, Problems& problems) {
  Pyramid pyramid;
  pyramid.location = value.location();
  pyramid.config_path = value.path();
  pyramid.levels = integer_of(value, "levels", pyramid.levels);
  if (const Value* levels = value.find("levels")) pyramid.levels_location = levels->location();
  if (const Value* periods = value.find("periods"))
    for (const Value& item : periods->items()) {
      if (item.open()) continue;
      const time::Period period = time::Period::parse(item.text());
      if (period.kind() == time::PeriodKind::steps)
        problems.add(
            item.location(), item.path(),
            fmt::format("expected a length of time, which is part of the file's name, but got \"{}\"",
                        item.text()));
      else if (std::ranges::count(pyramid.periods, period) > 0)
        problems.add(item.location(), item.path(), "is given twice");
      else
        add_period(pyramid, period, item.location());
    }
  const bool is_open = std::ranges::any_of(value.entries(), [](const ValueEntry& each) {
    return each.value.open() || std::ranges::any_of(each.value.items(), &Value::open);
  });
  if (pyramid.levels == 0 && pyramid.periods.empty() && !is_open && problems.empty())
    problems.add(value.location(), value.path(), "expected `levels`, `periods`, or both");
  return pyramid;
}

// By ISO 8601, as the names of datasets in archives have it: P1D, P1M, PT1H, PT15M.
std::string iso_of(const time::Period& period) {
  if (period.kind() == time::PeriodKind::months)
    return period.count() % 12 == 0 ? fmt::format("P{}Y", period.count() / 12)
                                    : fmt::format("P{}M", period.count());
  const double seconds = period.seconds();
  const auto whole = [&](double unit) { return std::fmod(seconds, unit) == 0.0; };
  if (whole(86400)) return fmt::format("P{:.0f}D", seconds / 86400);
  if (whole(3600)) return fmt::format("PT{:.0f}H", seconds / 3600);
  if (whole(60)) return fmt::format("PT{:.0f}M", seconds / 60);
  return fmt::format("PT{}S", seconds);
}

std::string level_name(const regrid::Target& target) {
  if (const auto* healpix = std::get_if<regrid::Healpix>(&target)) return fmt::format("z{}", healpix->level);
  const std::vector<std::int64_t> shape = regrid::shape_of(target);
  return fmt::format("{}x{}", shape.front(), shape.back());
}

// `a_{start}.nc` and "P1D_z7": `a_P1D_z7_{start}.nc`.
std::string path_of_copy(const std::string& path, const std::string& suffix) {
  const std::size_t folder = path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1;
  std::size_t at = path.find('{', folder);
  if (at == std::string::npos) {
    at = path.rfind('.');
    if (at == std::string::npos || at <= folder) at = path.size();
  } else if (at > folder && path[at - 1] == '_') {
    --at;
  }
  return path.substr(0, at) + "_" + suffix + path.substr(at);
}

// Whether records of a period would be made of fewer samples than those of the variable.
bool is_shorter(const time::Period& period, const time::Period& every) {
  if (every.is_never()) return true;
  if (period.kind() == every.kind())
    return period.kind() == time::PeriodKind::months ? period.count() < every.count()
                                                     : period.seconds() < every.seconds();
  constexpr double shortest_month = 28.0 * 86400.0;
  if (every.kind() == time::PeriodKind::months) return true;
  return period.kind() == time::PeriodKind::months && every.kind() == time::PeriodKind::seconds &&
         static_cast<double>(period.count()) * shortest_month < every.seconds();
}

class Builder {
 public:
  Builder(const OutputEntry& file, Problems& problems) : file_(file), problems_(problems) {}

  // The copies, each behind the one that it is made of.
  std::vector<OutputEntry> build() {
    if (!file_.regrid) {
      problems_.add(file_.pyramid->location, file_.pyramid->config_path,
                    "expected `regrid` of the file, with a target of HEALPix or of latitude and longitude: "
                    "its cells are dealt out over the servers so that four make one");
      return {};
    }
    if (!find_targets()) return {};
    std::vector<OutputEntry> copies;
    add_levels(file_.path, std::nullopt, copies);
    for (const time::Period& period : file_.pyramid->periods) {
      copies.push_back(with_period(period));
      add_levels(copies.back().path, period, copies);
    }
    return copies;
  }

 private:
  bool find_targets() {
    targets_ = {file_.regrid->target};
    for (int level = 0; level < file_.pyramid->levels; ++level) {
      try {
        targets_.push_back(coarser(targets_.back()));
      } catch (const Error& error) {
        problems_.add(file_.pyramid->levels_location, file_.pyramid->config_path + ".levels",
                      level == 0 ? std::string(error.what())
                                 : fmt::format("{}; {} {} possible", error.what(), level,
                                               level == 1 ? "level is" : "levels are"));
        return false;
      }
    }
    return true;
  }

  OutputEntry copy(const std::string& suffix) const {
    OutputEntry made = file_;
    made.pyramid.reset();
    made.path = path_of_copy(file_.path, suffix);
    return made;
  }

  void add_levels(std::string finer, const std::optional<time::Period>& period,
                  std::vector<OutputEntry>& copies) const {
    for (int halvings = 1; halvings <= file_.pyramid->levels; ++halvings) {
      const regrid::Target& target = targets_[static_cast<std::size_t>(halvings)];
      const std::string prefix = period ? iso_of(*period) + "_" : "";
      OutputEntry made = copy(prefix + level_name(target));
      made.variables.clear();
      made.regrid = std::make_shared<regrid::Options>(*file_.regrid);
      made.regrid->target = target;
      made.copy = PyramidCopy{.of = file_.path, .finer = finer, .halvings = halvings, .period = period};
      finer = made.path;
      copies.push_back(std::move(made));
    }
  }

  OutputEntry with_period(const time::Period& period) const {
    OutputEntry made = copy(iso_of(period) + "_" + level_name(targets_.front()));
    made.copy = PyramidCopy{.of = file_.path, .finer = "", .halvings = 0, .period = period};
    std::erase_if(made.variables, [&](const VariableEntry& variable) {
      return variable.regrid != file_.regrid || variable.cycle != time::Cycle::none ||
             is_shorter(period, variable.every);
    });
    for (VariableEntry& variable : made.variables) {
      variable.every = period;
      variable.axis.clear();
      variable.chunk.clear();
    }
    return made;
  }

  const OutputEntry& file_;
  Problems& problems_;
  std::vector<regrid::Target> targets_;  // by number of halvings
};

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::configuration, why); }

std::vector<double> halved(const std::vector<double>& centres) {
  std::vector<double> coarse;
  for (std::size_t i = 0; i + 1 < centres.size(); i += 2) coarse.push_back((centres[i] + centres[i + 1]) / 2);
  return coarse;
}

// The cells of every other edge are those of a coarser grid only if all have one size.
void check_even(const std::vector<double>& centres, const char* what) {
  if (centres.size() < 2 || centres.size() % 2 != 0)
    refuse(fmt::format("expected an even number of {} to be halved, but there are {}", what, centres.size()));
  const double step = centres[1] - centres[0];
  for (std::size_t i = 2; i < centres.size(); ++i)
    if (std::abs(centres[i] - centres[i - 1] - step) > 1e-6 * std::abs(step))
      refuse(
          fmt::format("expected {} of equal distance to be halved, but {} and {} are {} apart, and the first "
                      "two {}",
                      what, centres[i - 1], centres[i], centres[i] - centres[i - 1], step));
}

}  // namespace

config::Section<Pyramid> pyramid_section() {
  return {
      .option =
          {.name = "pyramid",
           .type = section(
               {{.name = "levels",
                 .type = integer(0, most_levels),
                 .description = "The number of copies that are coarser in space. Each has a quarter of "
                                "the cells of the one before it: means of four, or their maximum, minimum "
                                "or most frequent value, as the operation demands.",
                 .example = "4",
                 .default_value = "0"},
                {.name = "periods",
                 .type = list(time::period_type(), 1),
                 .description = "The periods of copies that are coarser in time, by the operation of each "
                                "variable. Each copy has the coarser levels too.",
                 .example = "[1 day, 1 month]"}}),
           .description =
               "Coarser copies of a regridded file, each a file of its own. On HEALPix level 8 these are "
               "`a_z7.zarr`, `a_z6.zarr`, ... and with periods `a_P1D_z8.zarr`, `a_P1D_z7.zarr`, ... "
               "beside `a.zarr`; on a grid of latitude and longitude `a_90x180.zarr`.",
           .example = "{levels: 4, periods: [1 day, 1 month]}"},
      .read = read};
}

regrid::Target coarser(const regrid::Target& target) {
  if (const auto* healpix = std::get_if<regrid::Healpix>(&target)) {
    if (healpix->order != regrid::HealpixOrder::nested)
      refuse("expected `order: nested`, in which the four cells of a coarser one follow each other");
    if (healpix->level == 0) refuse("level 0 is the coarsest one of HEALPix");
    return regrid::Healpix{.level = healpix->level - 1, .order = healpix->order};
  }
  const auto* grid = std::get_if<regrid::LatLon>(&target);
  if (grid == nullptr)
    refuse(fmt::format("expected a target of HEALPix or of latitude and longitude, but got {}",
                       regrid::text_of(target)));
  check_even(grid->lat, "latitudes");
  check_even(grid->lon, "longitudes");
  const double half = std::abs(grid->lat[1] - grid->lat[0]) / 2;
  if (std::max(std::abs(grid->lat.front()), std::abs(grid->lat.back())) + half > 90.0 + 1e-6)
    refuse("expected rows of one size, but those at the poles are cut there");
  return regrid::LatLon{halved(grid->lat), halved(grid->lon)};
}

void add_pyramids(std::vector<OutputEntry>& files, config::Problems& problems) {
  std::vector<OutputEntry> all;
  for (OutputEntry& file : files) {
    std::vector<OutputEntry> copies;
    if (file.pyramid) copies = Builder(file, problems).build();
    all.push_back(std::move(file));
    std::ranges::move(copies, std::back_inserter(all));
  }
  files = std::move(all);
}

}  // namespace tailrace::settings
