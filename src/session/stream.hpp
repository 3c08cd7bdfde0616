// One variable of one file on one server, on its way from samples to chunks.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "output/assembly.hpp"
#include "session/component.hpp"
#include "session/geometry.hpp"
#include "time/accumulator.hpp"

namespace tailrace::session {

// Kinds of items in the outbox's bundles.
inline constexpr std::int32_t piece_item = 0;
inline constexpr std::int32_t chunk_item = 1;

struct ServedComponent::Stream {
  std::size_t number = 0;    // among the streams; the same on every server
  std::size_t file = 0;      // index into the plan's files
  std::size_t variable = 0;  // index into the layout's variables
  int file_axis = -1;        // index into the file's axes; -1: static
  std::size_t axis = 0;      // number in the axis bank
  time::ReductionKind reduction = time::ReductionKind::snapshot;
  model::DataType input = model::DataType::float64;
  model::DataType output = model::DataType::float64;
  bool diagnostic = false;  // made here, not put
  bool at_end = false;      // the sample that came last is kept until the run ends
  std::size_t record_bytes = 0;
  std::vector<std::byte> fill;  // one element
  Geometry* geometry = nullptr;
  std::unique_ptr<output::Assembly> assembly;
  std::map<int, std::unique_ptr<time::Accumulator>>
      accumulators;  // by client; unused where values are just copied

  bool copies() const { return reduction == time::ReductionKind::snapshot && input == output && !at_end; }
};

}  // namespace tailrace::session
