// From the filters that a file names back to the options of a codec.
#pragma once

#include <optional>
#include <span>

#include "codecs/codec.hpp"

namespace tailrace::codecs {

// The options of the codec whose pipeline has these filters, as a file's header names them; nothing if no
// codec has.
std::optional<CodecOptions> find_codec(std::span<const Filter> filters, std::size_t element_size);

}  // namespace tailrace::codecs
