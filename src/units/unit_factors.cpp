#include "units/unit_factors.hpp"

#include <algorithm>
#include <cctype>

namespace tailrace::units {

namespace {

constexpr int highest_exponent = 99;

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '%'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  std::optional<UnitFactors> read() {
    UnitFactors factors;
    int sense = 1;
    skip_blanks();
    while (!rest_.empty()) {
      auto factor = read_factor();
      if (!factor) return std::nullopt;
      if (!factor->symbol.empty()) factors = product(std::move(factors), {*factor}, sense);
      const bool blank = skip_blanks();
      if (rest_.empty()) return factors;
      sense = take('/') ? -1 : 1;
      if (sense == 1 && !take('.') && !take('*') && !blank) return std::nullopt;
      skip_blanks();
      if (rest_.empty()) return std::nullopt;
    }
    return factors;
  }

 private:
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool skip_blanks() {
    bool any = false;
    while (take(' ')) any = true;
    return any;
  }

  // A factor without a symbol is the number 1.
  std::optional<UnitFactor> read_factor() {
    if (rest_.front() == '1' && (rest_.size() == 1 || !is_digit(rest_[1]))) {
      rest_.remove_prefix(1);
      return UnitFactor{};
    }
    const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
    UnitFactor factor{std::string(rest_.begin(), end), 1};
    if (factor.symbol.empty() || factor.symbol == "since" || factor.symbol == "from") return std::nullopt;
    rest_.remove_prefix(factor.symbol.size());
    const bool raised = take('^') || (rest_.starts_with("**") && take('*') && take('*'));
    const bool negative = take('-');
    if (!negative) take('+');
    if (rest_.empty() || !is_digit(rest_.front()))
      return raised || negative ? std::nullopt : std::optional(factor);
    factor.exponent = 0;
    while (!rest_.empty() && is_digit(rest_.front()) && factor.exponent <= highest_exponent) {
      factor.exponent = factor.exponent * 10 + (rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (factor.exponent > highest_exponent) return std::nullopt;
    if (negative) factor.exponent = -factor.exponent;
    return factor;
  }

  std::string_view rest_;
};

}  // namespace

std::optional<UnitFactors> parse_factors(std::string_view text) { return Reader(text).read(); }

std::string text_of(const UnitFactors& factors) {
  std::string text;
  for (const UnitFactor& factor : factors) {
    if (factor.exponent == 0) continue;
    text += (text.empty() ? "" : " ") + factor.symbol;
    if (factor.exponent != 1) text += std::to_string(factor.exponent);
  }
  return text.empty() ? "1" : text;
}

UnitFactors product(UnitFactors a, const UnitFactors& b, int exponent_of_b) {
  for (const UnitFactor& factor : b) {
    const auto known = std::find_if(a.begin(), a.end(),
                                    [&](const UnitFactor& other) { return other.symbol == factor.symbol; });
    if (known != a.end())
      known->exponent += factor.exponent * exponent_of_b;
    else
      a.push_back({factor.symbol, factor.exponent * exponent_of_b});
  }
  std::erase_if(a, [](const UnitFactor& factor) { return factor.exponent == 0; });
  return a;
}

}  // namespace tailrace::units
