#include "regrid/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/nearest_name.hpp"
#include "config/placeholders.hpp"
#include "config/read.hpp"
#include "config/scalars.hpp"
#include "config/sources.hpp"
#include "regrid/method.hpp"
#include "tailrace/error.hpp"

namespace tailrace::regrid {
namespace {

using namespace config;
using Complaint = std::optional<std::string>;

constexpr int finest_level = 14;    // of HEALPix: cells of some 400 m
constexpr int most_rows = 1 << 15;  // between a pole and the equator
constexpr double half_turn = 180.0, full_turn = 360.0;

// The methods that make weights; the word of Method::file is a path.
const std::vector<Method> methods{Method::conservative, Method::bilinear, Method::nearest, Method::average,
                                  Method::largest_area};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Method method : methods) names.push_back(name_of(method));
  return names;
}

bool is_path(const std::string& text) { return text.find_first_of("./") != std::string::npos; }

Complaint about_method(const std::string& text) {
  const std::vector<std::string> names = method_names();
  if (is_path(text) || std::ranges::count(names, text) > 0) return std::nullopt;
  return fmt::format("expected {}, or the path of a file with weights, but got \"{}\".{}",
                     fmt::join(names, ", "), text, base::name_hint(text, names));
}

// The text that is wrong if `read` throws.
Complaint complaint_of(const std::string& text, const std::function<void(const std::string&)>& read) {
  try {
    read(text);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

int gaussian_number(const std::string& text) {
  const auto number = text.starts_with('F') ? parse_integer(std::string_view(text).substr(1)) : std::nullopt;
  if (!number || *number < 1 || *number > most_rows)
    throw Error(ErrorCode::configuration,
                fmt::format("expected F and the number of rows between a pole and the equator, such as F128, "
                            "but got \"{}\"",
                            text));
  return static_cast<int>(*number);
}

Type lat_lon_type() {
  const auto degrees = [](const char* name, const char* description, const char* example) {
    return Option{.name = name,
                  .type = list(real(-full_turn, full_turn), 1),
                  .description = description,
                  .example = example,
                  .required = true,
                  .unit = "degrees"};
  };
  return either(
      {checked("the size of the cells, such as `1 deg`",
               [](const std::string& text) {
                 return complaint_of(text, [](const std::string& each) { lat_lon_of(each); });
               }),
       section({degrees("lat", "The latitudes of the centres of the rows, ascending or descending.",
                        "[-60, -20, 20, 60]"),
                degrees("lon", "The longitudes of the centres of the columns, ascending within one turn.",
                        "[45, 135, 225, 315]")})});
}

// Find what is wrong with the centres of rows or columns; none if nothing is.
Complaint about_latitudes(const std::vector<double>& lat) {
  const bool falls = lat.size() > 1 && lat[1] < lat[0];
  for (std::size_t i = 0; i < lat.size(); ++i) {
    if (std::abs(lat[i]) > half_turn / 2)
      return fmt::format("expected latitudes from -90 to 90, but got {}", lat[i]);
    if (i > 0 && (falls ? lat[i] >= lat[i - 1] : lat[i] <= lat[i - 1]))
      return fmt::format("expected latitudes that all ascend or all descend, but {} follows {}", lat[i],
                         lat[i - 1]);
  }
  return std::nullopt;
}

Complaint about_longitudes(const std::vector<double>& lon) {
  for (std::size_t i = 1; i < lon.size(); ++i)
    if (lon[i] <= lon[i - 1])
      return fmt::format("expected longitudes that ascend, but {} follows {}", lon[i], lon[i - 1]);
  if (lon.back() - lon.front() >= full_turn)
    return fmt::format("expected longitudes within one turn, but the last is {} degrees from the first",
                       lon.back() - lon.front());
  return std::nullopt;
}

std::vector<double> centres(const Value& of, const char* name,
                            Complaint (*complaint)(const std::vector<double>&), Problems& problems) {
  const Value* list = of.find(name);
  if (list == nullptr) return {0.0};  // the checker has complained
  std::vector<double> values;
  for (const Value& item : list->items()) values.push_back(item.real());
  if (values.empty()) return {0.0};
  if (list->open()) return values;
  if (const auto what = complaint(values)) problems.add(list->location(), list->path(), *what);
  return values;
}

LatLon read_lat_lon(const Value& value, Problems& problems) {
  if (value.kind() == Kind::checked) return value.open() ? LatLon{{0.0}, {0.0}} : lat_lon_of(value.text());
  return {centres(value, "lat", about_latitudes, problems),
          centres(value, "lon", about_longitudes, problems)};
}

std::string path_in(const Value& value) { return path_beside(value.location().file, value.text()); }

void read_target(const Value& to, Options& options, Problems& problems) {
  std::vector<std::string> given;
  for (const ValueEntry& entry : to.entries()) given.push_back(entry.key);
  options.target_location = to.location();
  if (given.empty() && problems.touch(to.path())) return;  // what was given is wrong, and told
  if (given.size() != 1)
    return problems.add(to.location(), to.path(),
                        given.empty()
                            ? "expected one of latlon, gaussian, healpix and file, but got none"
                            : fmt::format("expected one target, but got {}", fmt::join(given, " and ")));
  const Value& value = to.entries().front().value;
  options.target_location = value.location();
  if (given.front() == "latlon") {
    options.target = read_lat_lon(value, problems);
  } else if (given.front() == "gaussian") {
    options.target = Gaussian{value.open() ? 1 : gaussian_number(value.text())};
  } else if (given.front() == "healpix") {
    const HealpixOrder order = choice_of<HealpixOrder>(
        value, "order", {{"nested", HealpixOrder::nested}, {"ring", HealpixOrder::ring}});
    options.target = Healpix{.level = integer_of(value, "level", 0), .order = order};
  } else {
    options.target = GridFile{.path = path_in(value), .dims = {}, .shape = {}};
  }
}

void read_vectors(const Value& list, Options& options, Problems& problems) {
  for (const Value& pair : list.items()) {
    const auto& names = pair.items();
    if (names.size() != 2) {
      problems.add(pair.location(), pair.path(),
                   fmt::format("expected two fields, such as [u, v], but got {}", names.size()));
      continue;
    }
    if (names[0].text() == names[1].text()) {
      problems.add(names[1].location(), names[1].path(),
                   fmt::format("expected two fields, but \"{}\" is both components", names[0].text()));
      continue;
    }
    options.vectors.push_back({names[0].text(), names[1].text(), names[0].location(), names[1].location()});
  }
}

// None: something is wrong, and told.
std::optional<Merge> merge_of(const Value& list, const Options& options, Problems& problems) {
  Merge merge;
  for (const Value& name : list.items()) {
    if (std::ranges::count(merge.names, name.text(), &Merge::Name::field) > 0) {
      problems.add(name.location(), name.path(),
                   fmt::format("expected different fields, but \"{}\" occurs twice", name.text()));
      return std::nullopt;
    }
    merge.names.push_back({name.text(), name.location()});
  }
  if (merge.names.size() < 2) {
    problems.add(list.location(), list.path(),
                 fmt::format("expected a field and those of its children, such as [t, t_nest], but got {}",
                             merge.names.size()));
    return std::nullopt;
  }
  const auto known = std::ranges::find(options.merges, merge.parent(), &Merge::parent);
  if (known == options.merges.end()) return merge;
  problems.add(merge.parent().location, list.items().front().path(),
               fmt::format("\"{}\" has children already, at {}; expected one list for each parent",
                           merge.parent().field, known->parent().location.text()));
  return std::nullopt;
}

// The values of a child must tell which cells it covers, and be values of whole cells.
Complaint about_merging(const Options& options) {
  if (options.method == Method::nearest)
    return "with `method: nearest` each target cell takes a cell of the child, however far it is; expected "
           "another method";
  if (options.method == Method::file)
    return "weights of a file come from the cells of one grid, and a child has others; expected a method "
           "whose weights are made";
  if (options.normalisation == Normalisation::destarea)
    return "with `normalisation: destarea` a cell at the edge of a child would have only the child's part of "
           "its sum; expected fracarea";
  return std::nullopt;
}

void read_merges(const Value& lists, Options& options, Problems& problems) {
  if (const auto what = about_merging(options)) problems.add(lists.location(), lists.path(), *what);
  for (const Value& list : lists.items())
    if (auto merge = merge_of(list, options, problems)) options.merges.push_back(*std::move(merge));
}

Type regrid_type() {
  std::vector<Option> options{{.name = "to",
                               .type = target_type(),
                               .description = "The target grid; one of the following.",
                               .example = "{healpix: {level: 8}}",
                               .required = true}};
  std::ranges::move(how_options(), std::back_inserter(options));
  options.push_back(
      {.name = "with_fraction",
       .type = flag(),
       .description =
           "Whether the file also has, for each variable, a variable NAME_fraction with the valid share "
           "of each target cell.",
       .example = "true",
       .default_value = "false"});
  options.push_back(
      {.name = "vectors",
       .type = list(list(text())),
       .description =
           "Pairs of fields that are the components of a vector along the dimensions of the grid. They "
           "are rotated to true east and north where the grid declares its angle.",
       .example = "[[u, v]]"});
  options.push_back(
      {.name = "merge",
       .type = list(list(text())),
       .description =
           "Lists of a field of a parent domain and those of its children, such as nests. Each is regridded. "
           "Where a child covers enough of a target cell, its sample takes the place of the parent's, and of "
           "those of children before it in the list.",
       .example = "[[t, t_nest]]"});
  return either({choice({"none"}), config::section(std::move(options))});
}

std::optional<Options> read(const Value& value, Problems& problems) {
  if (value.kind() == Kind::choice) return std::nullopt;
  Options options;
  options.location = value.location();
  options.config_path = value.path();
  if (const Value* to = value.find("to")) read_target(*to, options, problems);
  read_how(value, options, problems);
  options.with_fraction = flag_of(value, "with_fraction", options.with_fraction);
  if (const Value* vectors = value.find("vectors")) read_vectors(*vectors, options, problems);
  if (const Value* merges = value.find("merge")) read_merges(*merges, options, problems);
  return options;
}

Cache read_cache(const Value& value, Problems& problems) {
  Cache cache;
  if (const Value* directory = value.find("cache")) {
    cache.directory = directory->text();
    if (cache.directory.empty())
      problems.add(directory->location(), directory->path(),
                   "expected the path of a directory, but got none");
  }
  return cache;
}

const SectionRegistration registration{cache_section};

}  // namespace

Type target_type() {
  return section({
      {.name = "latlon",
       .type = lat_lon_type(),
       .description =
           "Cells between parallels and meridians: their size, for cells from the South Pole and from "
           "longitude 0, or lists of centres. Edges are halfway between centres.",
       .example = "1 deg"},
      {.name = "gaussian",
       .type = checked("F and a number, such as `F128`",
                       [](const std::string& text) {
                         return complaint_of(text, [](const std::string& each) { gaussian_number(each); });
                       }),
       .description =
           "A regular Gaussian grid: F128 has 256 rows, from the north, at the latitudes of Gauss's "
           "quadrature, of 512 cells each.",
       .example = "F128"},
      {.name = "healpix",
       .type = section({
           {.name = "level",
            .type = integer(0, finest_level),
            .description = "The refinement level: there are 12 * 4^level cells of equal area.",
            .example = "8",
            .required = true},
           {.name = "order",
            .type = choice({"nested", "ring"}),
            .description =
                "How cells are numbered: four cells of one parent in succession, or along parallels.",
            .example = "ring",
            .default_value = "nested"},
       }),
       .description = "The cells of HEALPix.",
       .example = "{level: 8}"},
      {.name = "file",
       .type = text(),
       .description =
           "A NetCDF file with the grid, relative to the configuration file that names it: with coordinates "
           "by CF, a mesh by UGRID, or in the layout of SCRIP.",
       .example = "grid.nc"},
  });
}

Target target_of(const Value& value, Problems& problems) {
  Options options;
  read_target(value, options, problems);
  return options.target;
}

LatLon lat_lon_of(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789.");
  const auto size = parse_real(text.substr(0, end));
  const std::size_t begin = end == std::string_view::npos ? end : text.find_first_not_of(' ', end);
  const std::string_view unit = begin == std::string_view::npos ? "" : text.substr(begin);
  const double rows = size && *size > 0 ? half_turn / *size : 0.0;
  if (unit != "deg" || rows < 1 || rows > 2 * most_rows || std::abs(rows - std::round(rows)) > 1e-6 * rows)
    throw Error(
        ErrorCode::configuration,
        fmt::format("expected a size in degrees that divides 180, such as `1 deg`, but got \"{}\"", text));
  const auto count = static_cast<std::int64_t>(std::llround(rows));
  LatLon grid;
  const double step = half_turn / static_cast<double>(count);
  for (std::int64_t i = 0; i < count; ++i)
    grid.lat.push_back(-half_turn / 2 + (static_cast<double>(i) + 0.5) * step);
  for (std::int64_t i = 0; i < 2 * count; ++i) grid.lon.push_back((static_cast<double>(i) + 0.5) * step);
  return grid;
}

std::vector<Option> how_options() {
  return {
      {.name = "method",
       .type = checked("a method, or the path of a file with weights", about_method),
       .description =
           "How values of target cells are made. `conservative`: the mean over the cells that it covers, "
           "which keeps integrals. `bilinear`: between the centres around it. `nearest`: the value of the "
           "cell whose centre is nearest. `average`: the mean of the cells around it. `largest_area`: the "
           "class that covers most of it. Or the path of a file with weights, in the layout of SCRIP, ESMF, "
           "CDO or YAC.",
       .example = "bilinear",
       .default_value = "conservative"},
      {.name = "weights",
       .type = text(),
       .description = "A file with weights, in place of a `method`.",
       .example = "weights.nc"},
      {.name = "coverage",
       .type = real(0.0, 1.0),
       .description = "The least share of a target cell that must have values; with less it is missing.",
       .example = "0.9",
       .default_value = "0.5"},
      {.name = "normalisation",
       .type = choice({"fracarea", "destarea"}),
       .description =
           "Whether values of partly covered cells are means over the covered part (`fracarea`), or over the "
           "whole cell (`destarea`), which keeps the integrals of fluxes; the words are those of SCRIP.",
       .example = "destarea",
       .default_value = "fracarea"},
  };
}

void read_how(const Value& section, Options& options, Problems& problems) {
  const Value* method = section.find("method");
  const Value* weights = section.find("weights");
  const bool says_method = method != nullptr && method->location().line > 0;
  if (says_method && weights != nullptr)
    problems.add(weights->location(), weights->path(),
                 "cannot be given beside `method`; expected only one of the two");
  const Value* file = weights;
  if (method != nullptr && weights == nullptr) {
    const std::vector<std::string> names = method_names();
    const auto found = std::ranges::find(names, method->text());
    if (found != names.end())
      options.method = methods[static_cast<std::size_t>(found - names.begin())];
    else if (is_path(method->text()))
      file = method;
  }
  if (file != nullptr) {
    options.method = Method::file;
    options.weights = path_in(*file);
    options.weights_location = file->location();
    options.weights_path = file->path();
  }
  if (const Value* coverage = section.find("coverage")) options.coverage = coverage->real();
  options.normalisation = choice_of<Normalisation>(
      section, "normalisation",
      {{"fracarea", Normalisation::fracarea}, {"destarea", Normalisation::destarea}});
}

config::Section<std::optional<Options>> regrid_section(const std::string& description) {
  return {.option = {.name = "regrid",
                     .type = regrid_type(),
                     .description = description,
                     .example = "{to: {healpix: {level: 8}}, method: conservative}"},
          .read = read};
}

config::Section<Cache> cache_section() {
  return {.option = {.name = "regrid",
                     .type = config::section(
                         {{.name = "cache",
                           .type = text(),
                           .description = "The directory that keeps the weights of regridding for the next "
                                          "job. Files of others in it are never replaced.",
                           .example = "/scratch/weights",
                           .default_value = ".tailrace/weights"}}),
                     .description = "The options that all regridding shares."},
          .read = read_cache};
}

}  // namespace tailrace::regrid
