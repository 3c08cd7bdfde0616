#include "codecs/lossy/options.hpp"

#include <fmt/format.h>

#include <string_view>

#include "config/read.hpp"
#include "config/scalars.hpp"

namespace tailrace::codecs::lossy {
namespace {

using namespace config;

constexpr double largest = 1e300, least = 1e-300, most_relative = 0.5, least_relative = 1e-15;

// "1 %", "1%" or "0.01".
std::optional<double> share_of(std::string_view text) {
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  const auto number = parse_real(text);
  if (!number) return std::nullopt;
  return is_percent ? *number / 100.0 : *number;
}

std::optional<std::string> share_complaint(const std::string& text) {
  const auto share = share_of(text);
  if (share && *share >= least_relative && *share <= most_relative) return std::nullopt;
  return fmt::format("expected a share such as `1 %` or `0.01`, from 1e-13 % to 50 %, but got \"{}\"", text);
}

// A number without the name of its bound: the nearest form with it.
std::optional<std::string> bare_complaint(const std::string& text) {
  const auto number = parse_real(text);
  const bool is_number = number && *number > 0.0, is_share = text.ends_with('%') && share_of(text);
  const std::string expected =
      is_share    ? fmt::format("`{{relative: {}}}`", text)
      : is_number ? fmt::format("`{{absolute: {0}}}`, in the units of the stored values{1}", text,
                                *number <= most_relative
                                    ? fmt::format(", or `{{relative: {}}}`, as a share of each value", text)
                                    : "")
                  : std::string("bounds such as `{absolute: 0.1}` or `{relative: 1 %}`");
  return fmt::format("expected {}, but got \"{}\"", expected, text);
}

std::optional<std::string> absolute_complaint(const std::string& text) {
  const auto number = parse_real(text);
  if (number && *number >= least && *number <= largest) return std::nullopt;
  return fmt::format("expected a number above 0, but got \"{}\"{}", text,
                     number && *number == 0.0 ? "; without `keep` values are stored exactly" : "");
}

Type keep_type() {
  Type type = section({
      {.name = "absolute",
       .type = checked("a number above 0", absolute_complaint),
       .description = "The largest difference between a stored value and the one that would be stored "
                      "without `keep`, in the units of the stored values.",
       .example = "0.1"},
      {.name = "relative",
       .type = checked("a share such as `1 %` or `0.01`", share_complaint),
       .description = "The largest difference as a share of the value.",
       .example = "1 %"},
      {.name = "digits",
       .type = integer(1, 15),
       .description = "The significant decimal digits that are kept: the difference is at most half a unit "
                      "in the last of them.",
       .example = "4"},
      {.name = "bits",
       .type = integer(1, 52),
       .description = "The bits of the mantissa that are kept, behind the leading one; a float32 has 23, "
                      "a float64 52.",
       .example = "9"},
      {.name = "information",
       .type = real(0.01, 1.0),
       .description = "The share of the information in the bits that is kept (Kloewer et al. 2021); the "
                      "number of bits is found for each record of a chunk.",
       .example = "0.99"},
      {.name = "verify",
       .type = choice({"all", "sampled"}),
       .description =
           "The chunks that are decoded again after they were encoded, and compared: `all`, or one "
           "in sixteen (`sampled`). Every value is compared with its bound in either case.",
       .example = "sampled",
       .default_value = "all"},
  });
  type.complaint = bare_complaint;
  return type;
}

Keep read(const Value& value, Problems& problems) {
  Keep keep;
  const auto number = [&](const char* name) -> std::optional<double> {
    const Value* given = value.find(name);
    if (given == nullptr || given->open()) return std::nullopt;
    return given->real();
  };
  const auto whole = [&](const char* name) -> std::optional<int> {
    const Value* given = value.find(name);
    if (given == nullptr || given->open()) return std::nullopt;
    return static_cast<int>(given->integer());
  };
  keep.information = number("information");
  keep.digits = whole("digits");
  keep.bits = whole("bits");
  keep.verifies_all = text_of(value, "verify", "all") == "all";
  if (const Value* absolute = value.find("absolute"); absolute != nullptr && !absolute->open())
    keep.absolute = parse_real(absolute->text());
  if (const Value* share = value.find("relative"); share != nullptr && !share->open())
    keep.relative = share_of(share->text());
  bool has_bound = false;
  for (const char* bound : {"absolute", "relative", "digits", "bits", "information"})
    has_bound = has_bound || value.find(bound) != nullptr;
  if (!has_bound && !problems.touch(value.path()))
    problems.add(value.location(), value.path(),
                 "expected at least one of `absolute`, `relative`, `digits`, `bits` and `information`");
  return keep;
}

}  // namespace

config::Section<Keep> keep_section() {
  return {.option = {.name = "keep",
                     .type = keep_type(),
                     .description =
                         "The bounds within which lossy compression keeps each real value; several hold "
                         "together. Integers are stored exactly.",
                     .example = "{absolute: 0.1}"},
          .read = read};
}

}  // namespace tailrace::codecs::lossy
