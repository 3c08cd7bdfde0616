// The name of the list of begun_files.hpp, in the directory of the checkpoints.
#pragma once

namespace tailrace::checkpoint {

inline constexpr const char* run_files_name = "files.jsonl";

}  // namespace tailrace::checkpoint
