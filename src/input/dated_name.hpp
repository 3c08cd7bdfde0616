// Templates of dates in names of files: `{time:...}` with the format of a date.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "env/file_system.hpp"

namespace tailrace::input {

// The fault in the form of the dates of a name, if there is one.
std::optional<std::string> date_complaint(const std::string& name);

// The files of a template: paths that are its name at some date. A part of a date that the template has twice
// is the same number in both places. REQUIRES: the name has no complaint.
class DatedName {
 public:
  explicit DatedName(const std::string& name);

  // In the order of their dates, those of the same date in the order of their names.
  std::vector<std::string> found(const env::FileSystem& files) const;

 private:
  static constexpr std::size_t part_count = 6;
  void add_part(char part, std::string& expression, std::string& glob);
  // The numbers of the date of a path, from the longest part; none if it is not one of the template.
  std::optional<std::vector<std::int64_t>> date_of(const std::string& path) const;

  std::regex expression_;
  std::string glob_;
  std::array<std::size_t, part_count> groups_{};  // of the expression, from 1; 0: none
  std::size_t group_count_ = 0;
};

}  // namespace tailrace::input
