// Sums that have the same bits whatever the order and grouping of what is added: binned summation after
// Ahrens, Demmel and Nguyen (2020), Algorithms for efficient reproducible floating point summation, ACM
// Trans. Math. Softw. 46 (3), 22.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace tailrace::analytics {

// `size` independent sums. NaN and infinities give what IEEE addition gives: NaN, or the infinity.
class ExactSums {
 public:
  explicit ExactSums(std::size_t size);
  ~ExactSums();
  ExactSums(ExactSums&&) noexcept;
  ExactSums& operator=(ExactSums&&) noexcept;

  std::size_t size() const;
  void add(std::size_t sum, std::span<const double> values);         // all into one sum
  void add_each(std::size_t first, std::span<const double> values);  // values[i] into sum first + i
  void merge(std::span<const std::byte> bytes);  // what another's to_bytes gave, sum by sum
  // `count` sums of another, those from `from` on, into as many here, from `first` on.
  void merge(const ExactSums& other, std::size_t from, std::size_t first, std::size_t count);
  std::vector<std::byte> to_bytes() const;
  void results(std::span<double> sums) const;  // each rounded once
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tailrace::analytics
