#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "config/documents/documents.hpp"
#include "config/documents/repeated.hpp"
#include "config/node.hpp"

namespace tailrace::config::documents {
namespace {

class Page {
 public:
  explicit Page(const std::string& introduction) : text_(introduction) {}

  void add_options(const Type& type, const std::string& path, std::size_t level) {
    if (!type.options.empty()) around_.push_back(&type);
    for (const Option& option : type.options) add_option(option, path_of(path, option.name), level);
    if (!type.options.empty()) around_.pop_back();
    for (const Type& part : type.parts) {
      std::string inner = path;
      if (type.kind == Kind::map) inner = path_of(path, "<" + type.entry_name + ">");
      if (type.kind == Kind::list) inner += "[]";
      add_options(part, inner, level);
    }
  }

  const std::string& text() const { return text_; }

 private:
  void add_option(const Option& option, const std::string& path, std::size_t level) {
    constexpr std::size_t deepest = 6;  // headings of Markdown
    text_ += fmt::format("\n{} `{}`\n\n{}\n\n", std::string(std::min(level, deepest), '#'), path,
                         option.description);
    item("Type", option.type.expected);
    if (!option.type.later.empty())
      item("Not available yet", fmt::format("`{}`", fmt::join(option.type.later, "`, `")));
    if (!option.unit.empty()) item("Unit", option.unit);
    if (!option.default_value.empty()) item("Default", "`" + option.default_value + "`");
    if (option.required) item("Required", required(option));
    if (option.inherited && !option.required) item("Inherited", "where it is not given, from `defaults`");
    if (!option.available) item("Available", "not yet: refused unless it is empty");
    item("Since", option.since);
    if (!option.aliases.empty()) item("Also called", fmt::format("`{}`", fmt::join(option.aliases, "`, `")));
    if (!option.deprecated_names.empty())
      item("Formerly",
           fmt::format("`{}` (still read, with a warning)", fmt::join(option.deprecated_names, "`, `")));
    if (!option.example.empty()) item("Example", fmt::format("`{}: {}`", option.name, option.example));
    if (repeats(option.type, *around_.back()))
      item("Entries", "the same options as around it");
    else
      add_options(option.type, path, level + 1);
  }

  static std::string required(const Option& option) {
    std::string words = option.inherited ? "yes, here or in `defaults`" : "yes";
    if (!option.implied_by.empty())
      words += fmt::format(", unless there is `{}`", fmt::join(option.implied_by, "` or `"));
    return words;
  }

  void item(const char* what, const std::string& words) { text_ += fmt::format("- {}: {}\n", what, words); }

  std::string text_;
  std::vector<const Type*> around_;  // the open sections, outermost first
};

}  // namespace

std::string reference_markdown(const Type& root, const std::string& introduction) {
  Page page(introduction);
  page.add_options(root, "", 2);
  return page.text();
}

}  // namespace tailrace::config::documents
