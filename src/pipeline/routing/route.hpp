// The way of one stream's records into chunks.
#pragma once

#include <cstddef>
#include <memory>

#include "output/assembly.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/routing/geometry.hpp"
#include "pipeline/sampling/stream.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline::routing {

struct Route {
  sinks::OwnedVariable variable;
  const Geometry* geometry = nullptr;
  std::unique_ptr<output::Assembly> assembly;  // of the chunks that this server owns
};

// `done` gets each finished chunk, on the thread that completed it. `geometry` must live longer.
Route make_route(const Blueprint& blueprint, const sampling::Stream& stream, const Geometry& geometry,
                 const sinks::FileServices& services, output::Assembly::Done done);

}  // namespace tailrace::pipeline::routing
