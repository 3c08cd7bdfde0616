// `compression:` of a file or a variable.
#pragma once

#include <string>

#include "codecs/codec.hpp"
#include "config/section.hpp"

namespace tailrace::codecs {

// Part of other sections, which say in a sentence what it stands for. A level that the codec does not have is
// a problem.
config::Section<CodecOptions> compression_section(const std::string& says);

}  // namespace tailrace::codecs
