// Checks the files that exist before a run writes any: refuses to replace a file without permission, and
// reads the axes of files that the run appends to.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "checkpoint/series/begun_files.hpp"
#include "config/location.hpp"
#include "env/file_system.hpp"
#include "model/block.hpp"
#include "plan/append/append.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {

// The earlier jobs of a run with checkpoints, as its list of files knows them.
struct EarlierJobs {
  std::string checkpoints;           // the directory of the component
  config::Location location;         // of the section `checkpoint`
  checkpoint::RunFiles files;        // which they made
  checkpoint::OutputOfRun output;    // of this job
  std::optional<std::int64_t> step;  // of the checkpoint from which this job continues
  bool begins_unasked = false;       // `restart: auto` found no checkpoint
  std::string original;              // the directory of the run of which this one is a copy; empty: none
};

// On the first rank of a component, for a run that begins at `begin`. Returns by file of the plan where the
// run appends to its axes, and logs which existing records are removed. Throws Error(configuration) that
// names each file which exists and is neither replaced nor skipped, or which does not fit the plan, or which
// also belongs to the original of a copied run. A run that was to continue, but finds no checkpoint, replaces
// only files that it made itself. For a series of files only the first one is checked, because the names of
// the others are not known yet.
std::vector<plan::ContinuedAxes> look_at_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                        const env::FileSystem& files,
                                                        const EarlierJobs& earlier = {});

// On the first rank of a stream: why the model cannot open files of this name, if it cannot. `opened`: the
// places (env::place_of) of the files that this rank has opened, which the servers may not have made yet.
std::optional<base::Fault> obstacle_to_file(const plan::Plan& plan, const std::string& name,
                                            const std::set<std::string>& opened);
// The places of the files of this name.
std::vector<std::string> places_of_file(const plan::Plan& plan, const std::string& name);

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
