#include "config/sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>

#include "base/utf8.hpp"
#include "config/dialect.hpp"
#include "config/placeholders.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {
namespace {

const std::string include_key = "include";
const std::string legacy_key = "legacy";

std::string normal(const std::string& path) {
  return std::filesystem::path(path).lexically_normal().string();
}

// A reader that accepts only UTF-8 text of a reasonable size.
class CarefulReader {
 public:
  explicit CarefulReader(const Reader& reader) : reader_(reader) {}

  // `may_be_binary`: such as netCDF, which the caller parses.
  std::string operator()(const std::string& name, bool may_be_binary = false) {
    if (++files_ > most_files)
      throw Error(ErrorCode::configuration,
                  fmt::format("{}: the configuration includes more than {} files", name, most_files));
    std::string text = reader_(name);
    bytes_ += text.size();
    if (bytes_ > most_bytes)
      throw Error(ErrorCode::configuration,
                  fmt::format("{}: with this file the configuration has {} bytes; at most {} are possible",
                              name, bytes_, most_bytes));
    if (may_be_binary && (text.starts_with("\x89HDF") || text.starts_with("CDF"))) return text;
    if (const std::size_t valid = base::valid_utf8(text); valid < text.size()) {
      const std::string_view before = std::string_view(text).substr(0, valid);
      const std::size_t line = before.rfind('\n') + 1;  // 0 if there is none
      const Location where{name, 1 + static_cast<int>(std::ranges::count(before, '\n')),
                           1 + static_cast<int>(valid - line)};
      throw Error(ErrorCode::configuration,
                  fmt::format("{}  the byte 0x{:02x} is not UTF-8; save the file with this encoding",
                              where.text(), static_cast<unsigned char>(text[valid])));
    }
    return text;
  }

 private:
  const Reader& reader_;
  std::size_t files_ = 0, bytes_ = 0;
};

// Reads the files depth first, each once: two files may include a third.
class Walk {
 public:
  Walk(Reader reader, const Dialects& dialects, Problems& problems)
      : reader_(std::move(reader)), dialects_(dialects), problems_(problems) {}

  // The trees in the order of reading: each file before those that it includes. The trees of dialects are
  // complete only after translate().
  std::vector<Node> trees;
  Sources sources;
  std::vector<std::string> warnings;

  void load(const std::string& name, const std::string& text) {
    trail_.push_back(name);
    done_.insert(name);
    if (const Dialect* dialect = dialect_of(text)) {
      load_foreign(name, *dialect);
      trail_.pop_back();
      return;
    }
    sources.push_back({.name = name, .text = text});
    Node tree = parse_yaml(name, text, problems_);
    const std::vector<Node> includes = take_includes(tree);
    trees.push_back(std::move(tree));
    for (const Node& include : includes) follow(name, include);
    trail_.pop_back();
  }

  // The text of the model, as the last tree.
  void load_of_model(const std::string& name, const std::string& text) {
    sources.push_back({.name = name, .text = text, .is_of_model = true, .stream = {}});
    Node tree = parse_yaml(name, text, problems_);
    if (const NodeEntry* include = tree.find(include_key))
      problems_.add(include->value.location, include_key,
                    "the text of the model includes no file; expected this in the user's file");
    trees.push_back(std::move(tree));
  }

  // REQUIRES: all files are loaded, since an option in one file may refer to another file.
  void load_data(const FindData& find, const Reader& reader) {
    std::set<std::string> read;
    std::vector<DataFile> files = find(trees, problems_);
    for (DataFile& file : files) {
      if (!read.insert(file.path).second) continue;
      try {
        std::string text = file.text ? std::move(*file.text) : reader(file.path);
        sources.push_back({.name = file.path, .text = std::move(text), .is_data = true});
      } catch (const Error& error) {
        problems_.add(file.location, file.option, error.what());
      }
    }
  }

  // REQUIRES: all files are loaded, since any of them may set the option `legacy`.
  void translate(const std::map<std::string, std::string>* values) {
    const std::set<std::string> wanted = legacies(values);
    std::set<std::string> beside;
    for (const Node& tree : trees)
      for (const NodeEntry& entry : tree.entries) beside.insert(entry.key);
    for (auto& [place, dialect, parts] : foreign_) {
      const bool legacy = wanted.contains(dialect->name());
      Translation made =
          dialect->translate(parts, {.values = values, .legacy = legacy, .beside = beside}, problems_);
      if (legacy) std::erase_if(made.tree.entries, [](const NodeEntry& e) { return e.key == legacy_key; });
      trees[place] = std::move(made.tree);
      warnings.insert(warnings.end(), made.warnings.begin(), made.warnings.end());
    }
  }

 private:
  // A file in a dialect, with all its includes.
  struct Foreign {
    std::size_t place;  // in `trees`
    const Dialect* dialect;
    Sources parts;
  };

  const Dialect* dialect_of(const std::string& text) const {
    const auto found = std::find_if(dialects_.begin(), dialects_.end(),
                                    [&](const Dialect* each) { return each->recognises(text); });
    return found == dialects_.end() ? nullptr : *found;
  }

  std::set<std::string> legacies(const std::map<std::string, std::string>* values) const {
    std::set<std::string> names;
    for (const Node& tree : trees) {
      const NodeEntry* entry = tree.find(legacy_key);
      if (entry == nullptr) continue;
      const std::string& text = entry->value.text;
      names.insert(text);
      if (values == nullptr) continue;
      for (const auto& [option, value] : *values)
        if (text == "{" + option + "}") names.insert(value);
    }
    return names;
  }

  void load_foreign(const std::string& name, const Dialect& dialect) {
    Sources parts = dialect.read_sources(name, reader_);
    for (const SourceFile& part : parts)
      if (std::none_of(sources.begin(), sources.end(),
                       [&](const SourceFile& known) { return known.name == part.name; }))
        sources.push_back(part);
    foreign_.push_back({trees.size(), &dialect, std::move(parts)});
    trees.push_back({});
  }

  std::vector<Node> take_includes(Node& tree) {
    const NodeEntry* entry = tree.find(include_key);
    if (entry == nullptr) return {};
    Node value = entry->value;
    tree.entries.erase(tree.entries.begin() + (entry - tree.entries.data()));
    const auto is_scalar = [](const Node& item) { return item.kind == NodeKind::scalar; };
    if (value.kind != NodeKind::list || !std::all_of(value.items.begin(), value.items.end(), is_scalar)) {
      problems_.add(value.location, include_key,
                    "expected a list of files, such as `include: [fields.yaml]`");
      return {};
    }
    return value.items;
  }

  void follow(const std::string& from, const Node& include) {
    const std::string name = path_beside(from, include.text);
    const auto open = std::find(trail_.begin(), trail_.end(), name);
    if (open != trail_.end()) {
      problems_.add(include.location, include_key,
                    fmt::format("these files include each other circularly: {} -> {}",
                                fmt::join(open, trail_.end(), " -> "), name));
      return;
    }
    if (done_.contains(name)) return;
    try {
      load(name, reader_(name));
    } catch (const Error& error) {
      problems_.add(include.location, include_key, error.what());
    }
  }

  Reader reader_;
  const Dialects& dialects_;
  Problems& problems_;
  std::vector<std::string> trail_;
  std::set<std::string> done_;
  std::vector<Foreign> foreign_;
};

class Merger {
 public:
  Merger(const std::string& version_key, Problems& problems)
      : version_key_(version_key), problems_(problems) {}

  void merge(Node& into, Node&& from, const std::string& path) {
    for (NodeEntry& entry : from.entries) {
      const auto found = std::find_if(into.entries.begin(), into.entries.end(),
                                      [&](const NodeEntry& known) { return known.key == entry.key; });
      if (found == into.entries.end())
        into.entries.push_back(std::move(entry));
      else
        merge_entry(*found, std::move(entry), path_of(path, entry.key));
    }
  }

 private:
  void merge_entry(NodeEntry& into, NodeEntry&& from, const std::string& path) {
    if (from.value.kind == NodeKind::null) return;
    if (into.value.kind == NodeKind::null) {
      into = std::move(from);
    } else if (into.value.kind == NodeKind::map && from.value.kind == NodeKind::map) {
      merge(into.value, std::move(from.value), path);
    } else if (path != version_key_ || into.value.text != from.value.text) {
      problems_.add(from.location, path,
                    fmt::format("is given in two files; the other is at {}", into.location.text()));
    }
  }

  const std::string& version_key_;
  Problems& problems_;
};

}  // namespace

void fill(Node& into, Node&& from) {
  for (NodeEntry& entry : from.entries) {
    const auto found = std::ranges::find(into.entries, entry.key, &NodeEntry::key);
    if (found == into.entries.end())
      into.entries.push_back(std::move(entry));
    else if (found->value.kind == NodeKind::null)
      into.entries.erase(found);
    else if (found->value.kind == NodeKind::map && entry.value.kind == NodeKind::map)
      fill(found->value, std::move(entry.value));
  }
}

std::string path_beside(const std::string& file, const std::string& named) {
  return normal((std::filesystem::path(file).parent_path() / named).string());
}

std::vector<DataFile> named_files(const Node& value, const std::string& option, Problems& problems) {
  std::vector<const Node*> names;
  if (value.kind == NodeKind::scalar) names.push_back(&value);
  for (const Node& item : value.items)
    if (item.kind == NodeKind::scalar) names.push_back(&item);
  std::vector<DataFile> files;
  for (const Node* name : names)
    if (!needs_options(*name, option, problems))
      files.push_back({path_beside(name->location.file, name->text), name->location, option});
  return files;
}

Sources read_sources(const std::string& path, const Reader& reader, const Dialects& dialects,
                     const FindData& find_data, const std::string& model_text) {
  Problems problems;
  const Reader with_model = [&](const std::string& name) {
    return !model_text.empty() && name == name_of_model_text ? model_text : reader(name);
  };
  CarefulReader careful(with_model);
  const Reader read = std::ref(careful);
  Walk walk(read, dialects, problems);
  if (path.empty() && model_text.empty())
    throw Error(ErrorCode::configuration,
                "the path of the configuration is empty; expected a file, or a text of the model");
  if (!path.empty()) walk.load(normal(path), read(path));
  if (!model_text.empty()) walk.load_of_model(name_of_model_text, read(name_of_model_text));
  if (find_data && problems.empty())
    walk.load_data(find_data, [&](const std::string& name) { return careful(name, true); });
  problems.throw_if_any();
  return std::move(walk.sources);
}

Merged merge_sources(const Sources& sources, const MergeOptions& options, Problems& problems) {
  if (sources.empty()) throw Error(ErrorCode::configuration, "the configuration is empty");
  const Reader from_sources = [&](const std::string& name) {
    for (const SourceFile& source : sources)
      if (source.name == name) return source.text;
    throw Error(ErrorCode::resource, fmt::format("the included file {} is missing", name));
  };
  Walk walk(from_sources, options.dialects, problems);
  if (!sources.front().is_of_model) walk.load(normal(sources.front().name), sources.front().text);
  walk.translate(options.values);
  const std::size_t files = walk.trees.size();
  std::vector<bool> is_of_stream;  // by text of the model
  for (const SourceFile& source : sources) {
    if (!source.is_of_model) continue;
    walk.load_of_model(source.name, source.text);
    is_of_stream.push_back(!source.stream.empty());
  }
  Merged merged{{}, std::move(walk.warnings)};
  merged.tree.kind = NodeKind::map;
  merged.tree.location = {sources.front().name, 1, 1};
  Merger merger(options.version_key, problems);
  for (std::size_t i = 0; i < walk.trees.size(); ++i) {
    Node& part = walk.trees[i];
    const bool for_stream = i >= files && is_of_stream[i - files];
    if (for_stream) merged.tree = options.select(std::move(merged.tree));
    if (for_stream) options.check_stream(part);
    if (part.kind == NodeKind::map && i < files)
      merger.merge(merged.tree, std::move(part), "");
    else if (part.kind == NodeKind::map)
      fill(merged.tree, std::move(part));
    else if (part.kind != NodeKind::null)
      problems.add(part.location, "", "expected a map of options, such as `tailrace: 1`");
  }
  return merged;
}

}  // namespace tailrace::config
