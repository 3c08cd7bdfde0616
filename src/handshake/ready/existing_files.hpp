// Checks the files that exist before a run writes any: refuses to replace a file without permission, and
// reads the axes of files that the run appends to.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "env/file_system.hpp"
#include "model/block.hpp"
#include "plan/append/append.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {

// On the first rank of a component, for a run that begins at `begin`. Returns by file of the plan where the
// run appends to its axes, and logs which existing records are removed. Throws Error(configuration) that
// names each file which exists and is neither replaced nor skipped, or which does not fit the plan. For a
// series of files only the first one is checked, because the names of the others are not known yet.
std::vector<plan::ContinuedAxes> look_at_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                        const env::FileSystem& files);

// By file of the plan: the fill values of a file that the run appends to, or that a checkpoint goes on with.
// `continued` is what look_at_existing_files() returned.
std::vector<plan::ExistingFills> fills_of_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                         const std::vector<plan::ContinuedAxes>& continued);

// Messages from the first rank to the servers.
void put_fills(base::ByteWriter& writer, const std::vector<plan::ExistingFills>& fills);
std::vector<plan::ExistingFills> get_fills(base::ByteReader& reader);
void put_continued(base::ByteWriter& writer, const std::vector<plan::ContinuedAxes>& continued);
std::vector<plan::ContinuedAxes> get_continued(base::ByteReader& reader);

}  // namespace tailrace::handshake
