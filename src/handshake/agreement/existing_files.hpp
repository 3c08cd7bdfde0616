// That a run replaces no file which it is to leave alone, before it writes any.
#pragma once

#include "env/file_system.hpp"
#include "model/block.hpp"
#include "plan/plan.hpp"

namespace tailrace::handshake {

// On the first rank of a component, of a run that begins at that tick. Throws Error(configuration) that names
// each file which exists and is neither replaced nor skipped. Of a series of files the first one is looked
// for, as nobody knows yet which others there will be.
void refuse_existing_files(const plan::Plan& plan, const model::Tick& begin, const env::FileSystem& files);

}  // namespace tailrace::handshake
