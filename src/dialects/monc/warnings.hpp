// The warnings of a translation: each occurs once, with its places.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dialects/monc/vocabulary.hpp"

namespace tailrace::dialects::monc {

class Warnings {
 public:
  void add(const Location& where, std::string_view what);
  // `file:line:column  what`, with several places the first and `(and 4 more places)`; in the order in which
  // they turned up.
  std::vector<std::string> lines() const;

 private:
  std::vector<std::pair<std::string, std::vector<Location>>> entries_;
  std::map<std::string, std::size_t, std::less<>> known_;  // where in entries_
};

}  // namespace tailrace::dialects::monc
