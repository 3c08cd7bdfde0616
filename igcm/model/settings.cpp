#include "settings.hpp"

#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>

namespace igcm::model {
namespace {

std::string stripped(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

template <class Number>
std::function<void(const std::string&)> number(Number& into) {
  return [&into](const std::string& text) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
    if (error != std::errc{} || end != text.data() + text.size())
      throw std::invalid_argument("expected a number, not '" + text + "'");
  };
}

std::function<void(const std::string&)> text(std::string& into) {
  return [&into](const std::string& value) {
    if (value.size() < 2 || (value.front() != '"' && value.front() != '\'') || value.back() != value.front())
      throw std::invalid_argument("expected a text in quotes, not " + value);
    into = value.substr(1, value.size() - 2);
  };
}

using Readers = std::map<std::string, std::function<void(const std::string&)>>;

Readers readers_of(Settings& s, std::string& relaxation) {
  return {{"case", text(s.which)},
          {"configuration", text(s.configuration)},
          {"days", number(s.days)},
          {"gravity", number(s.planet.gravity)},
          {"iterations", number(s.grid.points.iterations)},
          {"level", number(s.grid.points.bisections)},
          {"progress", number(s.progress)},
          {"radius", number(s.grid.radius)},
          {"relaxation", text(relaxation)},
          {"root", number(s.grid.points.root)},
          {"rotation", number(s.planet.rotation)},
          {"tilt", number(s.tilt)},
          {"time_step", number(s.time_step)}};
}

void read_assignment(const std::string& assignment, const Readers& readers) {
  const auto equals = assignment.find('=');
  const std::string name = stripped(assignment.substr(0, equals));
  const auto found = readers.find(name);
  if (equals == std::string::npos || found == readers.end()) {
    std::string known;
    for (const auto& [one, read] : readers) known += (known.empty() ? "" : ", ") + one;
    throw std::invalid_argument("'" + name + "' is unknown (known: " + known + ")");
  }
  try {
    found->second(stripped(assignment.substr(equals + 1)));
  } catch (const std::invalid_argument& reason) {
    throw std::invalid_argument(name + ": " + reason.what());
  }
}

grid::Relaxation relaxation_of(const std::string& name) {
  if (name == "none") return grid::Relaxation::none;
  if (name == "spring") return grid::Relaxation::spring;
  if (name == "centroidal") return grid::Relaxation::centroidal;
  throw std::invalid_argument("relaxation: '" + name + "' is unknown (known: centroidal, none, spring)");
}

}  // namespace

Settings read_settings(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  Settings settings;
  std::string relaxation = "none", line;
  const Readers readers = readers_of(settings, relaxation);
  bool inside = false;
  int number = 0;
  try {
    while (++number, std::getline(file, line)) {
      line = stripped(line.substr(0, line.find('!')));
      if (line.rfind("&shallow_water", 0) == 0) {
        inside = true;
        line = line.substr(14);
      }
      if (!inside) continue;
      const bool ends = !line.empty() && line.back() == '/';
      if (ends) line.pop_back();
      std::stringstream assignments(line);
      for (std::string one; std::getline(assignments, one, ',');)
        if (!stripped(one).empty()) read_assignment(one, readers);
      settings.grid.points.relaxation = relaxation_of(relaxation);
      if (ends) return settings;
    }
  } catch (const std::invalid_argument& reason) {
    throw std::runtime_error(path + ":" + std::to_string(number) + ": " + reason.what());
  }
  throw std::runtime_error(path + ": expected a group that begins with &shallow_water and ends with /");
}

}  // namespace igcm::model
