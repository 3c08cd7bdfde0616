// Units of measurement of UDUNITS-2. Elsewhere units are texts; this class answers questions about them. All
// functions are thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace tailrace::units {

// to = from * scale + offset, for values.
struct UnitConversion {
  double scale = 1.0;
  double offset = 0.0;
  bool same() const { return scale == 1.0 && offset == 0.0; }
};

class UnitSystem {
 public:
  // Reads the database from this file or, if empty, from UDUNITS2_XML_PATH or the installed one. Throws
  // Error(resource) if there is none.
  explicit UnitSystem(const std::string& database = "");
  ~UnitSystem();

  bool knows(const std::string& text) const;
  // None if the two have different dimensions, one is unknown, or they differ by more than a scale and an
  // offset (logarithmic units).
  std::optional<UnitConversion> conversion(const std::string& from, const std::string& to) const;
  bool same(const std::string& a, const std::string& b) const;  // the same text, or the same unit
  bool is_dimensionless(const std::string& text) const;         // 1, %, g kg-1, degree
  bool has_origin(const std::string& text) const;               // degC, seconds since ...: no ratio scale
  std::string difference(const std::string& text) const;        // the unit of differences: K for degC

  // Written with the factors of the arguments if possible: W m-2 times s is W m-2 s. None if an argument is
  // unknown or there is no such unit (the square root of m).
  std::optional<std::string> product(const std::string& a, const std::string& b) const;
  std::optional<std::string> quotient(const std::string& a, const std::string& b) const;
  std::optional<std::string> power(const std::string& a, double exponent) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The instance of the process, read at the first call.
const UnitSystem& unit_system();

}  // namespace tailrace::units
