#include "settings/tables/data_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/nearest_name.hpp"
#include "config/placeholders.hpp"
#include "settings/stations/table.hpp"
#include "settings/tables/cmip.hpp"

namespace tailrace::settings {
namespace {

using config::Node;
using config::NodeEntry;
using config::NodeKind;
using config::Problems;

constexpr std::string_view early =
    "cannot be used here: this file is read before the model gives its options";

struct Asked {
  std::string table;
  const Node* node;
  std::string option;
};

// In any depth below `output`, but for attributes, which may have any name.
void collect(const Node& node, const std::string& path, std::vector<Asked>& asked) {
  for (std::size_t i = 0; i < node.items.size(); ++i) collect(node.items[i], config::path_of(path, i), asked);
  for (const NodeEntry& entry : node.entries) {
    if (entry.key == "attributes") continue;
    const std::string inner = config::path_of(path, entry.key);
    if (entry.key == "cmip" && entry.value.kind == NodeKind::scalar)
      asked.push_back({entry.value.text.substr(0, entry.value.text.find('/')), &entry.value, inner});
    else
      collect(entry.value, inner, asked);
  }
}

bool is_open(const Node& node, const std::string& option, Problems& problems) {
  const auto names = config::placeholders_in(std::string_view(node.text));
  if (names.empty()) return false;
  problems.add(node.location, option, fmt::format("\"{{{}}}\" {}", *names.begin(), early));
  return true;
}

std::vector<const Node*> texts_of(const Node& value) {
  std::vector<const Node*> texts;
  if (value.kind == NodeKind::scalar) texts.push_back(&value);
  for (const Node& item : value.items)
    if (item.kind == NodeKind::scalar) texts.push_back(&item);
  return texts;
}

std::string beside(const Node& named) {
  const auto folder = std::filesystem::path(named.location.file).parent_path();
  return (folder / named.text).lexically_normal().string();
}

class TableFiles {
 public:
  TableFiles(const env::FileSystem& files, Problems& problems) : files_(files), problems_(problems) {}

  void add(const Node& named) {
    const std::string path = beside(named);
    if (!files_.exists(path))
      return problems_.add(named.location, "cmip.tables", fmt::format("there is no file or folder {}", path));
    if (files_.entry(path) == env::Entry::file) return paths_.push_back(path);
    for (const std::string& name : files_.list(path))
      if (name.ends_with(".json")) paths_.push_back((std::filesystem::path(path) / name).string());
  }

  // The table's, and that of its coordinates where there is one.
  std::vector<std::string> find(const Asked& asked) {
    std::vector<std::string> found;
    for (const std::string& path : paths_)
      if (is_called(path, asked.table)) found.push_back(path);
    for (const std::string& path : found)
      if (table_of_path(path) == asked.table) found = {path};
    if (found.size() != 1) {
      tell(asked, found);
      return {};
    }
    std::string name = table_of_path(found.front());
    name.replace(name.size() - std::min(name.size(), short_name(name).size()), std::string::npos,
                 "coordinate");
    for (const std::string& path : paths_)
      if (table_of_path(path) == name) found.push_back(path);
    return found;
  }

 private:
  static std::string short_name(const std::string& name) { return name.substr(name.rfind('_') + 1); }

  void tell(const Asked& asked, const std::vector<std::string>& found) {
    std::vector<std::string> known;
    for (const std::string& path : found.empty() ? paths_ : found) {
      const std::string name = table_of_path(path);
      known.push_back(found.empty() ? short_name(name) : name);
    }
    std::erase(known, "coordinate");
    known.erase(std::unique(known.begin(), known.end()), known.end());
    problems_.add(asked.node->location, asked.option,
                  found.empty() ? fmt::format("there is no table \"{}\".{}", asked.table,
                                              base::name_hint(asked.table, known))
                                : fmt::format("\"{}\" may be one of several tables; expected one of {}",
                                              asked.table, fmt::join(known, ", ")));
  }

  const env::FileSystem& files_;
  Problems& problems_;
  std::vector<std::string> paths_;
};

}  // namespace

std::vector<config::DataFile> data_files(const std::vector<Node>& trees, const env::FileSystem& files,
                                         Problems& problems) {
  TableFiles tables(files, problems);
  std::vector<Asked> asked;
  bool any = false;
  for (const Node& tree : trees) {
    const NodeEntry* cmip = tree.find("cmip");
    const NodeEntry* paths = cmip == nullptr ? nullptr : cmip->value.find("tables");
    any = any || paths != nullptr;
    if (paths != nullptr)
      for (const Node* text : texts_of(paths->value))
        if (!is_open(*text, "cmip.tables", problems)) tables.add(*text);
    if (const NodeEntry* output = tree.find("output")) collect(output->value, "output", asked);
  }
  std::vector<config::DataFile> found = stations::tables_in(trees);
  for (const Node& tree : trees)
    if (const NodeEntry* names = tree.find("names"))
      for (const Node* text : texts_of(names->value))
        if (!is_open(*text, "names", problems)) found.push_back({beside(*text), text->location, "names"});
  if (!any || !problems.empty()) return found;  // who checks the variables says that there are no tables
  for (const Asked& one : asked)
    if (!is_open(*one.node, one.option, problems))
      for (const std::string& path : tables.find(one))
        found.push_back({path, one.node->location, one.option});
  return found;
}

}  // namespace tailrace::settings
