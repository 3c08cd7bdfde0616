#include "cf/option_tables.hpp"

#include <algorithm>

namespace tailrace::cf {
namespace {

int add_dim(DatasetLayout& layout, const std::string& name, std::size_t size, Names& names) {
  layout.dataset.dims.push_back({names.take(name, "dimension"), static_cast<std::int64_t>(size), false});
  return static_cast<int>(layout.dataset.dims.size()) - 1;
}

std::vector<std::string> texts_of(const plan::OptionTablePlan& table) {
  std::vector<std::string> texts;
  for (const auto& [name, value] : table.entries) texts.insert(texts.end(), {name, value});
  return texts;
}

}  // namespace

void add_option_tables(DatasetLayout& layout, const std::vector<plan::OptionTablePlan>& tables,
                       Names& names) {
  if (tables.empty()) return;
  std::size_t longest = 1;
  for (const plan::OptionTablePlan& table : tables) {
    longest = std::max(longest, static_cast<std::size_t>(table.width));
    for (const std::string& text : texts_of(table)) longest = std::max(longest, text.size());
  }
  const int pair = add_dim(layout, "kvp", 2, names);
  const int characters = add_dim(layout, "string", longest, names);
  for (const plan::OptionTablePlan& table : tables) {
    const int entries = add_dim(layout, table.dimension, table.entries.size(), names);
    layout.dataset.texts.push_back(
        {table.name,
         {entries, pair, characters},
         texts_of(table),
         {{"long_name", std::string("names and values of options of the model")}}});
  }
}

}  // namespace tailrace::cf
