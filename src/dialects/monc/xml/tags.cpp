#include "dialects/monc/xml/tags.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tailrace::dialects::monc {
namespace {

constexpr std::size_t nowhere = std::string::npos;
constexpr std::string_view blanks = " \t\r\n\f\v";

class Scanner {
 public:
  Scanner(const Text& text, Problems& problems, Warnings& warnings)
      : text_(text), chars_(text.chars()), problems_(problems), warnings_(warnings) {}

  std::vector<Tag> scan() {
    std::size_t start = 0;
    while (mistakes_ < most_mistakes && (start = chars_.find('<', start)) != nowhere) {
      const std::string_view rest = std::string_view(chars_).substr(start);
      if (rest.starts_with("<!--"))
        start = end_of_comment(start);
      else if (rest.starts_with("<!") || rest.starts_with("<?"))
        start = behind(chars_.find('>', start));
      else
        start = take_tag(start);
    }
    return std::move(tags_);
  }

 private:
  void mistake(const Location& where, std::string_view what) {
    problems_.add(where, "", what);
    ++mistakes_;
  }

  std::size_t behind(std::size_t place) const { return place == nowhere ? chars_.size() : place + 1; }

  // The next `-->` at or behind a place; what was found is remembered, so that a text is searched only once.
  std::size_t next_comment_end(std::size_t from) {
    if (comment_end_ != nowhere ? comment_end_ < from : !searched_) comment_end_ = chars_.find("-->", from);
    searched_ = true;
    return comment_end_;
  }

  std::size_t end_of_comment(std::size_t start) {
    const std::size_t end = next_comment_end(start + 2);
    const std::size_t nested = std::min(chars_.find("<!--", start + 4), chars_.size());
    if (end != nowhere && end < nested) return end + 3;
    const std::size_t short_end = chars_.find('>', start);
    if (short_end == nowhere) {
      mistake(text_.at(start), "this comment is never closed; expected `-->`");
      return chars_.size();
    }
    if (end == nowhere || end + 2 != short_end)
      warnings_.add(text_.at(start),
                    "this comment is not closed by `-->` before the next one begins; as in MONC, it ends at "
                    "its first `>`");
    return short_end + 1;
  }

  // The position of the tag's `>`; quoted values may contain others. npos, with a problem, if there is none.
  std::size_t end_of_tag(std::size_t start) {
    const std::size_t next = std::min(chars_.find('<', start + 1), chars_.size());
    for (std::size_t i = start + 1; i < next; ++i) {
      if (chars_[i] == '>') return i;
      if (chars_[i] != '"') continue;
      const std::size_t quote = chars_.find('"', i + 1);
      if (quote >= next) {
        mistake(text_.at(i), "this quote is never closed");
        return nowhere;
      }
      i = quote;
    }
    mistake(text_.at(start), "this tag is never closed; expected `>`");
    return nowhere;
  }

  std::size_t take_tag(std::size_t start) {
    const std::size_t end = end_of_tag(start);
    if (end == nowhere) return start + 1;
    Tag tag;
    tag.location = text_.at(start);
    std::size_t from = start + 1;
    std::size_t to = end;
    tag.closes = chars_[from] == '/';
    tag.opens = !tag.closes;
    if (tag.closes) ++from;
    if (tag.opens && to > from && chars_[to - 1] == '/') {
      tag.closes = true;
      --to;
    }
    const std::string_view inside = std::string_view(chars_).substr(0, to);
    const std::size_t name_end = std::min(inside.find_first_of(blanks, from), to);
    tag.name = inside.substr(from, name_end - from);
    if (tag.name.empty()) {
      mistake(tag.location, "expected the name of an element after `<`");
    } else {
      take_attributes(inside, name_end, tag);
      tags_.push_back(std::move(tag));
    }
    return end + 1;
  }

  void take_attributes(std::string_view inside, std::size_t from, Tag& tag) {
    const std::size_t to = inside.size();
    const auto skip = [&] { from = std::min(inside.find_first_not_of(blanks, from), to); };
    for (skip(); from < to; skip()) {
      Attribute attribute;
      attribute.name.location = text_.at(from);
      const std::size_t name_end = std::min(inside.find_first_of(" \t\r\n\f\v=", from), to);
      attribute.name.text = inside.substr(from, name_end - from);
      from = name_end;
      skip();
      const bool has_value = from < to && inside[from] == '=';
      if (has_value) {
        ++from;
        skip();
        from = take_value(inside, from, attribute.value);
      }
      keep(std::move(attribute), has_value, tag);
    }
  }

  // Returns the place behind the value.
  std::size_t take_value(std::string_view inside, std::size_t from, Word& value) const {
    std::size_t end = 0;
    const bool quoted = from < inside.size() && (inside[from] == '"' || inside[from] == '\'') &&
                        (end = inside.find(inside[from], from + 1)) != nowhere;
    if (quoted)
      ++from;
    else
      end = std::min(inside.find_first_of(blanks, from), inside.size());
    value = {std::string(inside.substr(from, end - from)), text_.at(from)};
    return quoted ? end + 1 : end;
  }

  void keep(Attribute&& attribute, bool has_value, Tag& tag) {
    const Location& where = attribute.name.location;
    if (attribute.name.empty()) {
      mistake(where, fmt::format("expected the name of an attribute of <{}> before `=`", tag.name));
    } else if (!has_value || attribute.value.empty()) {
      mistake(where, fmt::format("the attribute \"{}\" of <{}> has no value", attribute.name.text, tag.name));
    } else if (tag.find(attribute.name.text) != nullptr) {
      warnings_.add(where, fmt::format("the attribute \"{}\" of <{}> is given twice; the first one is used",
                                       attribute.name.text, tag.name));
    } else {
      tag.attributes.push_back(std::move(attribute));
    }
  }

  const Text& text_;
  const std::string& chars_;
  Problems& problems_;
  Warnings& warnings_;
  std::vector<Tag> tags_;
  std::size_t comment_end_ = nowhere;
  bool searched_ = false;
  std::size_t mistakes_ = 0;
};

}  // namespace

const Word* Tag::find(std::string_view attribute) const {
  for (const Attribute& known : attributes)
    if (known.name.text == attribute) return &known.value;
  return nullptr;
}

std::vector<Tag> scan(const Text& text, Problems& problems, Warnings& warnings) {
  return Scanner(text, problems, warnings).scan();
}

}  // namespace tailrace::dialects::monc
