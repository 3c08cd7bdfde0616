#include "analytics/user/operator.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "analytics/operators/support/arguments.hpp"
#include "analytics/user/crash_notice.hpp"
#include "base/error.hpp"
#include "base/thread_safety.hpp"

namespace tailrace::analytics::user {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string> names_of(const Dims& dims) {
  std::vector<std::string> names;
  for (const Dim& dim : dims) names.push_back(dim.name);
  return names;
}

std::vector<std::string> names_of(const std::vector<NamedDim>& dims) {
  std::vector<std::string> names;
  for (const NamedDim& dim : dims) names.push_back(dim.name);
  return names;
}

// The first argument that has the dimension.
const Dim* dim_of(const Call& call, const std::string& name) {
  for (const Shape& shape : call.arguments)
    if (const auto place = shape.find(name)) return &shape.dims[*place];
  return nullptr;
}

struct TypedCall {
  Call call;
  Shape result;
  std::vector<Memory> memories;
  std::vector<double> starts;  // initial values of the state arrays
};

// The names of dimensions are not copied: `dims` must outlive the result.
tailrace_array described(const Dims& dims, const model::Region& region, const double* values) {
  tailrace_array array{};
  array.data = const_cast<double*>(values);  // the interface has one struct for both directions
  array.rank = static_cast<std::int64_t>(dims.size());
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const model::Runs& runs = region.runs(d);
    array.count[d] = region.count(d);
    array.offset[d] = runs.size() == 1 ? runs.front().start : -1;
    array.shape[d] = dims[d].extent;
    array.dims[d] = dims[d].name.c_str();
  }
  return array;
}

// The region of a state array for a block: dims of the result as in `here`, others whole.
model::Region region_for(const Dims& dims, const Shape& result, const model::Region& here) {
  std::vector<model::Runs> runs;
  for (const Dim& dim : dims) {
    const auto place = result.find(dim.name);
    runs.push_back(place ? here.runs(*place) : model::Runs{{0, dim.extent}});
  }
  return model::Region(std::move(runs));
}

class Run final : public KernelRun {
 public:
  Run(TypedCall call, const Function& function, base::Mutex* one_at_a_time)
      : call_(std::move(call)), function_(function), one_at_a_time_(one_at_a_time) {}

  Array compute(std::span<const ConstArray> arguments) override {
    Array result{region_of(arguments), {}};
    // Cells that the function does not set are missing.
    result.values.assign(static_cast<std::size_t>(result.region.size()),
                         std::numeric_limits<double>::quiet_NaN());
    if (result.values.empty()) return result;
    std::vector<tailrace_array> inputs;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      inputs.push_back(
          described(call_.call.arguments[i].dims, *arguments[i].region, arguments[i].values.data()));
    tailrace_array output = described(call_.result.dims, result.region, result.values.data());
    begin(result.region);
    auto kept = kept_;  // kept_ does not change if the function fails
    std::vector<tailrace_state> state;
    for (std::size_t m = 0; m < kept.size(); ++m)
      state.push_back({call_.memories[m].name.c_str(),
                       described(call_.memories[m].dims, kept_regions_[m], kept[m].data())});
    call(inputs, state, output);
    kept_ = std::move(kept);
    return result;
  }

  std::vector<std::span<std::byte>> memories(const model::Region& result) override {
    begin(result);
    std::vector<std::span<std::byte>> all;
    for (std::vector<double>& values : kept_) all.push_back(std::as_writable_bytes(std::span(values)));
    return all;
  }

 private:
  void begin(const model::Region& result) {
    if (kept_.size() == call_.memories.size()) return;
    for (std::size_t m = 0; m < call_.memories.size(); ++m) {
      kept_regions_.push_back(region_for(call_.memories[m].dims, call_.result, result));
      kept_.emplace_back(static_cast<std::size_t>(kept_regions_.back().size()), call_.starts[m]);
    }
  }

  void call(const std::vector<tailrace_array>& inputs, std::span<tailrace_state> state,
            tailrace_array& output) {
    const CrashNotice notice(call_.call.purpose);
    if (one_at_a_time_ == nullptr) return function_.call(inputs, state, output);
    const base::MutexLock lock(*one_at_a_time_);
    function_.call(inputs, state, output);
  }

  model::Region region_of(std::span<const ConstArray> arguments) const {
    std::vector<model::Runs> runs;
    for (const Dim& dim : call_.result.dims) {
      runs.push_back({{0, dim.extent}});
      for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto place = call_.call.arguments[i].find(dim.name);
        if (!place) continue;
        runs.back() = arguments[i].region->runs(*place);
        break;
      }
    }
    return model::Region(std::move(runs));
  }

  TypedCall call_;
  const Function& function_;
  base::Mutex* one_at_a_time_;
  std::vector<model::Region> kept_regions_;
  std::vector<std::vector<double>> kept_;  // by state array
};

class UserOperator final : public Kernel {
 public:
  UserOperator(const Declaration& declaration, std::shared_ptr<const Function> function)
      : declaration_(declaration), function_(std::move(function)) {}

  OperatorDoc doc() const override {
    return {fmt::format("{}({} argument{})", declaration_.name, declaration_.arguments.size(),
                        declaration_.arguments.size() == 1 ? "" : "s"),
            fmt::format("The function \"{}\" of {}.", declaration_.function, declaration_.path),
            "one call of the function for each block", declaration_.path};
  }

  std::optional<std::size_t> only_arrays() const override { return declaration_.arguments.size(); }
  bool takes_missing() const override { return declaration_.takes_missing; }

  Shape infer(const Call& call) const override {
    const std::size_t expected = declaration_.arguments.size();
    if (call.arguments.size() != expected)
      throw CallProblem(-1, "",
                        fmt::format("{} takes {} argument{}, not {}", declaration_.name, expected,
                                    expected == 1 ? "" : "s", call.arguments.size()));
    operators::expect_parameters(call, {});
    for (std::size_t i = 0; i < call.arguments.size(); ++i) check_argument(call, i);
    for (const NamedDim& dim : declaration_.needs_whole) {
      if (dim_of(call, dim.name) != nullptr) continue;
      throw CallProblem(
          -1, "",
          fmt::format("{} needs the dimension \"{}\" whole (needs_whole), which no argument has",
                      declaration_.name, dim.name));
    }
    Shape shape;
    if (declaration_.units == "same")
      shape.units = call.arguments.front().units;
    else if (!declaration_.units.empty())
      shape.units = declaration_.units;
    shape.dims = dims_of(call, declaration_.result, "result");
    for (const KeptArray& array : declaration_.state)
      dims_of(call, array.dims, fmt::format("state \"{}\"", array.name));
    const std::vector<std::string> whole = needs_whole(call, shape.dims);
    for (Dim& dim : shape.dims)
      if (contains(whole, dim.name)) dim.split = false;
    return shape;
  }

  std::vector<std::string> needs_whole(const Call& call) const override {
    return needs_whole(call, infer(call).dims);
  }

  std::unique_ptr<KernelRun> start(const Call& call) const override {
    TypedCall typed{call, infer(call), memories(call), {}};
    for (const KeptArray& array : declaration_.state) typed.starts.push_back(array.start);
    return std::make_unique<Run>(std::move(typed), *function_,
                                 declaration_.thread_safe ? nullptr : &one_at_a_time_);
  }

  std::vector<Memory> memories(const Call& call) const override {
    std::vector<Memory> all;
    for (const KeptArray& array : declaration_.state)
      all.push_back({array.name, model::DataType::float64, dims_of(call, array.dims, "state")});
    return all;
  }

 private:
  void check_argument(const Call& call, std::size_t i) const {
    const Dims& dims = call.arguments[i].dims;
    const int number = static_cast<int>(i);
    if (dims.size() > TAILRACE_OPERATOR_MAX_RANK)
      throw CallProblem(number, "",
                        fmt::format("{} dimensions are more than the {} that a user operator can take",
                                    dims.size(), static_cast<int>(TAILRACE_OPERATOR_MAX_RANK)));
    const auto& expected = declaration_.arguments[i];
    if (!expected) return check_extents(call, i);
    const std::vector<std::string> found = names_of(dims), wanted = names_of(*expected);
    if (found != wanted)
      throw CallProblem(
          number, "",
          fmt::format(
              "argument {} of {} is declared with the dimensions ({}), but this has ({}){}", i + 1,
              declaration_.name, fmt::join(wanted, ", "), fmt::join(found, ", "),
              std::ranges::is_permutation(found, wanted)
                  ? "; the configuration lists dimensions slowest first, also for functions in Fortran"
                  : ""));
    check_extents(call, i);
  }

  static void check_extents(const Call& call, std::size_t i) {
    const int number = static_cast<int>(i);
    const Dims& dims = call.arguments[i].dims;
    for (const Dim& dim : dims) {
      const Dim& first = *dim_of(call, dim.name);
      if (first.extent != dim.extent)
        throw CallProblem(number, "",
                          fmt::format("its dimension \"{}\" has {} cells, but {} in a previous argument",
                                      dim.name, dim.extent, first.extent));
    }
  }

  // `what`: the result or state array with this declaration, for messages.
  Dims dims_of(const Call& call, const std::optional<std::vector<ResultDim>>& declared,
               const std::string& what) const {
    if (!declared) return call.arguments.front().dims;
    Dims dims;
    for (const ResultDim& wanted : *declared) {
      const Dim* given = dim_of(call, wanted.name);
      if (wanted.extent > 0 && given != nullptr && given->extent != wanted.extent)
        throw CallProblem(-1, "",
                          fmt::format("the {} of {} is declared with {} cells along \"{}\", where the "
                                      "arguments have {}",
                                      what, declaration_.name, wanted.extent, wanted.name, given->extent));
      if (wanted.extent == 0 && given == nullptr)
        throw CallProblem(-1, "",
                          fmt::format("the {} of {} is declared with the dimension \"{}\", which no "
                                      "argument has; a new one needs its extent: {{{}: 10}}",
                                      what, declaration_.name, wanted.name, wanted.name));
      dims.push_back(given != nullptr ? *given
                                      : Dim{.name = wanted.name, .extent = wanted.extent, .split = false});
    }
    return dims;
  }

  // Dimensions that the result lacks are needed whole, and those that a state array lacks, since it would
  // otherwise differ between blocks.
  std::vector<std::string> needs_whole(const Call& call, const Dims& result) const {
    std::vector<std::string> names;
    std::vector<std::string> kept = names_of(result);
    for (const Memory& memory : memories(call)) {
      const std::vector<std::string> in_state = names_of(memory.dims);
      std::erase_if(kept, [&](const std::string& name) { return !contains(in_state, name); });
    }
    const std::vector<std::string> declared = names_of(declaration_.needs_whole);
    for (const Shape& shape : call.arguments)
      for (const Dim& dim : shape.dims)
        if ((declaration_.needs_all || contains(declared, dim.name) || !contains(kept, dim.name)) &&
            !contains(names, dim.name))
          names.push_back(dim.name);
    return names;
  }

  Declaration declaration_;
  std::shared_ptr<const Function> function_;
  mutable base::Mutex one_at_a_time_;
};

}  // namespace

std::shared_ptr<const Operator> make_operator(const Declaration& declaration,
                                              std::shared_ptr<const Function> function) {
  return std::make_shared<UserOperator>(declaration, std::move(function));
}

Operators make_operators(const std::vector<Declaration>& declarations, config::Problems& problems) {
  Operators operators;
  for (const Declaration& declaration : declarations) {
    try {
      auto function = declaration.python ? find_python(declaration) : load_library(declaration);
      operators.emplace(declaration.name, make_operator(declaration, std::move(function)));
    } catch (const Error& error) {
      problems.add(
          declaration.file_location,
          fmt::format("operators.{}.{}", declaration.name, declaration.python ? "python" : "library"),
          error.what());
    }
  }
  return operators;
}

}  // namespace tailrace::analytics::user
