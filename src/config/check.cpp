#include "config/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "base/nearest_name.hpp"
#include "config/placeholders.hpp"
#include "config/scalars.hpp"

namespace tailrace::config {
namespace {

bool is_empty(const Node& node) {
  return node.kind == NodeKind::null ||
         (node.kind != NodeKind::scalar && node.items.empty() && node.entries.empty());
}

std::string what_it_is(const Node& node) {
  switch (node.kind) {
    case NodeKind::null: return "nothing";
    case NodeKind::list: return "a list";
    case NodeKind::map: return "a map";
    case NodeKind::scalar: break;
  }
  return fmt::format("\"{}\"", node.text);
}

// `key: {x}` without quotes is a map in YAML, which is a common mistake.
std::string quote_hint(const Node& node) {
  if (node.kind != NodeKind::map || node.entries.size() != 1 || node.entries[0].value.kind != NodeKind::null)
    return "";
  return fmt::format(". If you mean the option of that name, write \"{{{}}}\" in quotes",
                     node.entries[0].key);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

NodeKind node_kind_of(const Type& type) {
  switch (type.kind) {
    case Kind::list: return NodeKind::list;
    case Kind::map:
    case Kind::section: return NodeKind::map;
    default: return NodeKind::scalar;
  }
}

}  // namespace

// A mistake ends the reading only of its own value, so that one run of the checker finds all mistakes: a
// value that cannot be read is left out, and the reading of its section continues.
class Checker {
 public:
  Checker(const CheckOptions& options, Problems& problems) : options_(options), problems_(problems) {}

  std::optional<Value> read(const Node& node, const Type& type, const std::string& path) {
    if (type.kind == Kind::either) return read_either(node, type, path);
    // An empty map may be written as a key without a value: `input:`.
    const bool fits = node.kind == node_kind_of(type) ||
                      (node.kind == NodeKind::null && node_kind_of(type) == NodeKind::map);
    if (!fits) return wrong_kind(node, type, path);
    Value value;
    value.kind_ = type.kind;
    value.location_ = node.location;
    value.quoted_ = node.quoted;
    value.path_ = path;
    switch (type.kind) {
      case Kind::list: return read_list(node, type, std::move(value));
      case Kind::map: return read_map(node, type, std::move(value));
      case Kind::section: return read_section(node, type, std::move(value));
      default: return read_scalar(node, type, std::move(value));
    }
  }

 private:
  using Result = std::optional<Value>;

  Result wrong_kind(const Node& node, const Type& type, const std::string& path) {
    if (type.kind == Kind::section && type.complaint && node.kind == NodeKind::scalar)
      if (const auto complaint = type.complaint(node.text)) {
        problems_.add(node.location, path, *complaint);
        return std::nullopt;
      }
    problems_.add(
        node.location, path,
        fmt::format("expected {}, but got {}{}", type.expected, what_it_is(node), quote_hint(node)));
    return std::nullopt;
  }

  Result read_either(const Node& node, const Type& type, const std::string& path) {
    for (const Type& part : type.parts)
      if (node_kind_of(part) == node.kind) return read(node, part, path);
    return wrong_kind(node, type, path);
  }

  Result read_list(const Node& node, const Type& type, Value value) {
    if (node.items.size() < type.fewest) {
      problems_.add(node.location, value.path_,
                    fmt::format("expected at least {} entr{}, but got {}", type.fewest,
                                type.fewest == 1 ? "y" : "ies", node.items.size()));
    }
    for (std::size_t i = 0; i < node.items.size(); ++i)
      if (Result item = read(node.items[i], type.parts.front(), path_of(value.path_, i)))
        value.items_.push_back(std::move(*item));
    return value;
  }

  Result read_map(const Node& node, const Type& type, Value value) {
    std::set<std::string> keys;  // two keys can become equal when `{name}` is filled in
    for (const NodeEntry& entry : node.entries) {
      const std::string path = path_of(value.path_, entry.key);
      if (!keys.insert(entry.key).second) problems_.add(entry.location, path, "is given twice");
      if (type.complaint && (!options_.allow_open || placeholders_in(std::string_view(entry.key)).empty()))
        if (const auto complaint = type.complaint(entry.key)) problems_.add(entry.location, path, *complaint);
      if (Result inner = read(entry.value, type.parts.front(), path))
        value.entries_.push_back({entry.key, entry.location, std::move(*inner)});
    }
    return value;
  }

  Result read_section(const Node& node, const Type& type, Value value) {
    if (type.unchecked) return value;
    refuse_unknown(node, type, value.path_);
    const NodeEntry* defaults = find_defaults(node, type);
    if (defaults != nullptr) defaults_.push_back(&defaults->value);
    for (const Option& option : type.options) {
      const NodeEntry* entry = find_given(node, option, value.path_);
      if (entry != nullptr)
        read_option(*entry, option, value);
      else if (const NodeEntry* inherited = find_inherited(node, option))
        inherit(*inherited, option, value);
      else if (!option.default_value.empty())
        value.entries_.push_back(fallback_of(option, path_of(value.path_, option.name)));
      else if (option.required && !stands_in(node, option) && !is_implied(node, option))
        problems_.add(node.location, value.path_,
                      fmt::format("\"{}\" is missing ({}){}", option.name, option.type.expected,
                                  option.inherited ? ", here and in `defaults`" : ""));
    }
    if (defaults != nullptr) defaults_.pop_back();
    return value;
  }

  static const NodeEntry* find_defaults(const Node& node, const Type& type) {
    const bool has =
        std::ranges::any_of(type.options, [](const Option& each) { return each.name == "defaults"; });
    const NodeEntry* entry = has ? node.find("defaults") : nullptr;
    return entry != nullptr && entry->value.kind == NodeKind::map ? entry : nullptr;
  }

  static bool stands_in(const Node& section, const Option& option) {
    return !option.belongs_to.empty() && section.find(option.belongs_to) != nullptr;
  }

  static bool is_implied(const Node& section, const Option& option) {
    return std::ranges::any_of(option.implied_by,
                               [&](const std::string& other) { return section.find(other) != nullptr; });
  }

  const NodeEntry* find_inherited(const Node& section, const Option& option) const {
    if (!option.inherited) return nullptr;
    if (stands_in(section, option)) return nullptr;
    for (auto defaults = defaults_.rbegin(); defaults != defaults_.rend(); ++defaults)
      if (const NodeEntry* entry = find_under_any_name(**defaults, option)) return entry;
    return nullptr;
  }

  // A mistake in an inherited value is reported once, at its place in `defaults`.
  void inherit(const NodeEntry& entry, const Option& option, Value& section) {
    Problems reported;
    if (Result value =
            Checker(options_, reported).read(entry.value, option.type, path_of(section.path_, option.name))) {
      value->inherited_ = true;
      section.entries_.push_back({option.name, entry.location, std::move(*value)});
    }
  }

  static const NodeEntry* find_under_any_name(const Node& node, const Option& option) {
    if (const NodeEntry* entry = node.find(option.name)) return entry;
    for (const auto* names : {&option.aliases, &option.deprecated_names})
      for (const std::string& name : *names)
        if (const NodeEntry* entry = node.find(name)) return entry;
    return nullptr;
  }

  // The entry under the option's name, an alias, or a deprecated name.
  const NodeEntry* find_given(const Node& node, const Option& option, const std::string& section) {
    const NodeEntry* given = node.find(option.name);
    for (const std::string& other : option.aliases) {
      const NodeEntry* entry = node.find(other);
      if (entry != nullptr && given != nullptr)
        problems_.add(
            entry->location, path_of(section, other),
            fmt::format("is another name of `{}`, and \"{}\" is given too, at {}; expected only one",
                        option.name, given->key, given->location.text()));
      if (given == nullptr) given = entry;
    }
    for (const std::string& former : option.deprecated_names) {
      const NodeEntry* entry = node.find(former);
      if (entry == nullptr) continue;
      const std::string path = path_of(section, former);
      if (given != nullptr)
        problems_.add(entry->location, path,
                      fmt::format("is now called `{}`, and \"{}\" is given too, at {}; expected only one",
                                  option.name, given->key, given->location.text()));
      else
        problems_.note(entry->location, path, fmt::format("is now called `{}`", option.name));
      if (given == nullptr) given = entry;
    }
    return given;
  }

  void refuse_unknown(const Node& node, const Type& type, const std::string& path) {
    std::vector<std::string> known;
    std::vector<std::string> former;
    for (const Option& option : type.options) {
      known.push_back(option.name);
      known.insert(known.end(), option.aliases.begin(), option.aliases.end());
      former.insert(former.end(), option.deprecated_names.begin(), option.deprecated_names.end());
    }
    for (const NodeEntry& entry : node.entries) {
      if (contains(known, entry.key) || contains(former, entry.key)) continue;
      problems_.add(entry.location, path_of(path, entry.key),
                    "this key is unknown." + hint_for(entry.key, type, known, former));
    }
  }

  // A misspelt deprecated name leads to the present one, unless a present name is near as well.
  static std::string hint_for(const std::string& key, const Type& type, const std::vector<std::string>& known,
                              const std::vector<std::string>& former) {
    const std::optional<std::string> near = base::nearest_name(key, former);
    if (!near || base::nearest_name(key, known)) return base::name_hint(key, known);
    const auto renamed = std::ranges::find_if(
        type.options, [&](const Option& option) { return contains(option.deprecated_names, *near); });
    return fmt::format(" Did you mean \"{}\", formerly \"{}\"?", renamed->name, *near);
  }

  void read_option(const NodeEntry& entry, const Option& option, Value& section) {
    const std::string path =
        path_of(section.path_, contains(option.aliases, entry.key) ? entry.key : option.name);
    if (!option.available) {
      if (!is_empty(entry.value)) problems_.add(entry.location, path, "is not available yet in this version");
      return;
    }
    if (Result value = read(entry.value, option.type, path))
      section.entries_.push_back({option.name, entry.location, std::move(*value)});
  }

  // assert_well_declared has checked all defaults.
  static ValueEntry fallback_of(const Option& option, const std::string& path) {
    Problems none;
    Node node = parse_yaml("", option.default_value, none);
    node.location = Location();
    ValueEntry entry;
    entry.key = option.name;
    entry.value = check(node, option.type, path, {}, none);
    return entry;
  }

  Result read_scalar(const Node& node, const Type& type, Value value) {
    if (options_.allow_open && !placeholders_in(std::string_view(node.text)).empty()) {
      value.open_ = true;
      set_open(node, type, value);
      return value;
    }
    const std::optional<std::string> complaint = set(node, type, value);
    note_former(node, type, value);
    if (!complaint) return value;
    problems_.add(node.location, value.path_, *complaint);
    return std::nullopt;
  }

  void note_former(const Node& node, const Type& type, const Value& value) {
    for (const auto& [word, now] : type.former)
      if (node.text == word)
        problems_.note(node.location, value.path_, fmt::format("\"{}\" is now called `{}`", word, now));
  }

  static void set_open(const Node& node, const Type& type, Value& value) {
    const double lowest = std::isfinite(type.lowest) ? type.lowest : 0.0;
    switch (type.kind) {
      case Kind::flag: value.data_ = false; break;
      case Kind::integer: value.data_ = static_cast<std::int64_t>(lowest); break;
      case Kind::real: value.data_ = lowest; break;
      case Kind::size: value.data_ = std::size_t{0}; break;
      case Kind::choice: value.data_ = type.names.front(); break;
      default: value.data_ = node.text; break;
    }
  }

  // Sets the value, or returns what is wrong.
  static std::optional<std::string> set(const Node& node, const Type& type, Value& value) {
    const std::string expected = fmt::format("expected {}, but got \"{}\"", type.expected, node.text);
    switch (type.kind) {
      case Kind::flag: return store(parse_flag(node.text), expected, value);
      case Kind::size: return store(parse_size(node.text), expected, value);
      case Kind::integer: return set_integer(node, type, expected, value);
      case Kind::real: {
        const auto number = parse_real(node.text);
        if (number && (*number < type.lowest || *number > type.highest)) return expected;
        return store(number, expected, value);
      }
      case Kind::choice: return set_choice(node, type, value);
      case Kind::plain: set_plain(node, value); return std::nullopt;
      default: break;
    }
    value.data_ = node.text;
    return type.complaint ? type.complaint(node.text) : std::nullopt;
  }

  template <class T>
  static std::optional<std::string> store(const std::optional<T>& parsed, const std::string& expected,
                                          Value& value) {
    if (!parsed) return expected;
    value.data_ = *parsed;
    return std::nullopt;
  }

  static std::optional<std::string> set_integer(const Node& node, const Type& type,
                                                const std::string& expected, Value& value) {
    if (contains(type.names, node.text)) {
      value.data_ = node.text;
      return std::nullopt;
    }
    const auto number = parse_integer(node.text);
    if (number && (static_cast<double>(*number) < type.lowest || static_cast<double>(*number) > type.highest))
      return expected;
    return store(number, expected, value);
  }

  static std::optional<std::string> set_choice(const Node& node, const Type& type, Value& value) {
    for (const auto& [word, now] : type.former) {
      if (node.text != word) continue;
      value.data_ = now;
      return std::nullopt;
    }
    if (contains(type.later, node.text))
      return fmt::format("\"{}\" is not available yet in this version", node.text);
    if (!contains(type.names, node.text))
      return fmt::format("\"{}\" is unknown.{}", node.text, base::name_hint(node.text, type.names));
    value.data_ = node.text;
    return std::nullopt;
  }

  static void set_plain(const Node& node, Value& value) {
    value.kind_ = Kind::text;
    value.data_ = node.text;
    if (node.quoted) return;
    if (const auto integer = parse_integer(node.text)) {
      value.kind_ = Kind::integer;
      value.data_ = *integer;
    } else if (const auto real = parse_real(node.text)) {
      value.kind_ = Kind::real;
      value.data_ = *real;
    }
  }

  const CheckOptions& options_;
  Problems& problems_;
  std::vector<const Node*> defaults_;  // of the open sections, outermost first
};

Value check(const Node& node, const Type& type, const std::string& path, const CheckOptions& options,
            Problems& problems) {
  return Checker(options, problems).read(node, type, path).value_or(Value());
}

}  // namespace tailrace::config
