#include "base/nearest_name.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>
#include <vector>

namespace tailrace::base {
namespace {

std::string without_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return lower;
}

// Optimal string alignment distance (Damerau 1964, restricted form) from one name to many.
class Distance {
 public:
  explicit Distance(std::string_view name) : name_(without_case(name)) {}

  // The distance, or any number above `most` if it exceeds `most`: the lengths alone exclude most names.
  std::size_t to(std::string_view other, std::size_t most) {
    if (std::max(name_.size(), other.size()) - std::min(name_.size(), other.size()) > most) return most + 1;
    const std::string letters = without_case(other);
    before_.assign(letters.size() + 1, 0);
    last_.resize(letters.size() + 1);
    row_.resize(letters.size() + 1);
    std::iota(last_.begin(), last_.end(), std::size_t{0});
    std::size_t least_of_last = 0;
    for (std::size_t i = 1; i <= name_.size(); ++i) {
      const std::size_t least = fill_row(i, letters);
      if (std::min(least, least_of_last) > most) return most + 1;  // no later row is below both
      least_of_last = least;
      std::swap(before_, last_);
      std::swap(last_, row_);
    }
    return last_.back();
  }

 private:
  std::size_t fill_row(std::size_t i, const std::string& letters) {
    std::size_t least = row_[0] = i;
    for (std::size_t j = 1; j <= letters.size(); ++j) {
      const std::size_t replace = last_[j - 1] + (name_[i - 1] == letters[j - 1] ? 0 : 1);
      row_[j] = std::min({last_[j] + 1, row_[j - 1] + 1, replace});
      if (i > 1 && j > 1 && name_[i - 1] == letters[j - 2] && name_[i - 2] == letters[j - 1])
        row_[j] = std::min(row_[j], before_[j - 2] + 1);
      least = std::min(least, row_[j]);
    }
    return least;
  }

  std::string name_;
  std::vector<std::size_t> before_, last_, row_;
};

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  const std::size_t reach = std::max<std::size_t>(2, name.size() / 3);
  std::optional<std::string> nearest;
  std::size_t best = reach + 1;
  Distance from_name(name);
  for (const std::string& candidate : known) {
    if (best == 0) break;
    const std::size_t distance = from_name.to(candidate, best - 1);
    if (distance < best && distance < std::max(name.size(), candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

std::string name_hint(std::string_view name, std::span<const std::string> known) {
  constexpr std::size_t most = 12;
  std::vector<std::string> sorted(known.begin(), known.end());
  std::sort(sorted.begin(), sorted.end());
  const auto nearest = nearest_name(name, sorted);
  const bool cut = sorted.size() > most;
  if (cut) sorted.resize(most);
  const std::string list = sorted.empty() ? "none" : fmt::format("{}", fmt::join(sorted, ", "));
  return fmt::format("{} (known: {}{})", nearest ? fmt::format(" Did you mean \"{}\"?", *nearest) : "", list,
                     cut ? ", ..." : "");
}

}  // namespace tailrace::base
