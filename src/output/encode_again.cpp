#include "output/encode_again.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/log.hpp"

namespace tailrace::output {

void encode_again(const DatasetSpec& spec, EncodedChunk& chunk) {
  const VariableSpec& variable = spec.variables[base::index(chunk.variable)];
  try {
    chunk.bytes = codecs::make_codec(variable.codec)->encode(chunk.bytes, describe_chunk(variable));
    chunk.filtered = true;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::resource) throw;
    chunk.filtered = false;
    base::log_warning(fmt::format("{}: the chunk of \"{}\" at ({}) is stored without compression: {}",
                                  spec.path, variable.name, fmt::join(chunk.offset, ", "), error.what()));
  }
}

}  // namespace tailrace::output
