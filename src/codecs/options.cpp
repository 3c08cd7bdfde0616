#include "codecs/options.hpp"

#include "codecs/codec.hpp"
#include "config/read.hpp"

namespace tailrace::codecs {
namespace {

using namespace config;

Type compression_type() {
  const Levels levels = levels_of_all();
  return either(
      {choice(codec_names()),
       section({
           {.name = "codec",
            .type = choice(codec_names()),
            .description = "The lossless codec for the chunks.",
            .example = "zstd",
            .required = true},
           {.name = "level",
            .type = integer(levels.lowest, levels.highest),
            .description = "The compression level: " + levels_in_words() + ".",
            .example = "3",
            .default_value = "1"},
           {.name = "shuffle",
            .type = flag(),
            .description =
                "Whether bytes are shuffled first, so that bytes of equal significance are adjacent.",
            .example = "false",
            .default_value = "true"},
           {.name = "keep",
            .type = section({}),
            .description = "The bound on the error of lossy compression.",
            .example = "{}",
            .available = false},
       })});
}

CodecOptions read(const Value& value, Problems& problems) {
  CodecOptions options;
  if (value.kind() == Kind::choice) {
    options.codec = value.text();
  } else {
    options.codec = text_of(value, "codec", options.codec);
    options.level = integer_of(value, "level", options.level);
    options.shuffle = flag_of(value, "shuffle", options.shuffle);
  }
  if (!value.open()) report(value, problems, [&] { make_codec(options); });
  return options;
}

}  // namespace

config::Section<CodecOptions> compression_section(const std::string& says) {
  return {.option = {.name = "compression",
                     .type = compression_type(),
                     .description = says,
                     .example = "{codec: zlib, level: 1, shuffle: true}"},
          .read = read};
}

}  // namespace tailrace::codecs
