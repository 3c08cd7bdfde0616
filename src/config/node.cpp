#include "config/node.hpp"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>
#include <unordered_map>

namespace tailrace::config {
namespace {

constexpr int deepest = 64;  // with aliases a document can contain itself
// With aliases a few lines can also expand to billions of values (the "billion laughs" attack).
constexpr std::size_t most_values = 300000;

std::string too_many() {
  return fmt::format(
      "with this, the file stands for more than {} values; aliases (*name) count with all that they "
      "stand for",
      most_values);
}

struct TooMany {
  YAML::Mark mark;
};

// Counts values while they are parsed, before any is stored: the tree of a large file would take a hundred
// times the memory of its text.
class Counter final : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { count(mark); }
  void OnScalar(const YAML::Mark& mark, const std::string&, YAML::anchor_t, const std::string&) override {
    count(mark);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    count(mark);
  }
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    count(mark);
  }
  void OnMapEnd() override {}

 private:
  void count(const YAML::Mark& mark) {
    if (++values_ > most_values) throw TooMany{mark};
  }
  std::size_t values_ = 0;
};

// Each value but the first follows one of a few characters. If these are few, the file need not be parsed to
// count.
void expect_few_values(const std::string& text) {
  const auto signs = std::ranges::count_if(text, [](char letter) {
    return std::string_view("[{,:-?!&*\n\r").find(letter) != std::string_view::npos;
  });
  if (static_cast<std::size_t>(signs) < most_values) return;
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  Counter counter;
  while (parser.HandleNextDocument(counter)) {
  }
}

// YAML forbids tabs in indentation, and its parser describes what it took them for. Returns the first line
// with one; none where the text has no such line.
std::optional<Location> tab_in_indentation(const std::string& file, const std::string& text) {
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(" \t\r", begin), end);
    const std::size_t tab = text.find('\t', begin);
    const bool is_empty = first == end || text[first] == '#';
    if (tab < first && !is_empty) return Location{file, line, 1 + static_cast<int>(tab - begin)};
    begin = end + 1;
  }
  return std::nullopt;
}

// The parser reports a bracket that is not closed where it gave up, which may be the end of the file.
const char* hint_on(std::string_view complaint) {
  if (complaint.find("end of sequence flow") != std::string_view::npos)
    return " (a `[` before this is not closed)";
  if (complaint.find("end of map flow") != std::string_view::npos)
    return " (a `{` before this is not closed)";
  if (complaint.find("end of map") != std::string_view::npos ||
      complaint.find("end of sequence") != std::string_view::npos)
    return " (the lines of a map or list need the same indentation)";
  return "";
}

class Converter {
 public:
  Converter(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  Node convert(const YAML::Node& yaml, const std::string& path, int depth) {
    Node node;
    node.location = place(yaml.Mark());
    if (ended_) return node;
    if (depth > deepest)
      return end(std::move(node), path, fmt::format("is nested deeper than {} levels", deepest));
    if (++values_ > most_values) return end(std::move(node), path, too_many());
    switch (yaml.Type()) {
      case YAML::NodeType::Scalar:
        node.kind = NodeKind::scalar;
        node.text = yaml.Scalar();
        node.quoted = yaml.Tag() == "!";
        break;
      case YAML::NodeType::Sequence:
        node.kind = NodeKind::list;
        for (const YAML::Node& item : yaml) {
          if (ended_) break;
          node.items.push_back(convert(item, path_of(path, node.items.size()), depth + 1));
        }
        break;
      case YAML::NodeType::Map: convert_map(yaml, path, depth, node); break;
      default: break;
    }
    return node;
  }

  Location place(const YAML::Mark& mark) const {
    if (mark.is_null()) return {file_, 1, 1};
    return {file_, mark.line + 1, mark.column + 1};
  }

 private:
  // Reported once: otherwise the same problem could be reported a billion times.
  Node end(Node node, const std::string& path, const std::string& why) {
    ended_ = true;
    problems_.add(node.location, path, why);
    return node;
  }

  void convert_map(const YAML::Node& yaml, const std::string& path, int depth, Node& node) {
    node.kind = NodeKind::map;
    std::unordered_map<std::string, Location> known;
    for (const auto& entry : yaml) {
      if (ended_) return;
      const YAML::Node& key = entry.first;
      const Location where = place(key.Mark());
      if (!key.IsScalar()) {
        problems_.add(where, path, "a key must be a plain word");
        continue;
      }
      const std::string name = key.Scalar();
      const std::string inner = path_of(path, name);
      const auto [first, is_new] = known.emplace(name, where);
      if (!is_new) {
        problems_.add(where, inner, fmt::format("is given twice; the first is at {}", first->second.text()));
        continue;
      }
      node.entries.push_back({name, where, convert(entry.second, inner, depth + 1)});
      // An empty value has the place of its key.
      if (node.entries.back().value.kind == NodeKind::null) node.entries.back().value.location = where;
    }
  }

  const std::string& file_;
  Problems& problems_;
  std::size_t values_ = 0;
  bool ended_ = false;
};

}  // namespace

const NodeEntry* Node::find(const std::string& key) const {
  const auto found =
      std::find_if(entries.begin(), entries.end(), [&](const NodeEntry& entry) { return entry.key == key; });
  return found == entries.end() ? nullptr : &*found;
}

Node parse_yaml(const std::string& file, const std::string& text, Problems& problems) {
  Converter converter(file, problems);
  Node empty;
  empty.location = {file, 1, 1};
  try {
    expect_few_values(text);
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    if (documents.empty()) return empty;
    if (documents.size() > 1)
      problems.add(converter.place(documents[1].Mark()), "",
                   "the file contains a second YAML document; expected only one");
    return converter.convert(documents.front(), "", 0);
  } catch (const TooMany& end) {
    problems.add(converter.place(end.mark), "", too_many());
    return empty;
  } catch (const YAML::DeepRecursion& error) {
    problems.add(converter.place(error.mark), "", fmt::format("is nested deeper than {} levels", deepest));
    return empty;
  } catch (const YAML::Exception& error) {
    const Location where = converter.place(error.mark);
    if (const auto tab = tab_in_indentation(file, text))
      problems.add(*tab, "",
                   fmt::format("a tab indents this line, which YAML does not allow; expected spaces ({}: {})",
                               where.text(), error.msg));
    else
      problems.add(where, "", fmt::format("this is not YAML: {}{}", error.msg, hint_on(error.msg)));
    return empty;
  }
}

std::string path_of(const std::string& parent, const std::string& key) {
  return parent.empty() ? key : parent + "." + key;
}

std::string path_of(const std::string& parent, std::size_t index) {
  return fmt::format("{}[{}]", parent, index);
}

}  // namespace tailrace::config
