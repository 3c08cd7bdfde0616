#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "codecs/lorenzo/chunk.hpp"
#include "codecs/lorenzo/residuals.hpp"

namespace tailrace::codecs::lorenzo {
namespace {

template <class T>
using Pattern = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

void put_header(const Header& header, std::span<std::byte> into) {
  const std::uint8_t first[8] = {
      'T',           'L',         'Z', 1, static_cast<std::uint8_t>(header.mode), header.value_bytes,
      header.planes, header.shift};
  std::memcpy(into.data(), first, 8);
  std::memcpy(into.data() + 8, &header.values, 8);
  std::memcpy(into.data() + 16, &header.row, 4);
  std::memcpy(into.data() + 20, &header.rows, 4);
  std::memcpy(into.data() + 24, &header.step, 8);
  std::memcpy(into.data() + 32, &header.exceptions, 8);
}

// Values that are stored as they are: a bit for each value, and the values.
struct Exceptions {
  std::vector<std::uint8_t> bits;  // empty: none
  std::vector<std::byte> values;
  std::uint64_t count = 0;

  void add(std::size_t at, std::size_t all, const void* value, std::size_t bytes) {
    if (bits.empty()) bits.resize((all + 7) / 8);
    bits[at / 8] = static_cast<std::uint8_t>(bits[at / 8] | 1U << at % 8);
    const auto* const from = static_cast<const std::byte*>(value);
    values.insert(values.end(), from, from + bytes);
    ++count;
  }
};

// The residuals of numbers, which the prediction misses, row by row.
template <class U>
class Residuals {
 public:
  Residuals(std::size_t count, std::uint32_t row, std::uint32_t rows)
      : row_(row), rows_(rows), above_(row), numbers_(count) {}

  // The row that begins at `first`; returns its numbers, to be written before the next call of predict().
  void predict(std::size_t first, const std::vector<U>& numbers, std::size_t length) {
    const bool has_above = first / row_ % rows_ != 0;
    U* const out = numbers_.data() + first;
    const U* const now = numbers.data();
    const U* const up = above_.data();
    U any = 0;
    if (has_above) {
      any |= out[0] = zigzag<U>(static_cast<U>(now[0] - up[0]));
      for (std::size_t i = 1; i < length; ++i) {
        const U residual =
            static_cast<U>(static_cast<U>(now[i] - now[i - 1]) - static_cast<U>(up[i] - up[i - 1]));
        out[i] = zigzag<U>(residual);
        any |= out[i];
      }
    } else {
      any |= out[0] = zigzag<U>(now[0]);
      for (std::size_t i = 1; i < length; ++i) {
        out[i] = zigzag<U>(static_cast<U>(now[i] - now[i - 1]));
        any |= out[i];
      }
    }
    any_ |= any;
    std::copy_n(now, length, above_.data());
  }

  // The bytes of equal significance side by side, as many of each number as are not zero in all.
  std::vector<std::byte> planes(std::uint8_t& count) const {
    count = static_cast<std::uint8_t>((std::bit_width(any_) + 7) / 8);
    std::vector<std::byte> bytes(numbers_.size() * count);
    for (unsigned plane = 0; plane < count; ++plane) {
      std::byte* const out = bytes.data() + plane * numbers_.size();
      const unsigned shift = 8 * plane;
      for (std::size_t i = 0; i < numbers_.size(); ++i)
        out[i] = static_cast<std::byte>(static_cast<std::uint8_t>(numbers_[i] >> shift));
    }
    return bytes;
  }

 private:
  std::uint32_t row_, rows_;
  std::vector<U> above_, numbers_;
  U any_ = 0;
};

// Calls visit(first, length) for each row.
template <class Visit>
bool for_each_row(std::size_t count, std::uint32_t row, const Visit& visit) {
  for (std::size_t first = 0; first < count; first += row)
    if (!visit(first, std::min<std::size_t>(row, count - first))) return false;
  return true;
}

std::vector<std::byte> packed(Header header, std::vector<std::byte> payload, const Exceptions& exceptions,
                              int level) {
  header.exceptions = exceptions.count;
  const auto* const bits = reinterpret_cast<const std::byte*>(exceptions.bits.data());
  payload.insert(payload.end(), bits, bits + exceptions.bits.size());
  payload.insert(payload.end(), exceptions.values.begin(), exceptions.values.end());
  std::vector<std::byte> encoded(header_bytes + ZSTD_compressBound(payload.size()));
  put_header(header, encoded);
  const std::size_t size = ZSTD_compress(encoded.data() + header_bytes, encoded.size() - header_bytes,
                                         payload.data(), payload.size(), level);
  if (ZSTD_isError(size) != 0) throw std::runtime_error(ZSTD_getErrorName(size));
  encoded.resize(header_bytes + size);
  return encoded;
}

// Beyond this share of exceptions, patterns take fewer bytes.
bool are_too_many(std::uint64_t exceptions, std::size_t values) { return exceptions > values / 2; }

// Nothing if too many values are no multiples.
template <class T>
std::optional<std::vector<std::byte>> encode_steps(const Input& input, Header header) {
  const T* const values = reinterpret_cast<const T*>(input.values.data());
  const std::size_t count = header.values;
  header.mode = Mode::steps;
  header.step = input.step;
  const double step = input.step, inverse = 1.0 / step;
  Residuals<std::uint32_t> residuals(count, header.row, header.rows);
  std::vector<std::uint32_t> multiples(header.row);
  Exceptions exceptions;
  const auto is_multiple = [step](T value, double multiple) {
    using P = Pattern<T>;
    const bool is_same = std::bit_cast<P>(static_cast<T>(multiple * step)) == std::bit_cast<P>(value);
    return is_same & (std::abs(multiple) < largest_multiple);
  };
  const bool done = for_each_row(count, header.row, [&](std::size_t first, std::size_t length) {
    const T* const row = values + first;
    std::uint32_t other = 0;
    for (std::size_t i = 0; i < length; ++i) {
      const double sum = static_cast<double>(row[i]) * inverse + magic;
      multiples[i] = static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(sum));
      other |= is_multiple(row[i], sum - magic) ? 0U : 1U;
    }
    for (std::size_t i = 0; other != 0 && i < length; ++i) {
      if (is_multiple(row[i], nearest_multiple(static_cast<double>(row[i]), inverse))) continue;
      exceptions.add(first + i, count, row + i, sizeof(T));
      multiples[i] = i > 0 ? multiples[i - 1] : 0;
    }
    residuals.predict(first, multiples, length);
    return !are_too_many(exceptions.count, count);
  });
  if (!done) return std::nullopt;
  auto payload = residuals.planes(header.planes);
  return packed(header, std::move(payload), exceptions, input.level);
}

// The bits at the end of the patterns that are zero in all values but the special ones.
template <class T>
int common_shift(const T* values, std::size_t count, T fill) {
  using Limits = std::numeric_limits<T>;
  Pattern<T> used = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const T size = std::abs(values[i]);
    const bool is_usual = (size >= Limits::min()) & (size <= Limits::max()) & (values[i] != fill);
    used |= is_usual ? std::bit_cast<Pattern<T>>(values[i]) : Pattern<T>{0};
  }
  constexpr int most = Limits::digits - 1;
  return used == 0 ? most : std::min(std::countr_zero(used), most);
}

template <class T>
std::vector<std::byte> encode_patterns(const Input& input, Header header) {
  using P = Pattern<T>;
  const T* const values = reinterpret_cast<const T*>(input.values.data());
  const std::size_t count = header.values;
  const T fill = input.fill ? static_cast<T>(*input.fill) : std::numeric_limits<T>::quiet_NaN();
  header.mode = Mode::patterns;
  int shift = common_shift(values, count, fill);
  const auto encode_with = [&](Exceptions& exceptions, Residuals<P>& residuals) {
    const P low = static_cast<P>((P{1} << shift) - 1);
    std::vector<P> numbers(header.row);
    return for_each_row(count, header.row, [&](std::size_t first, std::size_t length) {
      const T* const row = values + first;
      P other = 0;
      for (std::size_t i = 0; i < length; ++i) {
        const P pattern = std::bit_cast<P>(row[i]);
        other |= pattern & low;
        numbers[i] = arithmetic_shift<P>(ordered<P>(pattern), shift);
      }
      for (std::size_t i = 0; other != 0 && i < length; ++i) {
        if ((std::bit_cast<P>(row[i]) & low) == 0) continue;
        exceptions.add(first + i, count, row + i, sizeof(T));
        numbers[i] = i > 0 ? numbers[i - 1] : 0;
      }
      residuals.predict(first, numbers, length);
      return !are_too_many(exceptions.count, count);
    });
  };
  Exceptions exceptions;
  Residuals<P> residuals(count, header.row, header.rows);
  if (!encode_with(exceptions, residuals)) {
    shift = 0;  // no pattern has a bit below
    exceptions = {};
    residuals = Residuals<P>(count, header.row, header.rows);
    encode_with(exceptions, residuals);
  }
  header.shift = static_cast<std::uint8_t>(shift);
  auto payload = residuals.planes(header.planes);
  return packed(header, std::move(payload), exceptions, input.level);
}

template <class U>
std::vector<std::byte> encode_integers(const Input& input, Header header) {
  const std::size_t count = header.values;
  header.mode = Mode::integers;
  Residuals<U> residuals(count, header.row, header.rows);
  std::vector<U> numbers(header.row);
  for_each_row(count, header.row, [&](std::size_t first, std::size_t length) {
    std::memcpy(numbers.data(), input.values.data() + first * sizeof(U), length * sizeof(U));
    residuals.predict(first, numbers, length);
    return true;
  });
  auto payload = residuals.planes(header.planes);
  return packed(header, std::move(payload), {}, input.level);
}

template <class T>
std::vector<std::byte> encode_real(const Input& input, const Header& header) {
  if (input.step > 0.0 && std::isfinite(input.step))
    if (auto encoded = encode_steps<T>(input, header)) return std::move(*encoded);
  return encode_patterns<T>(input, header);
}

std::vector<std::byte> encode_as(const Input& input, const Header& header) {
  if (input.is_real && input.value_bytes == 4) return encode_real<float>(input, header);
  if (input.is_real && input.value_bytes == 8) return encode_real<double>(input, header);
  switch (input.value_bytes) {
    case 1: return encode_integers<std::uint8_t>(input, header);
    case 2: return encode_integers<std::uint16_t>(input, header);
    case 4: return encode_integers<std::uint32_t>(input, header);
    default: return encode_integers<std::uint64_t>(input, header);
  }
}

}  // namespace

std::vector<std::byte> raw_header(std::size_t bytes, std::size_t value_bytes) {
  std::vector<std::byte> header(header_bytes);
  put_header({.value_bytes = static_cast<std::uint8_t>(value_bytes), .values = bytes / value_bytes}, header);
  return header;
}

std::vector<std::byte> encode(const Input& input) {
  if (!input.values.empty()) {
    const Header header{.value_bytes = static_cast<std::uint8_t>(input.value_bytes),
                        .values = input.values.size() / input.value_bytes,
                        .row = std::max<std::uint32_t>(1, input.row),
                        .rows = std::max<std::uint32_t>(1, input.rows)};
    std::vector<std::byte> encoded = encode_as(input, header);
    if (encoded.size() < header_bytes + input.values.size()) return encoded;
  }
  std::vector<std::byte> raw = raw_header(input.values.size(), input.value_bytes);
  raw.insert(raw.end(), input.values.begin(), input.values.end());
  return raw;
}

}  // namespace tailrace::codecs::lorenzo
