#include "dialects/monc/values.hpp"

#include <fmt/format.h>

#include "base/decimal_text.hpp"
#include "config/placeholders.hpp"
#include "config/scalars.hpp"
#include "dialects/monc/numbers.hpp"

namespace tailrace::dialects::monc {

std::string Values::text(const Word& word) const {
  if (!is_option(word.text)) {
    if (!config::placeholders_in(word.text).empty())
      warnings_.add(word.location,
                    "MONC replaces {options} only where they are the whole value; here they are "
                    "replaced everywhere");
    return word.text;
  }
  if (options_.values == nullptr) return word.text;
  const auto known = options_.values->find(word.text.substr(1, word.text.size() - 2));
  return known == options_.values->end() ? word.text : known->second;
}

std::optional<std::int64_t> Values::steps(const Word& frequency) const {
  return config::parse_integer(text(frequency));
}

std::string Values::period_in_steps(const Word& frequency) const {
  const auto number = steps(frequency);
  if (number && *number == 0) return "never";
  return text(frequency) + (number && *number == 1 ? " step" : " steps");
}

std::optional<double> Values::seconds(const Word& word) const {
  if (options_.legacy && !is_option(word.text)) return real_as_monc_reads(word.text);
  return config::parse_real(text(word));
}

std::string Values::period_in_seconds(const Word& word) const {
  if (is_option(word.text)) return text(word) + " s";
  if (monc_misreads(word.text))
    warnings_.add(word.location,
                  fmt::format("MONC reads the number {} as {}, since it has no decimal point; {}", word.text,
                              static_cast<float>(real_as_monc_reads(word.text)),
                              legacy() ? "so does `legacy: monc`" : "here it is read as written"));
  return (legacy() ? exact_text(real_as_monc_reads(word.text)) : word.text) + " s";
}

bool Values::is_zero(const Word& word) const {
  const auto number = seconds(word);
  return number && *number == 0.0;
}

std::string Values::seconds_in_names(const Word& word) const {
  const auto number = seconds(word);
  return number ? base::decimal_text(*number) : text(word);
}

}  // namespace tailrace::dialects::monc
