// The path of the records of one output variable into chunks.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>

#include "output/assembly.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/routing/geometry.hpp"
#include "pipeline/sampling/output_variable.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline::routing {

struct Route {
  sinks::OwnedVariable variable;
  const Geometry* geometry = nullptr;
  std::unique_ptr<output::Assembly> assembly;  // assembles the chunks that this server owns
};

// The parts of its server that a route uses; all must live longer.
struct RouteParts {
  const Geometry* geometry;
  base::SlabPool& slabs;
  const sinks::SinkServices& services;
  std::atomic<std::size_t>& open_bytes;  // of all routes
};

// `done` gets each finished chunk, on the thread that completed it.
Route make_route(const Blueprint& blueprint, const sampling::OutputVariable& output_variable,
                 const RouteParts& parts, output::Assembly::Done done);

}  // namespace tailrace::pipeline::routing
