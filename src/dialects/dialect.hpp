// Other programs whose configurations Tailrace reads and whose conventions it can follow: one folder each,
// which registers itself.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "config/dialect.hpp"
#include "time/convention.hpp"

namespace tailrace::dialects {

// A dialect has no state. Its name selects its conventions in the option `legacy`, names the command that
// converts its configurations (`tailrace convert NAME`) and its page in the documents (`guide/NAME.md`).
class Dialect : public config::Dialect {
 public:
  // The name of the notation in the reference page: "the XML of NAME".
  virtual std::string notation() const = 0;
  // A clause for the reference page: the rules that `legacy` with this name selects.
  virtual std::string legacy_rules() const = 0;
  // How the program counts time. The standard convention if it has none of its own.
  virtual const time::Convention& convention() const { return time::standard_convention(); }
};

// A static object of this type makes a dialect available. Names must differ.
struct DialectRegistration {
  explicit DialectRegistration(std::unique_ptr<Dialect> dialect);
};

// The dialect of that name, or null. Registered dialects exist until the program ends.
const Dialect* find_dialect(const std::string& name);
std::vector<std::string> dialect_names();    // sorted
std::vector<const Dialect*> all_dialects();  // in the order of their names
config::Dialects notations();                // the same, for config::read_sources

// The convention of time that `legacy` selects: the standard one if no dialect has this name.
const time::Convention& convention_of(const std::string& legacy);

}  // namespace tailrace::dialects
