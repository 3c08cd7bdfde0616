// The option `keep` of a compression.
#pragma once

#include "codecs/lossy/keep.hpp"
#include "config/section.hpp"

namespace tailrace::codecs::lossy {

config::Section<Keep> keep_section();

}  // namespace tailrace::codecs::lossy
