// Units of measurement, as UDUNITS-2 knows them. They travel as text everywhere else; here is what can be
// asked about such texts. All functions may be called from several threads.
#pragma once

#include <memory>
#include <optional>
#include <string>

namespace tailrace::analytics::units {

// to = from * scale + offset, for values.
struct UnitConversion {
  double scale = 1.0;
  double offset = 0.0;
  bool same() const { return scale == 1.0 && offset == 0.0; }
};

class UnitSystem {
 public:
  // Reads the database: that file, or where empty what UDUNITS2_XML_PATH names, or the installed one. Throws
  // Error(resource) where there is none.
  explicit UnitSystem(const std::string& database = "");
  ~UnitSystem();

  bool knows(const std::string& text) const;
  // None where the two are of different kinds, one is unknown, or they differ by more than a scale and an
  // offset (logarithmic units).
  std::optional<UnitConversion> conversion(const std::string& from, const std::string& to) const;
  bool same(const std::string& a, const std::string& b) const;  // the same text, or the same unit
  bool is_dimensionless(const std::string& text) const;         // 1, %, g kg-1, degree
  bool has_origin(const std::string& text) const;               // degC, seconds since ...: no ratio scale
  std::string difference(const std::string& text) const;        // the unit of differences: K of degC

  // Written with the factors of the arguments where possible: W m-2 times s is W m-2 s. None where an
  // argument is unknown or there is no such unit (the square root of m).
  std::optional<std::string> product(const std::string& a, const std::string& b) const;
  std::optional<std::string> quotient(const std::string& a, const std::string& b) const;
  std::optional<std::string> power(const std::string& a, double exponent) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The one of the whole process, read at the first call.
const UnitSystem& unit_system();

}  // namespace tailrace::analytics::units
