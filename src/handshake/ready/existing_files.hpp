// What becomes of files that are there before a run writes any: none is replaced that is to be left alone,
// and those that are to grow are read.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "env/file_system.hpp"
#include "model/block.hpp"
#include "plan/append/append.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {

// On the first rank of a component, of a run that begins at that tick: by file of the plan, where it goes on
// with what is in it; logs what of that goes. Throws Error(configuration) that names each file which exists
// and is neither replaced nor skipped, or does not fit. Of a series of files the first one is looked for, as
// nobody knows yet which others there will be.
std::vector<plan::ContinuedAxes> look_at_existing_files(const plan::Plan& plan, const model::Tick& begin,
                                                        const env::FileSystem& files);

// From the first rank to the servers.
void put_continued(base::ByteWriter& writer, const std::vector<plan::ContinuedAxes>& continued);
std::vector<plan::ContinuedAxes> get_continued(base::ByteReader& reader);

}  // namespace tailrace::handshake
