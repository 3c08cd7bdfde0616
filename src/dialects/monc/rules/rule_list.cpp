#include "dialects/monc/rules/rule_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "config/scalars.hpp"

namespace tailrace::dialects::monc {
namespace {

using Strings = std::vector<std::string>;

// The rules by their names, with the attributes they know besides name, result and root.
const std::map<std::string, Strings>& operators() {
  static const std::map<std::string, Strings> all{{"arithmetic", {"equation"}},
                                                  {"localreduce", {"operator", "field"}},
                                                  {"reductionlocation", {"input"}},
                                                  {"field_slicer", {"field", "dimension", "index"}},
                                                  {"field_coarsener", {"field", "dimension", "period"}}};
  return all;
}

const std::map<std::string, Strings>& communications() {
  static const std::map<std::string, Strings> all{{"reduction", {"operator", "field"}},
                                                  {"allreduction", {"operator", "field"}},
                                                  {"broadcast", {"operator", "field"}}};
  return all;
}

}  // namespace

RuleList::RuleList(const Diagnostic& diagnostic, Problems& problems, Warnings& warnings)
    : problems_(problems), warnings_(warnings) {
  for (const Rule& rule : diagnostic.rules) {
    const Tag& tag = rule.tag;
    const Word* result = tag.find("result");
    if (!check_kind(rule)) {
      fine_ = false;
    } else if (result == nullptr) {
      problems_.add(tag.location, "", fmt::format("<{}> needs the attribute \"result\"", tag.name));
      fine_ = false;
    } else if (const auto [entry, is_new] = by_result_.try_emplace(result->text, &rule); !is_new) {
      problems_.add(result->location, "",
                    fmt::format("the result \"{}\" is given twice in this diagnostic; the first is at {}",
                                result->text, entry->second->tag.location.text()));
      fine_ = false;
    }
  }
}

const Rule* RuleList::find(const std::string& result) const {
  const auto found = by_result_.find(result);
  return found == by_result_.end() ? nullptr : found->second;
}

Strings RuleList::results() const {
  Strings names;
  for (const auto& [name, rule] : by_result_) names.push_back(name);
  return names;
}

bool RuleList::check_kind(const Rule& rule) {
  const Tag& tag = rule.tag;
  const auto& kinds = rule.communication ? communications() : operators();
  const Word* name = tag.find("name");
  if (name == nullptr) {
    problems_.add(tag.location, "", fmt::format("<{}> needs the attribute \"name\"", tag.name));
    return false;
  }
  const auto kind = kinds.find(name->text);
  if (kind == kinds.end()) {
    Strings known;
    for (const auto& [known_name, attributes] : kinds) known.push_back(known_name);
    problems_.add(
        name->location, "",
        fmt::format("the {} \"{}\" is unknown.{}", tag.name, name->text, base::name_hint(name->text, known)));
    return false;
  }
  check_attributes(tag, name->text, kind->second);
  return check_root(rule);
}

void RuleList::check_attributes(const Tag& tag, const std::string& kind, const Strings& known_to_kind) {
  Strings known{"name", "result", "root"};
  known.insert(known.end(), known_to_kind.begin(), known_to_kind.end());
  for (const Attribute& attribute : tag.attributes)
    if (std::find(known.begin(), known.end(), attribute.name.text) == known.end())
      warnings_.add(attribute.name.location,
                    fmt::format("the attribute \"{}\" of {} is unknown and ignored.{}", attribute.name.text,
                                kind, base::name_hint(attribute.name.text, known)));
}

bool RuleList::check_root(const Rule& rule) {
  const Word* root = rule.tag.find("root");
  if (root == nullptr) {
    if (rule.communication)
      problems_.add(rule.tag.location, "",
                    "<communication> needs the attribute \"root\", such as root=\"auto\"");
    return !rule.communication;
  }
  const auto number = config::parse_integer(root->text);
  if (root->text == "auto" || (number && *number >= 0)) return true;
  problems_.add(root->location, "",
                fmt::format("expected auto or the number of a server for root, but got \"{}\"", root->text));
  return false;
}

}  // namespace tailrace::dialects::monc
