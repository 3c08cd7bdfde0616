// Measures the throughput of sums and programs: `throughput ROUNDS MEBIBYTES` prints lines
//   figure NAME MEDIAN TENTH NINE_TENTHS COUNT
// in nanoseconds per mebibyte read, or for small work (small_...) in nanoseconds per call. The cases are
// interleaved, so that their ratios do not depend on changes of the machine's load.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analytics/compile.hpp"
#include "analytics/exact_sum/exact_sums.hpp"
#include "analytics/program.hpp"
#include "analytics/simd/kernels.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::analytics {
namespace {

volatile double result;  // so that the compiler removes nothing

struct Field {
  model::Region region;
  std::vector<double> u, v, w;
};

// Smooth values with some noise, like a model's fields.
std::vector<double> make(std::size_t cells, double mean, double scale) {
  std::vector<double> values(cells);
  std::uint64_t state = 88172645463325252ULL;
  for (std::size_t i = 0; i < cells; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    values[i] = mean + scale * (static_cast<double>(state >> 11) * 0x1p-53 - 0.5);
  }
  return values;
}

// CPU time, which excludes the time that other processes use the core.
double own_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

struct Case {
  double per;  // the divisor of its time
  std::function<void()> run;
  std::vector<double> times = {};
};

class Cases {
 public:
  void add(const std::string& name, double per, std::function<void()> run) {
    cases_.emplace_back(name, Case{per, std::move(run)});
  }
  void measure(int rounds) {
    for (auto& [name, made] : cases_) made.run();
    for (int round = 0; round < rounds; ++round)
      for (auto& [name, made] : cases_) {
        const double begin = own_nanoseconds();
        made.run();
        made.times.push_back((own_nanoseconds() - begin) / made.per);
      }
  }
  void print() {
    for (auto& [name, made] : cases_) {
      std::ranges::sort(made.times);
      const std::size_t last = made.times.size() - 1;
      fmt::print("figure {} {} {} {} {}\n", name, made.times[last / 2], made.times[last / 10],
                 made.times[last * 9 / 10], made.times.size());
    }
  }

 private:
  std::vector<std::pair<std::string, Case>> cases_;
};

std::vector<simd::Level> levels() {
  std::vector<simd::Level> got;
  for (const auto level : {simd::Level::portable, simd::Level::avx2, simd::Level::avx512})
    if (simd::supported(level)) got.push_back(level);
  return got;
}

// A reduction of an expression of u, v and w over a block, like on a server.
class Expression {
 public:
  Expression(const Field& field, const std::string& text) : field_(field) {
    Scope scope;
    for (const char* name : {"z", "y", "x"})
      space_.push_back({name, field.region.count(space_.size()), true});
    for (const char* name : {"u", "v", "w"}) scope.inputs.push_back({.name = name, .shape = {space_, {}}});
    config::Problems problems;
    DiagnosticSource source;
    source.name = source.path = source.text = text;
    const std::vector<DiagnosticSource> sources{source};
    graph_ = compile(sources, scope, problems).graph;
    TAILRACE_ASSERT(problems.empty(), text);
    std::vector<int> inputs, sinks;
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const Node& node = graph_.nodes[i];
      if (node.kind == NodeKind::input) inputs.push_back(static_cast<int>(i));
      if (node.kind == NodeKind::reduction) sinks.push_back(static_cast<int>(i));
    }
    TAILRACE_ASSERT(sinks.size() == 1, text);
    const Node& reduction = graph_.nodes[base::index(sinks[0])];
    partial_ = dynamic_cast<const Reduction*>(reduction.op)->start(reduction.call);
    for (const int input : inputs) sources_.push_back(field_values(graph_.nodes[base::index(input)].input));
    program_ =
        std::make_unique<Program>(graph_, ProgramNodes{.space = space_, .sources = inputs, .sinks = sinks});
  }

  std::size_t reads() const { return sources_.size(); }

  void run() {
    FusiblePartial* const sinks[] = {dynamic_cast<FusiblePartial*>(partial_.get())};
    partial_->clear();
    program_->run(field_.region, sources_, {}, sinks);
    result = partial_->finish().values[0];
  }

 private:
  Operand field_values(int input) const {
    const std::vector<double>* const values[] = {&field_.u, &field_.v, &field_.w};
    return {std::as_bytes(std::span(*values[input]))};
  }

  const Field& field_;
  Dims space_;
  Graph graph_;
  std::vector<Operand> sources_;
  std::unique_ptr<Partial> partial_;
  std::unique_ptr<Program> program_;
};

void add_sums(Cases& cases, const Field& field, double mebibytes) {
  for (const simd::Level level : levels()) {
    const std::string name(simd::name_of(level));
    cases.add("plain_" + name, mebibytes,
              [&field, level] { result = simd::kernels(level).plain_sum(field.u.data(), field.u.size()); });
    cases.add("exact_" + name, mebibytes, [&field, level] {
      exact_sum::ExactSums sums(1, level);
      sums.add(0, field.u);
      double sum = 0.0;
      sums.results({&sum, 1});
      result = sum;
    });
  }
}

void add_expressions(Cases& cases, const Field& field, double mebibytes) {
  for (const char* const text :
       {"max(u)", "min(u-300)", "max(u*u+v*v)", "max(sqrt(u*u+v*v+w*w))", "max(w*sqrt(u*u+v*v))", "sum(u)",
        "sum(u*w)", "sum(u*w,y,x)", "sum(u*w,z,y)", "sum(u*u+v*v)"}) {
    const auto made = std::make_shared<Expression>(field, text);
    cases.add(text, static_cast<double>(made->reads()) * mebibytes, [made] { made->run(); });
  }
}

void add_small(Cases& cases, const Field& field) {
  constexpr int calls = 1000;
  const std::span<const double> values(field.u);
  for (const std::size_t count : {1U, 10U, 1000U}) {
    const auto sums = std::make_shared<exact_sum::ExactSums>(1);
    cases.add(fmt::format("small_add_{}", count), calls, [=] {
      for (std::size_t i = 0; i < calls; ++i) sums->add(0, values.subspan(i % 16 * 8, count));
    });
  }
  for (const std::size_t count : {33U, 1000U}) {
    const auto sums = std::make_shared<exact_sum::ExactSums>(count);
    cases.add(fmt::format("small_add_each_{}", count), calls, [=] {
      for (std::size_t i = 0; i < calls; ++i) sums->add_each(0, values.subspan(i % 16 * 8, count));
    });
  }
  const auto from = std::make_shared<exact_sum::ExactSums>(1),
             into = std::make_shared<exact_sum::ExactSums>(1);
  from->add(0, values.first(100));
  cases.add("small_merge", calls, [=] {
    for (int i = 0; i < calls; ++i) into->merge(from->to_bytes());
  });
  cases.add("small_result", calls, [=] {
    double sum = 0.0;
    for (int i = 0; i < calls; ++i) into->results({&sum, 1});
    result = sum;
  });
}

int run(int rounds, std::int64_t mebibytes) {
  const std::int64_t cells = mebibytes << 17;
  const Field field{model::Region({{{0, cells >> 16}}, {{0, 256}}, {{0, 256}}}),
                    make(static_cast<std::size_t>(cells), 300.0, 20.0),
                    make(static_cast<std::size_t>(cells), 0.0, 30.0),
                    make(static_cast<std::size_t>(cells), 0.0, 2.0)};
  Cases cases;
  cases.add("stream", static_cast<double>(mebibytes),
            [&field] { result = simd::kernels(simd::level()).plain_sum(field.u.data(), field.u.size()); });
  add_sums(cases, field, static_cast<double>(mebibytes));
  add_expressions(cases, field, static_cast<double>(mebibytes));
  add_small(cases, field);
  cases.measure(rounds);
  fmt::print("level {}\n", simd::name_of(simd::level()));
  cases.print();
  return 0;
}

}  // namespace
}  // namespace tailrace::analytics

int main(int count, char** words) {
  return tailrace::analytics::run(count > 1 ? std::atoi(words[1]) : 15,
                                  count > 2 ? std::atoi(words[2]) : 128);
}
