#include "settings/file_name.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/decimal_text.hpp"
#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "calendar/date_pattern.hpp"

namespace tailrace::settings {
namespace {

const std::vector<std::string> known_names{"end", "start"};

bool is_word(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_';
  });
}

bool is_midnight(const calendar::Date& date) {
  return date.hour == 0 && date.minute == 0 && date.second == 0.0;
}

}  // namespace

FileName::FileName(const std::string& path) : path_(path) {
  std::string_view rest = path_;
  while (!rest.empty()) {
    const std::size_t open = std::min(rest.find('{'), rest.size());
    add_text(rest.substr(0, open));
    rest.remove_prefix(open);
    const std::size_t close = rest.find('}');
    if (close == std::string_view::npos) break;
    const std::string_view inside = rest.substr(1, close - 1);
    const std::string_view name = inside.substr(0, inside.find(':'));
    const bool is_known = name == "start" || name == "end";
    if (is_known || (is_word(name) && name.size() < inside.size())) {
      add_limit(inside);
      rest.remove_prefix(close + 1);
    } else {
      add_text(rest.substr(0, 1));  // braces that mean nothing here
      rest.remove_prefix(1);
    }
  }
  add_text(rest);
}

void FileName::add_text(std::string_view text) {
  if (text.empty()) return;
  if (pieces_.empty() || pieces_.back().what != What::text) pieces_.push_back({What::text, ""});
  pieces_.back().text += text;
}

void FileName::add_limit(std::string_view inside) {
  const std::size_t colon = inside.find(':');
  const std::string name(inside.substr(0, colon));
  const std::string form(colon == std::string_view::npos ? "" : inside.substr(colon + 1));
  if (name != "start" && name != "end")
    throw Error(ErrorCode::configuration,
                fmt::format("only `{{start:...}}` and `{{end:...}}` can have a form, but \"{}\" has one.{}",
                            name, base::name_hint(name, known_names)));
  if (colon != std::string_view::npos)
    if (const auto complaint = calendar::pattern_complaint(form))
      throw Error(ErrorCode::configuration, fmt::format("{{{}}}: {}", inside, *complaint));
  pieces_.push_back({name == "start" ? What::start : What::end, form});
}

bool FileName::has_limits() const {
  return std::ranges::any_of(pieces_, [](const Piece& piece) { return piece.what != What::text; });
}

bool FileName::has_end() const {
  return std::ranges::any_of(pieces_, [](const Piece& piece) { return piece.what == What::end; });
}

bool FileName::has_dates() const {
  return std::ranges::any_of(
      pieces_, [](const Piece& piece) { return piece.what != What::text && !piece.text.empty(); });
}

std::string FileName::of(const FileLimits& limits, const calendar::Calendar& calendar) const {
  std::string path;
  const bool has_dates = calendar.has_months() && !limits.in_steps;
  const bool whole_days =
      has_dates && is_midnight(calendar.date_of(limits.start)) && is_midnight(calendar.date_of(limits.end));
  for (const Piece& piece : pieces_) {
    const bool is_start = piece.what == What::start;
    if (piece.what == What::text)
      path += piece.text;
    else if (limits.in_steps)
      path += fmt::format("{}", is_start ? limits.start_step : limits.end_step);
    else if (!has_dates)
      path += base::decimal_text(is_start ? limits.start : limits.end);
    else
      path += calendar::format_date(
          calendar.date_of(is_start ? limits.start : std::max(limits.start, limits.end - 1.0)),
          !piece.text.empty() ? piece.text
          : whole_days        ? "%Y%m%d"
                              : "%Y%m%dT%H%M%S");
  }
  return path;
}

}  // namespace tailrace::settings
