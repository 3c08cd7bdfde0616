// The work of workers on one sample or record: packed source cells to the cells of this server's parts of the
// target.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "base/slab.hpp"
#include "pipeline/regridding/exchange.hpp"
#include "pipeline/tasks.hpp"
#include "sinks/make_sink.hpp"

namespace tailrace::pipeline::regridding {

// The values that a part of the source gives to this server.
struct Piece {
  int part = 0;
  int from = 0;              // server
  base::SharedBytes values;  // none: the sample or the record is missing there
};

struct RegriddedPart {
  int part = 0;
  base::Slab values;             // in the order of the part's local array
  std::vector<double> fraction;  // the same; empty unless it is wanted
};

// All must live longer than the work.
struct ApplyParts {
  Tasks& tasks;
  base::SlabPool& slabs;
  sinks::SinkServices services;
};

// Submits the work. `part_done` is called for each part with target cells, on any thread, several at once.
// `done` follows when all parts are done, with the fault if rows could not be applied; their values are
// missing then. The result does not depend on how the work is divided: a row is done by one thread.
void apply_rows(const Exchange& exchange, std::vector<Piece> pieces, const ApplyParts& parts,
                std::function<void(RegriddedPart&&)> part_done,
                std::function<void(const std::optional<base::Fault>&)> done);

}  // namespace tailrace::pipeline::regridding
