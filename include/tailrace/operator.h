/* User-defined operators: functions in a shared library that expressions call like built-in ones.
 *
 *   operators:
 *     wind_speed: {library: ./libwind.so, arguments: 2, result: {dims: same, units: m s-1}}
 *
 * In C an operator is a function of the type tailrace_operator. In C++ it is a function that throws on
 * errors,
 *
 *   void wind_speed(std::span<const tailrace::OperatorInput> in, tailrace::OperatorOutput out) {
 *     for (std::size_t i = 0; i < out.values().size(); ++i)
 *       out.values()[i] = std::hypot(in[0].values()[i], in[1].values()[i]);
 *   }
 *   TAILRACE_OPERATOR(wind_speed)
 *
 * Only this header is needed: such a library does not link Tailrace. Every rank loads it, and only servers
 * call it.
 *
 * An operator that remembers earlier steps declares what it keeps,
 *
 *   operators:
 *     peak: {library: ./libpeak.so, state: {highest: {dims: same}}, result: {dims: same, units: same}}
 *
 * and gets it at each step, to be read and changed. In C it is a function of the type
 * tailrace_operator_with_state with the name NAME_with_state, in C++ a function with one argument more:
 *
 *   void peak(std::span<const tailrace::OperatorInput> in, tailrace::OperatorState state,
 *             tailrace::OperatorOutput out) {
 *     const auto highest = state["highest"].values();
 *     for (std::size_t i = 0; i < highest.size(); ++i)
 *       out.values()[i] = highest[i] = std::fmax(highest[i], in[0].values()[i]);
 *   }
 *   TAILRACE_OPERATOR_WITH_STATE(peak)
 *
 * Conventions
 * - All numbers are float64, dense, C order, dimensions slowest first. Missing values are NaN.
 * - Inputs have the units of the fields; those of the output are declared in the configuration.
 * - A call gets blocks: along the dimensions that `needs_whole` names in the configuration all cells, along
 *   the others any part of them, possibly that of one model rank. It is not called for empty blocks.
 * - The output has the extents that follow from the declaration; the function must set all of its values.
 * - The function must not keep pointers after it returns, and must not change its inputs.
 * - Between steps it keeps its state and nothing else: a call may get any block, on any server. If it fails,
 *   the state is as it was before the call.
 * - There is one call of an operator at a time, from any thread, unless the configuration sets `thread_safe:
 *   true`.
 */
#ifndef TAILRACE_OPERATOR_H
#define TAILRACE_OPERATOR_H

#include <stddef.h>
#include <stdint.h>

#include "tailrace/export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TAILRACE_OPERATOR_MAX_RANK = 8 };

typedef struct tailrace_array {
  double* data;                                 /* inputs: read-only */
  int64_t rank;                                 /* 0: one number */
  int64_t count[TAILRACE_OPERATOR_MAX_RANK];    /* extents of this block */
  int64_t offset[TAILRACE_OPERATOR_MAX_RANK];   /* global index of its first cell; -1: cells that are not
                                                   consecutive (indexed grids) */
  int64_t shape[TAILRACE_OPERATOR_MAX_RANK];    /* global extents */
  const char* dims[TAILRACE_OPERATOR_MAX_RANK]; /* names */
} tailrace_array;

/* Computes `output` from `count` inputs. Returns 0 on success. Otherwise it writes the reason to `error`,
 * which has `size` bytes, as text with its terminating zero; the diagnostic is then missing at this step, and
 * the file's `on_error` decides whether the model gets the error. Called on a thread of a server, whose work
 * it blocks. */
typedef int (*tailrace_operator)(const tailrace_array* inputs, int count, tailrace_array* output, char* error,
                                 size_t size);

/* An array that an operator keeps between steps, for the block of the call. At the first step all values are
 * the `start` of the configuration, by default NaN. */
typedef struct tailrace_state {
  const char* name;
  tailrace_array array; /* to be read and written */
} tailrace_state;

/* As tailrace_operator, with `states` arrays of state in the order of the configuration. */
typedef int (*tailrace_operator_with_state)(const tailrace_array* inputs, int count, tailrace_state* state,
                                            int states, tailrace_array* output, char* error, size_t size);

#ifdef __cplusplus
}

#include <cstdio>
#include <exception>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace {

/* An array of the call, in C++; it is valid during the call. */
template <class Number>
class OperatorArray {
 public:
  explicit OperatorArray(const tailrace_array& array) : array_(&array) {}

  std::size_t rank() const { return static_cast<std::size_t>(array_->rank); }
  std::span<const int64_t> count() const { return {array_->count, rank()}; }
  /* The global index of the first cell; -1: cells that are not consecutive. */
  std::span<const int64_t> offset() const { return {array_->offset, rank()}; }
  std::span<const int64_t> shape() const { return {array_->shape, rank()}; }
  std::string_view dim(std::size_t dimension) const { return array_->dims[dimension]; }
  std::span<Number> values() const {
    std::size_t size = 1;
    for (const int64_t extent : count()) size *= static_cast<std::size_t>(extent);
    return {array_->data, size};
  }

 private:
  const tailrace_array* array_;
};
using OperatorInput = OperatorArray<const double>;
using OperatorOutput = OperatorArray<double>;

/* The arrays that the operator keeps, by name; they are valid during the call. */
class OperatorState {
 public:
  OperatorState(const tailrace_state* state, int states) : arrays_(state, static_cast<std::size_t>(states)) {}

  /* Throws std::invalid_argument if the configuration declares no array of this name. */
  OperatorOutput operator[](std::string_view name) const {
    std::string known;
    for (const tailrace_state& each : arrays_) {
      if (each.name == name) return OperatorOutput(each.array);
      known += (known.empty() ? "" : ", ") + std::string(each.name);
    }
    throw std::invalid_argument("the configuration declares no state \"" + std::string(name) +
                                "\" (known: " + known + ")");
  }

 private:
  std::span<const tailrace_state> arrays_;
};

/* Calls `function`, and turns an exception into the text of the failure and the return value 1. */
template <class Function>
int call_operator(const Function& function, const tailrace_array* inputs, int count, char* error,
                  std::size_t size) noexcept {
  try {
    const std::span<const tailrace_array> given(inputs, static_cast<std::size_t>(count));
    const std::vector<OperatorInput> arguments(given.begin(), given.end());
    function(std::span<const OperatorInput>(arguments));
    return 0;
  } catch (const std::exception& thrown) {
    std::snprintf(error, size, "%s", thrown.what());
  } catch (...) {
    std::snprintf(error, size, "it threw something that is not a std::exception");
  }
  return 1;
}

}  // namespace tailrace

#define TAILRACE_OPERATOR(name)                                                                        \
  extern "C" TAILRACE_EXPORT int name(const tailrace_array* inputs, int count, tailrace_array* output, \
                                      char* error, std::size_t size) {                                 \
    using Function = void (*)(std::span<const tailrace::OperatorInput>, tailrace::OperatorOutput);     \
    const auto call = [&](std::span<const tailrace::OperatorInput> arguments) {                        \
      static_cast<Function>(name)(arguments, tailrace::OperatorOutput(*output));                       \
    };                                                                                                 \
    return tailrace::call_operator(call, inputs, count, error, size);                                  \
  }

#define TAILRACE_OPERATOR_WITH_STATE(name)                                                                  \
  extern "C" TAILRACE_EXPORT int name##_with_state(const tailrace_array* inputs, int count,                 \
                                                   tailrace_state* state, int states,                       \
                                                   tailrace_array* output, char* error, std::size_t size) { \
    using Function = void (*)(std::span<const tailrace::OperatorInput>, tailrace::OperatorState,            \
                              tailrace::OperatorOutput);                                                    \
    const auto call = [&](std::span<const tailrace::OperatorInput> arguments) {                             \
      static_cast<Function>(name)(arguments, tailrace::OperatorState(state, states),                        \
                                  tailrace::OperatorOutput(*output));                                       \
    };                                                                                                      \
    return tailrace::call_operator(call, inputs, count, error, size);                                       \
  }
#endif

#endif
