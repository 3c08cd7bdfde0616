#include "input/dated_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "calendar/date_pattern.hpp"
#include "input/file_names.hpp"
#include "input/folders.hpp"

namespace tailrace::input {
namespace {

constexpr std::string_view parts_of_a_date = "YmdHMS";  // from the longest
const std::vector<std::string> known_names{"time"};

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  });
}

// A piece of a name: text, or the format of a date.
struct Piece {
  bool is_date = false;
  std::string text;
};
struct Pieces {
  std::vector<Piece> all;
  std::optional<std::string> complaint;
};

// Braces without `name:` in them mean nothing here, and are text.
Pieces pieces_of(std::string_view name) {
  Pieces pieces;
  std::string text;
  while (!name.empty()) {
    const std::size_t close = name.front() == '{' ? name.find('}') : std::string_view::npos;
    const std::string_view inside =
        close == std::string_view::npos ? std::string_view() : name.substr(1, close - 1);
    const std::size_t colon = inside.find(':');
    if (colon == std::string_view::npos || !is_word(inside.substr(0, colon))) {
      text += name.front();
      name.remove_prefix(1);
      continue;
    }
    const std::string word(inside.substr(0, colon)), format(inside.substr(colon + 1));
    if (word != "time")
      pieces.complaint = fmt::format("only `{{time:...}}` can have a form, but \"{}\" has one.{}", word,
                                     base::name_hint(word, known_names));
    else if (const auto complaint = calendar::pattern_complaint(format))
      pieces.complaint = fmt::format("{{{}}}: {}", inside, *complaint);
    if (pieces.complaint) return pieces;
    pieces.all.push_back({.is_date = false, .text = std::exchange(text, {})});
    pieces.all.push_back({.is_date = true, .text = format});
    name.remove_prefix(close + 1);
  }
  pieces.all.push_back({.is_date = false, .text = std::move(text)});
  return pieces;
}

void add_text(char letter, bool is_of_date, std::string& expression, std::string& glob) {
  if (!is_of_date && (letter == '*' || letter == '?')) {
    expression += letter == '*' ? "[^/]*" : "[^/]";
    glob += letter;
    return;
  }
  constexpr std::string_view of_expressions = "\\.^$|()[]{}*+?", of_globs = "\\*?[";
  (expression += of_expressions.find(letter) != std::string_view::npos ? "\\" : "") += letter;
  (glob += of_globs.find(letter) != std::string_view::npos ? "\\" : "") += letter;
}

// The beginning of the part of a date, and of the next one: a template changes at these times.
double begin_of(const calendar::Calendar& calendar, calendar::Date date, char part) {
  const std::size_t last = parts_of_a_date.find(part);
  if (last < 1) date.month = 1;
  if (last < 2) date.day = 1;
  if (last < 3) date.hour = 0;
  if (last < 4) date.minute = 0;
  date.second = last < 5 ? 0.0 : std::floor(date.second);
  return calendar.seconds_of(date);
}

double next_of(const calendar::Calendar& calendar, double begin, char part) {
  constexpr std::array<double, parts_of_a_date.size()> seconds{0.0, 0.0, 86400.0, 3600.0, 60.0, 1.0};
  if (const double length = seconds[parts_of_a_date.find(part)]; length > 0.0) return begin + length;
  return calendar.begin_of_month(calendar.month_at(begin) + (part == 'Y' ? 12 : 1));
}

char finest_part(const std::vector<Piece>& pieces) {
  std::size_t finest = 0;
  for (const Piece& piece : pieces)
    for (std::size_t i = 0; piece.is_date && i < piece.text.size(); ++i)
      if (piece.text[i] == '%')
        if (const std::size_t part = parts_of_a_date.find(piece.text[++i]); part != std::string_view::npos)
          finest = std::max(finest, part);
  return parts_of_a_date[finest];
}

}  // namespace

std::optional<std::string> date_complaint(const std::string& name) { return pieces_of(name).complaint; }

bool has_dates(const std::string& name) {
  return std::ranges::any_of(pieces_of(name).all, [](const Piece& piece) { return piece.is_date; });
}

DatedName::DatedName(const std::string& name) {
  std::string expression, glob;
  for (const Piece& piece : pieces_of(name).all)
    for (std::size_t i = 0; i < piece.text.size(); ++i)
      if (piece.is_date && piece.text[i] == '%' && piece.text[++i] != '%')
        add_part(piece.text[i], expression, glob);
      else
        add_text(piece.text[i], piece.is_date, expression, glob);
  expression_ = std::regex(expression);
  glob_ = glob;
}

std::vector<std::string> DatedName::found(const env::FileSystem& files) const {
  std::vector<std::pair<std::vector<std::int64_t>, std::string>> dated;
  for (const std::string& path : matching(glob_, files))
    if (auto date = date_of(path)) dated.emplace_back(std::move(*date), path);
  std::ranges::sort(dated);
  std::vector<std::string> paths;
  for (auto& [date, path] : dated) paths.push_back(std::move(path));
  return paths;
}

void DatedName::add_part(char part, std::string& expression, std::string& glob) {
  std::size_t& group = groups_[parts_of_a_date.find(part)];
  if (group > 0) {
    expression += fmt::format("(?:\\{})", group);
  } else {
    group = ++group_count_;
    expression += part == 'Y' ? "(-?[0-9]{4,5})" : "([0-9]{2})";
  }
  glob += part == 'Y' ? "*" : "[0-9][0-9]";
}

std::optional<std::vector<std::int64_t>> DatedName::date_of(const std::string& path) const {
  std::smatch match;
  if (!std::regex_match(path, match, expression_)) return std::nullopt;
  constexpr std::array<std::int64_t, parts_of_a_date.size()> most{1'000'000'000, 12, 31, 24, 59, 60};
  std::vector<std::int64_t> date;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (groups_[i] == 0) continue;
    const std::string digits = match[static_cast<int>(groups_[i])];
    if (digits.size() > 10) return std::nullopt;
    date.push_back(std::stoll(digits));
    if (date.back() > most[i] || (i > 0 && i < 3 && date.back() < 1)) return std::nullopt;
  }
  return date;
}

std::vector<std::string> names_of_dates(const std::string& name, const Stretch& stretch,
                                        const calendar::Calendar& calendar) {
  constexpr std::size_t most = 1'000'000;
  if (!calendar.has_months())
    throw Error(ErrorCode::configuration,
                fmt::format("\"{}\" has dates, and `model_time.calendar` is none", name));
  const std::vector<Piece> pieces = pieces_of(name).all;
  const char part = finest_part(pieces);
  std::vector<std::string> names;
  std::set<std::string> known;
  for (double time = begin_of(calendar, calendar.date_of(stretch.begin), part); time <= stretch.end;
       time = next_of(calendar, time, part)) {
    std::string of_time;
    for (const Piece& piece : pieces)
      of_time += piece.is_date ? calendar::format_date(calendar.date_of(time), piece.text) : piece.text;
    if (names.size() == most)
      throw Error(ErrorCode::configuration,
                  fmt::format("\"{}\" has more than {} names for the dates of the run", name, most));
    if (known.insert(of_time).second) names.push_back(std::move(of_time));
  }
  return names;
}

}  // namespace tailrace::input
