#include "settings/option_place.hpp"

#include <fmt/format.h>

#include <sstream>

#include "config/node.hpp"
#include "dialects/dialect.hpp"

namespace tailrace::settings {
namespace {

bool is_yaml(const config::SourceFile& file) {
  if (file.is_data) return false;
  for (const dialects::Dialect* dialect : dialects::all_dialects())
    if (dialect->recognises(file.text)) return false;
  return true;
}

}  // namespace

std::string option_at_its_place(const config::Sources& sources, const std::string& option) {
  for (const config::SourceFile& file : sources) {
    if (!is_yaml(file)) continue;
    config::Problems ignored;  // the configuration is known to be valid
    const config::Node tree = config::parse_yaml(file.name, file.text, ignored);
    const config::Node* node = &tree;
    std::istringstream keys(option);
    for (std::string key; node != nullptr && std::getline(keys, key, '.');) {
      const config::NodeEntry* entry = node->find(key);
      node = entry == nullptr ? nullptr : &entry->value;
    }
    if (node != nullptr) return fmt::format("{}  {}", node->location.text(), option);
  }
  return option;
}

}  // namespace tailrace::settings
