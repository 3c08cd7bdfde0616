#include "analytics/program.hpp"

#include "analytics/program/run.hpp"

namespace tailrace::analytics {

struct Program::Impl {
  const simd::Kernels& kernels;
  program::Code code;
};

Program::Program(const Graph& graph, const ProgramNodes& nodes, simd::Level level) {
  const simd::Kernels& kernels = simd::kernels(level);
  impl_ = std::make_unique<Impl>(Impl{.kernels = kernels, .code = program::compile(graph, nodes, kernels)});
}

Program::~Program() = default;
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;

void Program::run(const model::Region& region, std::span<const Operand> sources,
                  std::span<const std::span<double>> stores, std::span<FusiblePartial* const> sinks) const {
  program::run(impl_->code, impl_->kernels, region, {.sources = sources, .stores = stores, .sinks = sinks});
}

}  // namespace tailrace::analytics
