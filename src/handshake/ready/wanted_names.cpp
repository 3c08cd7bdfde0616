#include "handshake/ready/wanted_names.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/index.hpp"
#include "input/options.hpp"

namespace tailrace::handshake {
namespace {

// Parses the configuration again only if a name contains an option of the model.
std::vector<settings::FieldGroup> groups_of(const Started& started,
                                            const std::map<std::string, std::string>& options) {
  const auto c = base::index(started.number);
  const settings::Configuration& configuration = started.run.configurations[c];
  for (const settings::FieldGroup& group : configuration.field_groups)
    for (const settings::ListedName& field : group.fields)
      if (settings::is_open(field.name))
        return settings::with_options(configuration, started.run.sources[c], options).field_groups;
  return configuration.field_groups;
}

// The request of `input.NAME`; null for another name.
const input::FieldRequest* requested_input(const Started& started, const std::string& name) {
  if (!name.starts_with(input::name_space)) return nullptr;
  const auto& configuration = started.run.configurations[base::index(started.number)];
  const auto* options = configuration.sections.find<input::Options>();
  return options == nullptr ? nullptr : options->find(name.substr(input::name_space.size()));
}

// The declared grid with these dims and the cells of `grid`; `grid` itself if there is none.
int grid_with_dims(const client::Declarer& declarer, int grid, const std::vector<std::string>& dims) {
  const model::Declarations& declared = declarer.declarations();
  const model::Grid& like = declared.grids[base::index(grid)];
  if (dims.empty() || like.dims == dims) return grid;
  for (std::size_t g = 0; g < declared.grids.size(); ++g) {
    const model::Grid& other = declared.grids[g];
    if (other.dims == dims && other.shape == like.shape && other.kind == like.kind &&
        other.indexed_dim == like.indexed_dim && declarer.blocks(g) == declarer.blocks(base::index(grid)))
      return static_cast<int>(g);
  }
  return grid;
}

}  // namespace

std::vector<std::string> wanted_names(const Started& started,
                                      const std::map<std::string, std::string>& options) {
  std::vector<std::string> names;
  for (const settings::FieldGroup& group : groups_of(started, options))
    for (const settings::ListedName& field : group.fields)
      if (!requested_input(started, field.name) && !settings::is_pattern(field.name))
        names.push_back(field.name);
  return names;
}

void declare_wanted(const std::vector<settings::FieldGroup>& groups, client::Declarer& declarer) {
  std::unordered_map<std::string, int> known;
  const model::Declarations& declared = declarer.declarations();
  for (std::size_t f = 0; f < declared.fields.size(); ++f)
    if (declared.fields[f].is_put()) known.emplace(declared.fields[f].name, static_cast<int>(f));
  for (const settings::FieldGroup& group : groups)
    for (const settings::ListedName& field : group.fields) {
      auto found = known.find(field.name);
      const bool is_own = found != known.end();
      if (!is_own) found = known.find(field.name.substr(field.name.rfind('.') + 1));
      if (found == known.end()) continue;
      const int grid = grid_with_dims(declarer, declared.fields[base::index(found->second)].grid, group.dims);
      if (is_own)
        declarer.move_field(found->second, grid);
      else
        declarer.add_namesake(found->second, field.name, grid);
    }
}

void declare_wanted(const Started& started, client::Declarer& declarer) {
  const auto groups = groups_of(started, declarer.declarations().options);
  for (const settings::FieldGroup& group : groups)
    for (const settings::ListedName& field : group.fields)
      if (const auto* request = requested_input(started, field.name))
        declare_copy_of_input(*request, declarer);
  declare_wanted(groups, declarer);
}

void declare_copy_of_input(const input::FieldRequest& request, client::Declarer& declarer) {
  const model::Declarations& declared = declarer.declarations();
  auto source = declared.find_field(request.name);
  if (!source && !request.grid.empty() && declared.find_grid(request.grid)) {
    model::Field field;
    field.name = request.name;
    field.units = request.units;
    field.is_optional = true;
    source = declarer.input(request.grid, std::move(field));
  }
  if (!source || !declared.fields[base::index(*source)].is_input) return;
  model::Field copy = declared.fields[base::index(*source)];
  copy.name = std::string(input::name_space) + copy.name;
  copy.is_input = copy.is_optional = false;
  if (!declared.find_field(copy.name))
    declarer.field(declared.grids[base::index(copy.grid)].name, std::move(copy));
}

}  // namespace tailrace::handshake
