#include "handshake/output_names.hpp"

#include <fmt/format.h>

#include <set>

#include "base/error.hpp"
#include "config/placeholders.hpp"
#include "env/place.hpp"
#include "output/format.hpp"

namespace tailrace::handshake {
namespace {

// `{start}` and `{end}` of a series remain: they are the limits of each file.
bool is_complete(const std::string& path) {
  std::set<std::string> names = config::placeholders_in(std::string_view(path));
  names.erase("start");
  names.erase("end");
  return names.empty();
}

bool lies_in(const std::string& place, const std::string& folder) { return place.starts_with(folder + "/"); }

}  // namespace

void OutputNames::add(const std::string& component, const settings::Configuration& configuration) {
  for (const settings::OutputEntry& file : configuration.files) {
    if (!is_complete(file.path) || !file.writer()->makes_files()) continue;
    Name name{env::place_of(file.path), component, file.path, file.location.text()};
    compare(name);
    names_.push_back(std::move(name));
  }
}

void OutputNames::compare(const Name& name) const {
  for (const Name& other : names_) {
    if (other.component == name.component) continue;
    if (other.place == name.place)
      throw Error(
          ErrorCode::configuration,
          fmt::format(
              "{}  output: components \"{}\" and \"{}\" both write the file {}{} (the other entry: {}); "
              "give each its own, such as a name with `{{component}}` or `{{member}}`",
              name.location, other.component, name.component, name.path,
              other.path == name.path ? "" : fmt::format(", called {} by the first", other.path),
              other.location));
    const bool is_inside = lies_in(name.place, other.place);
    if (is_inside || lies_in(other.place, name.place))
      throw Error(
          ErrorCode::configuration,
          fmt::format(
              "{}  output: {} of component \"{}\" lies {} {} of component \"{}\" (the other entry: {}), "
              "which is a dataset; give each its own place",
              name.location, name.path, name.component, is_inside ? "in" : "around", other.path,
              other.component, other.location));
  }
}

}  // namespace tailrace::handshake
