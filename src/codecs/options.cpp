#include "codecs/options.hpp"

#include <algorithm>

#include "codecs/codec.hpp"
#include "codecs/lossy/options.hpp"
#include "config/read.hpp"

namespace tailrace::codecs {
namespace {

using namespace config;

constexpr const char* chosen = "auto";
constexpr const char* codec_of_choice = "zstd";  // what `auto` chooses the level of
constexpr const char* codec_of_keep = "zlib";    // which every reader of NetCDF and Zarr decodes

std::vector<std::string> names_of_codecs() {
  std::vector<std::string> names = codec_names();
  names.emplace_back(chosen);
  std::ranges::sort(names);
  return names;
}

Type compression_type() {
  const Levels levels = levels_of_all();
  return either(
      {choice(names_of_codecs()),
       section({
           {.name = "codec",
            .type = choice(names_of_codecs()),
            .description = "The lossless codec for the chunks. `auto` is zstd, with the level that suits a "
                           "sample of each chunk; readers of `lorenzo` need a plugin of Tailrace.",
            .example = "zstd",
            .required = true,
            .implied_by = {"keep"}},
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
           {.name = "prefer",
            .type = choice({"ratio", "speed"}),
            .description = "The aim of `codec: auto`: the smallest sample, up to level 9, or a "
                           "level above 1 only where it saves a quarter.",
            .example = "speed",
            .default_value = "ratio"},
           lossy::keep_section().option,
       })});
}

void read_section(const Value& value, CodecOptions& options, Problems& problems) {
  options.keep = read_part(lossy::keep_section(), value, problems);
  options.codec = text_of(value, "codec", options.keep ? codec_of_keep : options.codec.c_str());
  options.level = integer_of(value, "level", options.level);
  options.shuffle = flag_of(value, "shuffle", options.shuffle);
  const auto is_given = [&value](const char* name) {
    return std::ranges::any_of(value.entries(), [name](const ValueEntry& entry) {
      return entry.key == name && entry.location.line > 0;
    });
  };
  if (options.codec != chosen && is_given("prefer"))
    problems.add(value.at("prefer").location(), value.at("prefer").path(),
                 "chooses levels for `codec: auto` only");
  if (options.codec == chosen && is_given("level"))
    problems.add(value.at("level").location(), value.at("level").path(),
                 "is chosen by `codec: auto`; expected one of both");
  if (options.codec == chosen)
    options.prefer = choice_of<Prefer>(value, "prefer", {{"ratio", Prefer::ratio}, {"speed", Prefer::speed}});
}

CodecOptions read(const Value& value, Problems& problems) {
  CodecOptions options;
  if (value.kind() == Kind::choice) {
    options.codec = value.text();
    if (options.codec == chosen) options.prefer = Prefer::ratio;
  } else {
    read_section(value, options, problems);
  }
  if (options.codec == chosen) options.codec = codec_of_choice;
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
