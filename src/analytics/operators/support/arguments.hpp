// Reads the arguments, dimensions and parameters of a call. All functions throw CallProblem for invalid ones.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "analytics/operator.hpp"

namespace tailrace::analytics::operators {

void expect_arguments(const Call& call, std::size_t least, std::size_t most);
// Allows only these parameters and coordinates ("DIM.coordinates").
void expect_parameters(const Call& call, std::initializer_list<std::string_view> known);
void expect_no_dims(const Call& call);

// The index of `dim` in the first argument; a problem is reported for `parameter`.
std::size_t place_of(const Call& call, const std::string& dim, const std::string& parameter = "");
// The indices of call.dims in the first argument, in the order of the call; they must differ.
std::vector<std::size_t> dim_places(const Call& call);
// For each dimension of the first argument, whether call.dims names it; all true if it names none.
std::vector<bool> consumed_dims(const Call& call);
// Exactly one dimension must be named.
std::size_t only_dim(const Call& call);

double number(const Call& call, const std::string& name, double fallback);
double required_number(const Call& call, const std::string& name);
std::int64_t whole_number(const Call& call, const std::string& name, std::int64_t fallback);
bool flag(const Call& call, const std::string& name);  // 0 or 1; 0 if absent
// A single number is a list of one; empty if absent. NaN and infinities are errors.
std::vector<double> numbers(const Call& call, const std::string& name);
bool is_list(const Call& call, const std::string& name);
std::string word(const Call& call, const std::string& name, std::string_view fallback,
                 std::initializer_list<std::string_view> choices);  // the fallback may be any choice
std::string text(const Call& call, const std::string& name, const std::string& fallback);
std::int64_t to_whole(double value, const std::string& parameter);

// The coordinate of `dim`, which must be given and have its length.
std::vector<double> coordinates(const Call& call, const std::string& dim);

void add_dim(Shape& shape, const std::string& name, std::int64_t extent);  // appends a whole dimension
// The dimension with `extent` selected or combined cells: whole, and called DIM_n unless it keeps all cells.
Dim shortened(const Dim& dim, std::int64_t extent);
// The first argument's shape without the marked dimensions.
Shape without(const Call& call, const std::vector<bool>& removed);

std::optional<std::string> dimensionless();
// Units of derived values; none if they are unknown.
std::optional<std::string> product_units(const std::optional<std::string>& a,
                                         const std::optional<std::string>& b);
std::optional<std::string> power_units(const std::optional<std::string>& a, double exponent);
std::optional<std::string> difference_units(const std::optional<std::string>& a);

}  // namespace tailrace::analytics::operators
