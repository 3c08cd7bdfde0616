// Parses scalars of each type. None if the text has another form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tailrace::config {

std::optional<bool> parse_flag(std::string_view text);             // true | false
std::optional<std::int64_t> parse_integer(std::string_view text);  // -12
std::optional<double> parse_real(std::string_view text);           // 1, 0.5, 1e-3; never nan or inf
std::optional<std::size_t> parse_size(std::string_view text);      // 256 MiB, 1.5 GB: bytes

}  // namespace tailrace::config
