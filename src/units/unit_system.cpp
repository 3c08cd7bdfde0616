#include "units/unit_system.hpp"

#include <fmt/format.h>
#include <udunits2.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error.hpp"
#include "base/thread_safety.hpp"
#include "units/unit_factors.hpp"

namespace tailrace::units {

namespace {

struct FreeSystem {
  void operator()(ut_system* system) const { ut_free_system(system); }
};
struct FreeUnit {
  void operator()(ut_unit* unit) const { ut_free(unit); }
};
struct FreeConverter {
  void operator()(cv_converter* converter) const { cv_free(converter); }
};
using UnitPointer = std::unique_ptr<ut_unit, FreeUnit>;

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

struct Ratio {
  int numerator = 1;
  int denominator = 1;
};

// Roots up to the twelfth; other exponents do not give a unit.
std::optional<Ratio> ratio_of(double exponent) {
  constexpr int highest = 99;
  for (int denominator = 1; denominator <= 12; ++denominator) {
    const double numerator = exponent * denominator;
    if (!(std::fabs(numerator) <= highest)) return std::nullopt;
    if (std::fabs(numerator - std::round(numerator)) < 1e-12)
      return Ratio{static_cast<int>(std::lround(numerator)), denominator};
  }
  return std::nullopt;
}

std::optional<UnitFactors> raised(UnitFactors factors, Ratio ratio) {
  for (UnitFactor& factor : factors) {
    const int exponent = factor.exponent * ratio.numerator;
    if (exponent % ratio.denominator != 0) return std::nullopt;
    factor.exponent = exponent / ratio.denominator;
  }
  return factors;
}

}  // namespace

// UDUNITS keeps its status and parser state in global variables, so all systems share one lock.
static base::Mutex udunits;

struct UnitSystem::Impl {
  std::unique_ptr<ut_system, FreeSystem> system TAILRACE_GUARDED_BY(udunits);
  std::map<std::string, UnitPointer> parsed TAILRACE_GUARDED_BY(udunits);  // null: unknown

  ut_unit* parse(const std::string& text) TAILRACE_REQUIRES(udunits) {
    const auto [entry, is_new] = parsed.try_emplace(text);
    if (is_new) entry->second.reset(ut_parse(system.get(), trimmed(text).c_str(), UT_UTF8));
    return entry->second.get();
  }

  bool equal(const ut_unit* a, const ut_unit* b) const TAILRACE_REQUIRES(udunits) {
    return ut_compare(a, b) == 0;
  }

  std::string format(const ut_unit* unit) const TAILRACE_REQUIRES(udunits) {
    std::array<char, 256> buffer{};
    const int length = ut_format(unit, buffer.data(), buffer.size(), UT_ASCII | UT_DEFINITION);
    if (length <= 0 || static_cast<std::size_t>(length) >= buffer.size()) return "1";
    std::string text(buffer.data());
    for (std::size_t i = 0; i + 1 < text.size(); ++i)
      if (text[i] == '.' && std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0) text[i] = ' ';
    return text;
  }

  // The text as a product of powers, if it denotes the same unit, otherwise UDUNITS' text. None if UDUNITS
  // cannot parse its own text, as for very large exponents.
  std::optional<std::string> best_text(const std::optional<UnitFactors>& factors, const ut_unit* unit)
      TAILRACE_REQUIRES(udunits) {
    if (factors) {
      const std::string text = text_of(*factors);
      const ut_unit* meant = parse(text);
      if (meant != nullptr && equal(meant, unit)) return text;
    }
    const std::string text = format(unit);
    return parse(text) == nullptr ? std::nullopt : std::optional(text);
  }

  std::optional<std::string> combine(const std::string& a, const std::string& b, bool divide)
      TAILRACE_REQUIRES(udunits) {
    const ut_unit* first = parse(a);
    const ut_unit* second = parse(b);
    if (first == nullptr || second == nullptr) return std::nullopt;
    const UnitPointer unit(divide ? ut_divide(first, second) : ut_multiply(first, second));
    if (!unit) return std::nullopt;
    const auto first_factors = parse_factors(trimmed(a));
    const auto second_factors = parse_factors(trimmed(b));
    std::optional<UnitFactors> factors;
    if (first_factors && second_factors)
      factors = units::product(*first_factors, *second_factors, divide ? -1 : 1);
    return best_text(factors, unit.get());
  }
};

UnitSystem::UnitSystem(const std::string& database) : impl_(std::make_unique<Impl>()) {
  const base::MutexLock lock(udunits);
  ut_set_error_message_handler(ut_ignore);
  impl_->system.reset(ut_read_xml(database.empty() ? nullptr : database.c_str()));
  if (impl_->system) return;
  ut_status status = UT_SUCCESS;
  const char* tried = ut_get_path_xml(database.empty() ? nullptr : database.c_str(), &status);
  throw Error(
      ErrorCode::resource,
      fmt::format("the units of UDUNITS-2 cannot be read from {}; install its data (libudunits2-data) or "
                  "let UDUNITS2_XML_PATH name its udunits2.xml",
                  tried == nullptr ? "its database" : tried));
}

UnitSystem::~UnitSystem() {
  const base::MutexLock lock(udunits);
  impl_.reset();
}

bool UnitSystem::knows(const std::string& text) const {
  const base::MutexLock lock(udunits);
  return impl_->parse(text) != nullptr;
}

std::optional<UnitConversion> UnitSystem::conversion(const std::string& from, const std::string& to) const {
  if (from == to) return UnitConversion{};
  const base::MutexLock lock(udunits);
  ut_unit* source = impl_->parse(from);
  ut_unit* target = impl_->parse(to);
  if (source == nullptr || target == nullptr) return std::nullopt;
  if (impl_->equal(source, target)) return UnitConversion{};
  const std::unique_ptr<cv_converter, FreeConverter> converter(ut_get_converter(source, target));
  if (!converter) return std::nullopt;
  const double at_0 = cv_convert_double(converter.get(), 0.0);
  const double at_1 = cv_convert_double(converter.get(), 1.0);
  const double at_2 = cv_convert_double(converter.get(), 2.0);
  const double scale = at_0 == 0.0 ? at_1 : at_1 - at_0;
  const double size = std::max({std::fabs(at_0), std::fabs(at_1), std::fabs(at_2)});
  if (!(std::fabs(at_2 - at_1 - (at_1 - at_0)) <= 1e-12 * size) || scale == 0.0) return std::nullopt;
  constexpr double nearly = 1e-14;
  return UnitConversion{std::fabs(scale - 1.0) < nearly ? 1.0 : scale, at_0};
}

bool UnitSystem::same(const std::string& a, const std::string& b) const {
  const auto found = conversion(a, b);
  return found && found->same();
}

bool UnitSystem::is_dimensionless(const std::string& text) const {
  const auto found = conversion(text, "1");
  return found && found->offset == 0.0;
}

bool UnitSystem::has_origin(const std::string& text) const {
  const std::string without = difference(text);
  return without != text && !same(text, without);
}

std::string UnitSystem::difference(const std::string& text) const {
  const base::MutexLock lock(udunits);
  const ut_unit* unit = impl_->parse(text);
  if (unit == nullptr) return text;
  const std::string formatted = impl_->format(unit);
  const auto origin = formatted.find('@');
  if (origin == std::string::npos) return text;
  return trimmed(formatted.substr(0, origin));
}

std::optional<std::string> UnitSystem::product(const std::string& a, const std::string& b) const {
  const base::MutexLock lock(udunits);
  return impl_->combine(a, b, false);
}

std::optional<std::string> UnitSystem::quotient(const std::string& a, const std::string& b) const {
  const base::MutexLock lock(udunits);
  return impl_->combine(a, b, true);
}

std::optional<std::string> UnitSystem::power(const std::string& a, double exponent) const {
  const base::MutexLock lock(udunits);
  const ut_unit* unit = impl_->parse(a);
  const auto ratio = ratio_of(exponent);
  if (unit == nullptr || !ratio) return std::nullopt;
  const UnitPointer root(ratio->denominator == 1 ? ut_clone(unit) : ut_root(unit, ratio->denominator));
  const UnitPointer result(root ? ut_raise(root.get(), ratio->numerator) : nullptr);
  if (!result) return std::nullopt;
  const auto factors = parse_factors(trimmed(a));
  return impl_->best_text(factors ? raised(*factors, *ratio) : std::nullopt, result.get());
}

const UnitSystem& unit_system() {
  static const UnitSystem system;
  return system;
}

}  // namespace tailrace::units
