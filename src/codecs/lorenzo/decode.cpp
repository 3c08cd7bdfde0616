#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "codecs/lorenzo/chunk.hpp"
#include "codecs/lorenzo/residuals.hpp"

namespace tailrace::codecs::lorenzo {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 32;  // of a chunk, as HDF5 allows

std::uint64_t residual_bytes(const Header& header) {
  return header.mode == Mode::steps ? 4 : header.value_bytes;
}

std::uint64_t payload_bytes(const Header& header) {
  const std::uint64_t bits = header.exceptions > 0 ? (header.values + 7) / 8 : 0;
  return header.values * header.planes + bits + header.exceptions * header.value_bytes;
}

bool is_possible(const Header& header) {
  const std::uint8_t size = header.value_bytes;
  if (size != 1 && size != 2 && size != 4 && size != 8) return false;
  if (header.values > most_bytes / size || header.exceptions > header.values) return false;
  if (header.mode == Mode::raw) return true;
  if (header.mode > Mode::integers || header.row < 1 || header.rows < 1 || header.values == 0) return false;
  if (header.planes > residual_bytes(header)) return false;
  if (header.mode == Mode::integers) return header.exceptions == 0;
  return size >= 4 && header.shift < (size == 4 ? 24 : 53) &&
         (header.mode == Mode::patterns || std::isfinite(header.step));
}

// The numbers behind the residuals, row by row.
template <class U, class Use>
void restore(const Header& header, const std::byte* planes, const Use& use) {
  const std::size_t count = header.values;
  const std::size_t most = std::min<std::size_t>(header.row, count);
  std::vector<U> numbers(most), above(most);
  for (std::size_t first = 0; first < count; first += header.row) {
    const std::size_t length = std::min<std::size_t>(header.row, count - first);
    std::fill_n(numbers.begin(), length, U{0});
    for (unsigned plane = 0; plane < header.planes; ++plane) {
      const auto* const from = reinterpret_cast<const std::uint8_t*>(planes) + plane * count + first;
      const unsigned shift = 8 * plane;
      for (std::size_t i = 0; i < length; ++i)
        numbers[i] = static_cast<U>(numbers[i] | static_cast<U>(static_cast<U>(from[i]) << shift));
    }
    U left = 0;  // the sum of what was missed so far is the difference to the row above
    for (std::size_t i = 0; i < length; ++i) {
      left = static_cast<U>(left + unzigzag<U>(numbers[i]));
      numbers[i] = left;
    }
    if (first / header.row % header.rows != 0)
      for (std::size_t i = 0; i < length; ++i) numbers[i] = static_cast<U>(numbers[i] + above[i]);
    use(first, numbers.data(), length);
    std::swap(numbers, above);
  }
}

template <class T>
void decode_steps(const Header& header, const std::byte* planes, std::byte* values) {
  T* const out = reinterpret_cast<T*>(values);
  restore<std::uint32_t>(
      header, planes, [&](std::size_t first, const std::uint32_t* multiples, std::size_t length) {
        for (std::size_t i = 0; i < length; ++i)
          out[first + i] =
              static_cast<T>(static_cast<double>(static_cast<std::int32_t>(multiples[i])) * header.step);
      });
}

template <class P>
void decode_patterns(const Header& header, const std::byte* planes, std::byte* values) {
  P* const out = reinterpret_cast<P*>(values);
  const int shift = header.shift;
  const P low = static_cast<P>((P{1} << shift) - 1);
  restore<P>(header, planes, [&](std::size_t first, const P* numbers, std::size_t length) {
    for (std::size_t i = 0; i < length; ++i) {
      const P sign = arithmetic_shift<P>(numbers[i], 8 * static_cast<int>(sizeof(P)) - 1);
      // The bits that were shifted out are zero in a pattern, and so ones in the ordered form of a negative
      // one.
      out[first + i] = ordered<P>(static_cast<P>(static_cast<P>(numbers[i] << shift) | (sign & low)));
    }
  });
}

template <class U>
void decode_integers(const Header& header, const std::byte* planes, std::byte* values) {
  restore<U>(header, planes, [&](std::size_t first, const U* numbers, std::size_t length) {
    std::memcpy(values + first * sizeof(U), numbers, length * sizeof(U));
  });
}

void decode_numbers(const Header& header, const std::byte* planes, std::byte* values) {
  const bool is_small = header.value_bytes == 4;
  if (header.mode == Mode::steps)
    return is_small ? decode_steps<float>(header, planes, values)
                    : decode_steps<double>(header, planes, values);
  if (header.mode == Mode::patterns)
    return is_small ? decode_patterns<std::uint32_t>(header, planes, values)
                    : decode_patterns<std::uint64_t>(header, planes, values);
  switch (header.value_bytes) {
    case 1: return decode_integers<std::uint8_t>(header, planes, values);
    case 2: return decode_integers<std::uint16_t>(header, planes, values);
    case 4: return decode_integers<std::uint32_t>(header, planes, values);
    default: return decode_integers<std::uint64_t>(header, planes, values);
  }
}

// False if the marks are not as many as the values behind them.
bool put_exceptions(const Header& header, const std::byte* marks, std::byte* values) {
  const std::size_t count = header.values, bytes = header.value_bytes;
  const std::byte* from = marks + (count + 7) / 8;
  std::uint64_t put = 0;
  for (std::size_t first = 0; first < count; first += 8) {
    const auto eight = std::to_integer<unsigned>(marks[first / 8]);
    for (unsigned rest = eight; rest != 0; rest &= rest - 1) {
      const std::size_t at = first + static_cast<std::size_t>(std::countr_zero(rest));
      if (at >= count || put == header.exceptions) return false;
      std::memcpy(values + at * bytes, from + put * bytes, bytes);
      ++put;
    }
  }
  return put == header.exceptions;
}

}  // namespace

std::optional<Header> read_header(std::span<const std::byte> encoded) {
  if (encoded.size() < header_bytes || std::memcmp(encoded.data(), "TLZ\1", 4) != 0) return std::nullopt;
  Header header;
  const auto byte = [&](std::size_t at) { return std::to_integer<std::uint8_t>(encoded[at]); };
  header.mode = static_cast<Mode>(byte(4));
  header.value_bytes = byte(5);
  header.planes = byte(6);
  header.shift = byte(7);
  std::memcpy(&header.values, encoded.data() + 8, 8);
  std::memcpy(&header.row, encoded.data() + 16, 4);
  std::memcpy(&header.rows, encoded.data() + 20, 4);
  std::memcpy(&header.step, encoded.data() + 24, 8);
  std::memcpy(&header.exceptions, encoded.data() + 32, 8);
  return is_possible(header) ? std::optional(header) : std::nullopt;
}

std::optional<std::string> decode(const Header& header, std::span<const std::byte> encoded,
                                  std::span<std::byte> values) {
  const std::span<const std::byte> body = encoded.subspan(header_bytes);
  if (values.size() != header.bytes()) return "has another number of values";
  if (header.mode == Mode::raw) {
    if (body.size() != values.size()) return "has another length than its header says";
    std::copy(body.begin(), body.end(), values.begin());
    return std::nullopt;
  }
  const std::uint64_t size = payload_bytes(header);
  // Before memory is taken for what a damaged header promises.
  if (ZSTD_getFrameContentSize(body.data(), body.size()) != size)
    return "has another length than its header says";
  std::vector<std::byte> payload(size);
  const std::size_t written = ZSTD_decompress(payload.data(), payload.size(), body.data(), body.size());
  if (ZSTD_isError(written) != 0)
    return std::string("is no frame of Zstandard: ") + ZSTD_getErrorName(written);
  if (written != size) return "is shorter than its header says";
  decode_numbers(header, payload.data(), values.data());
  if (header.exceptions > 0 &&
      !put_exceptions(header, payload.data() + header.values * header.planes, values.data()))
    return "marks more or fewer values than it has";
  return std::nullopt;
}

}  // namespace tailrace::codecs::lorenzo
