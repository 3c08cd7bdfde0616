#include "mip_tables/table_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/nearest_name.hpp"
#include "config/placeholders.hpp"
#include "mip_tables/request.hpp"

namespace tailrace::mip_tables {
namespace {

using config::Node;
using config::NodeEntry;
using config::NodeKind;
using config::Problems;

// A table that a variable asks for.
struct Asked {
  std::string table;
  const Node* node;
  std::string option;
};

// Collects the option `cmip` at any depth below `output`, except in attributes, whose names are free.
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

class TableFiles {
 public:
  TableFiles(const env::FileSystem& files, Problems& problems) : files_(files), problems_(problems) {}

  void add(const config::DataFile& named) {
    if (!files_.exists(named.path))
      return problems_.add(named.location, named.option,
                           fmt::format("there is no file or folder {}", named.path));
    if (files_.entry(named.path) == env::Entry::file) return paths_.push_back(named.path);
    for (const std::string& name : files_.list(named.path))
      if (name.ends_with(".json")) paths_.push_back((std::filesystem::path(named.path) / name).string());
  }

  // The file of the table, and that of its coordinates if there is one.
  std::vector<std::string> find(const Asked& asked) {
    std::vector<std::string> found;
    for (const std::string& path : paths_)
      if (is_table_at(path, asked.table)) found.push_back(path);
    for (const std::string& path : found)
      if (table_name_of(path) == asked.table) found = {path};
    if (found.size() != 1) {
      report(asked, found);
      return {};
    }
    std::string name = table_name_of(found.front());
    name.replace(name.size() - std::min(name.size(), short_name(name).size()), std::string::npos,
                 "coordinate");
    for (const std::string& path : paths_)
      if (table_name_of(path) == name) found.push_back(path);
    return found;
  }

 private:
  static std::string short_name(const std::string& name) { return name.substr(name.rfind('_') + 1); }

  void report(const Asked& asked, const std::vector<std::string>& found) {
    std::vector<std::string> known;
    for (const std::string& path : found.empty() ? paths_ : found) {
      const std::string name = table_name_of(path);
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

std::vector<config::DataFile> table_files(const std::vector<Node>& trees, const env::FileSystem& files,
                                          Problems& problems) {
  TableFiles tables(files, problems);
  std::vector<Asked> asked;
  bool any = false;
  for (const Node& tree : trees) {
    const NodeEntry* cmip = tree.find("cmip");
    const NodeEntry* named = cmip == nullptr ? nullptr : cmip->value.find("tables");
    any = any || named != nullptr;
    if (named != nullptr)
      for (const config::DataFile& file : config::named_files(named->value, "cmip.tables", problems))
        tables.add(file);
    if (const NodeEntry* output = tree.find("output")) collect(output->value, "output", asked);
  }
  std::vector<config::DataFile> found;
  if (!any || !problems.empty()) return found;
  for (const Asked& one : asked)
    if (!config::needs_options(*one.node, one.option, problems))
      for (const std::string& path : tables.find(one))
        found.push_back({path, one.node->location, one.option});
  return found;
}

}  // namespace tailrace::mip_tables
