#include "input/entry/shared_reads.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/index.hpp"

namespace tailrace::input {
namespace {

Box box_of(const VariableRecipe& recipe) { return box_of(recipe.variable, *recipe.match); }

Box united(const Box& a, const Box& b) {
  Box both;
  for (std::size_t d = 0; d < a.cells.size(); ++d)
    std::ranges::set_union(a.cells[d], b.cells[d], std::back_inserter(both.cells.emplace_back()));
  return both;
}

bool have_same_records(const VariableRecipe& a, const VariableRecipe& b) {
  return a.variable.name == b.variable.name && a.variable.dims == b.variable.dims &&
         a.match->time == b.match->time && a.match->fixed == b.match->fixed;
}

// The fields that read together, with the box of the first file.
struct Group {
  std::vector<std::size_t> fields;
  Box box;
};

bool fits(const Group& group, const std::vector<RecipesByFile>& fields, const RecipesByFile& one,
          const Box& own) {
  const RecipesByFile& other = fields[group.fields.front()];
  if (other.size() != one.size() ||
      !std::ranges::equal(one, other, [](const auto& a, const auto& b) { return have_same_records(*a, *b); }))
    return false;
  return cells_in(united(group.box, own)) <= cells_in(group.box) + cells_in(own);
}

std::vector<Group> groups_of(const std::vector<RecipesByFile>& fields) {
  std::vector<Group> groups;
  for (std::size_t f = 0; f < fields.size(); ++f) {
    Box own = fields[f].empty() ? Box{} : box_of(*fields[f].front());
    const auto found =
        std::ranges::find_if(groups, [&](const Group& group) { return fits(group, fields, fields[f], own); });
    if (fields[f].empty() || found == groups.end()) {
      groups.push_back({{f}, std::move(own)});
      continue;
    }
    found->box = united(found->box, own);
    found->fields.push_back(f);
  }
  return groups;
}

// Files of the same structure keep sharing their recipes.
void set_boxes(const Group& group, std::vector<RecipesByFile>& fields) {
  std::map<std::vector<const VariableRecipe*>, RecipesByFile> known;
  for (std::size_t file = 0; file < fields[group.fields.front()].size(); ++file) {
    std::vector<const VariableRecipe*> key;
    for (const std::size_t f : group.fields) key.push_back(fields[f][file].get());
    const auto [found, is_new] = known.try_emplace(key);
    if (is_new) {
      Box box = box_of(*key.front());
      for (const VariableRecipe* one : key) box = united(box, box_of(*one));
      const auto shared = std::make_shared<const Box>(std::move(box));
      for (const VariableRecipe* one : key) {
        VariableRecipe boxed = *one;
        boxed.box = shared;
        found->second.push_back(std::make_shared<const VariableRecipe>(std::move(boxed)));
      }
    }
    for (std::size_t i = 0; i < group.fields.size(); ++i) fields[group.fields[i]][file] = found->second[i];
  }
}

}  // namespace

std::vector<std::shared_ptr<RecordPages>> share_reads(std::vector<RecipesByFile>& fields,
                                                      ChunkMemory& chunks) {
  std::vector<std::shared_ptr<RecordPages>> pages(fields.size());
  for (const Group& group : groups_of(fields)) {
    if (group.fields.size() > 1) set_boxes(group, fields);
    const auto shared = std::make_shared<RecordPages>(chunks);
    for (const std::size_t f : group.fields) pages[f] = shared;
  }
  return pages;
}

}  // namespace tailrace::input
