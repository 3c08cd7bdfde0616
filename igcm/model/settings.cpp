#include "settings.hpp"

#include <charconv>
#include <cmath>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace igcm::model {
namespace {

std::string stripped(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

enum class Range { any, from_zero, positive };

template <class Number>
std::function<void(const std::string&)> number(Number& into, Range range = Range::any) {
  return [&into, range](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    const bool is_number = error == std::errc{} && end == text.data() + text.size();
    if (!is_number || !std::isfinite(static_cast<double>(into)))
      throw std::invalid_argument("expected a number, not '" + text + "'");
    if (range == Range::positive && !(into > 0))
      throw std::invalid_argument("expected a number above 0, not " + text);
    if (range == Range::from_zero && into < 0) throw std::invalid_argument("expected 0 or more, not " + text);
  };
}

std::function<void(const std::string&)> text(std::string& into) {
  return [&into](const std::string& value) {
    if (value.size() < 2 || (value.front() != '"' && value.front() != '\'') || value.back() != value.front())
      throw std::invalid_argument("expected a text in quotes, not " + value);
    into = value.substr(1, value.size() - 2);
  };
}

template <class Value>
std::string listed(const std::map<std::string, Value>& words) {
  std::string known;
  for (const auto& [one, value] : words) known += (known.empty() ? "" : ", ") + one;
  return known;
}

using Readers = std::map<std::string, std::function<void(const std::string&)>>;

// One of the words of a map.
template <class Value>
std::function<void(const std::string&)> word(Value& into, const std::map<std::string, Value>& words) {
  return [&into, words](const std::string& quoted) {
    std::string name;
    text(name)(quoted);
    const auto found = words.find(name);
    if (found == words.end())
      throw std::invalid_argument("'" + name + "' is unknown (known: " + listed(words) + ")");
    into = found->second;
  };
}

Readers readers_of(Settings& s) {
  return {{"case", text(s.which.name)},
          {"configuration", text(s.configuration)},
          {"days", number(s.days, Range::positive)},
          {"divergence_damping", number(s.mixing.divergence_damping, Range::from_zero)},
          {"gravity", number(s.planet.gravity, Range::positive)},
          {"iterations", number(s.grid.points.iterations, Range::from_zero)},
          {"level", number(s.grid.points.bisections, Range::from_zero)},
          {"mesh", word(s.mesh, {{"hexagons", Volumes::hexagons}, {"triangles", Volumes::triangles}})},
          {"perturbation", number(s.which.perturbation, Range::from_zero)},
          {"progress", number(s.progress, Range::positive)},
          {"radius", number(s.grid.radius, Range::positive)},
          {"region_level", number(s.tracers.region_level, Range::from_zero)},
          {"relaxation", word(s.grid.points.relaxation, {{"none", grid::Relaxation::none},
                                                         {"spring", grid::Relaxation::spring},
                                                         {"centroidal", grid::Relaxation::centroidal}})},
          {"root", number(s.grid.points.root, Range::positive)},
          {"rotation", number(s.planet.rotation)},
          {"tendencies", word(s.stencils, {{"hand", false}, {"stencils", true}})},
          {"tilt", number(s.which.tilt)},
          {"time_step", number(s.time_step, Range::from_zero)},
          {"tracer", word(s.tracers.content, {{"bells", "bells"}, {"constant", "constant"}})},
          {"tracer_levels", number(s.tracers.levels, Range::from_zero)},
          {"upwinding", number(s.mixing.upwinding, Range::from_zero)},
          {"viscosity", number(s.mixing.viscosity, Range::from_zero)}};
}

void read_assignment(const std::string& name, const std::string& value, const Readers& readers,
                     std::set<std::string>& given) {
  const auto found = readers.find(name);
  if (found == readers.end())
    throw std::invalid_argument("'" + name + "' is unknown (known: " + listed(readers) + ")");
  if (!given.insert(name).second) throw std::invalid_argument(name + ": is given twice");
  try {
    found->second(value);
  } catch (const std::invalid_argument& reason) {
    throw std::invalid_argument(name + ": " + reason.what());
  }
}

// Assignments follow each other with commas or blanks, as in Fortran. Returns whether the group ends.
bool read_line(std::string line, const Readers& readers, std::set<std::string>& given) {
  static const std::regex assignment(R"(^[\s,]*([A-Za-z_]\w*)\s*=\s*("[^"]*"|'[^']*'|[^\s,/!]+))");
  for (std::smatch found; std::regex_search(line, found, assignment); line = found.suffix().str())
    read_assignment(found[1], found[2], readers, given);
  const auto rest = line.find_first_not_of(" \t\r,");
  if (rest == std::string::npos || line[rest] == '!') return false;
  if (line[rest] == '/') return true;
  throw std::invalid_argument("expected name = value, not '" + stripped(line.substr(rest)) + "'");
}

}  // namespace

Settings read_settings(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  Settings settings;
  std::string line;
  const Readers readers = readers_of(settings);
  std::set<std::string> given;
  bool inside = false;
  int number = 0;
  try {
    while (++number, std::getline(file, line)) {
      line = stripped(line);
      if (line.rfind("&shallow_water", 0) == 0) {
        inside = true;
        line = line.substr(14);
      }
      if (!inside || !read_line(line, readers, given)) continue;
      if (settings.mesh == Volumes::triangles && settings.mixing.upwinding > 0)
        throw std::invalid_argument("upwinding: is for hexagons; expected 0 with mesh = 'triangles'");
      if (settings.mesh == Volumes::triangles && settings.stencils)
        throw std::invalid_argument(
            "tendencies: 'stencils' are for hexagons; expected 'hand' with mesh = 'triangles'");
      if (settings.which.tilt != 0 && settings.which.name != "williamson2")
        throw std::invalid_argument("tilt: is for williamson2; expected 0 with case = '" +
                                    settings.which.name + "'");
      return settings;
    }
  } catch (const std::invalid_argument& reason) {
    throw std::runtime_error(path + ":" + std::to_string(number) + ": " + reason.what());
  }
  throw std::runtime_error(path + ": expected a group that begins with &shallow_water and ends with /");
}

}  // namespace igcm::model
