#include "analytics/exact_sum/exact_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "analytics/exact_sum/state.hpp"
#include "base/error.hpp"

namespace tailrace::analytics::exact_sum {

namespace {

constexpr std::size_t few = 12;  // up to so many values a scalar loop is faster

}  // namespace

ExactSums::ExactSums(std::size_t size, simd::Level level) : state_(std::make_unique<State>(size, level)) {}
ExactSums::~ExactSums() = default;
ExactSums::ExactSums(ExactSums&&) noexcept = default;
ExactSums& ExactSums::operator=(ExactSums&&) noexcept = default;

std::size_t ExactSums::size() const { return state_->size; }

void ExactSums::add(std::size_t sum, std::span<const double> values) {
  if (values.size() <= few) return state_->add_few(sum, values);
  while (!values.empty()) {
    const std::size_t count = std::min(values.size(), longest_block);
    state_->add_block(sum, values.first(count));
    values = values.subspan(count);
  }
}

void ExactSums::add_each(std::size_t first, std::span<const double> values) {
  while (!values.empty()) {
    const std::size_t group = first / State::group_size;
    const std::size_t count = std::min(values.size(), (group + 1) * State::group_size - first);
    state_->add_group(group, first, values.first(count));
    values = values.subspan(count);
    first += count;
  }
}

void ExactSums::merge(std::span<const std::byte> bytes) {
  if (bytes.size() != size() * sizeof(Packed))
    throw Error(ErrorCode::internal, fmt::format("{} bytes are not {} sums", bytes.size(), size()));
  for (std::size_t sum = 0; sum < size(); ++sum) {
    Packed other;
    std::memcpy(&other, bytes.data() + sum * sizeof other, sizeof other);
    state_->merge(sum, other);
  }
}

void ExactSums::merge(const ExactSums& other, std::size_t from, std::size_t first, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) state_->merge(first + i, other.state_->packed(from + i));
}

std::vector<std::byte> ExactSums::to_bytes() const {
  std::vector<std::byte> bytes(size() * sizeof(Packed));
  for (std::size_t sum = 0; sum < size(); ++sum) {
    const Packed packed = state_->packed(sum);
    std::memcpy(bytes.data() + sum * sizeof packed, &packed, sizeof packed);
  }
  return bytes;
}

void ExactSums::results(std::span<double> sums) const {
  for (std::size_t sum = 0; sum < size(); ++sum) sums[sum] = state_->result(sum);
}

void ExactSums::clear() { state_->clear(); }

}  // namespace tailrace::analytics::exact_sum
