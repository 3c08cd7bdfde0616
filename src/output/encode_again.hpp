// Chunks that a format encodes itself: those that get records of an earlier run, and the last ones.
#pragma once

#include "output/dataset.hpp"

namespace tailrace::output {

// Encodes the bytes of `chunk`, which are cells. If they cannot be encoded, or do not decode to the same
// cells (CodecOptions::keep), they stay as they are, without loss, and a warning names the file and the
// chunk. Sets `filtered` to whether the bytes are encoded.
void encode_again(const DatasetSpec& spec, EncodedChunk& chunk);

}  // namespace tailrace::output
