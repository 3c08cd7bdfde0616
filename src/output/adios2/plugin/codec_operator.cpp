#include "output/adios2/plugin/codec_operator.hpp"

#include <adios2/plugin/PluginOperatorInterface.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>

#include "codecs/codec.hpp"

namespace tailrace::output::adios2 {
namespace {

namespace library = ::adios2;

// Before the encoded bytes; in the byte order of the dataset, which readers of another one refuse as a whole.
struct Head {
  std::uint8_t version = 1;
  std::uint8_t codec = 0;  // index into `codec_names`
  std::uint8_t shuffle = 0;
  std::uint8_t element = 1;  // bytes
  std::uint32_t reserved = 0;
  std::uint64_t bytes = 0;  // of the values
};
constexpr std::array<const char*, 3> codec_names{"none", "zlib", "zstd"};

std::string parameter(const library::Params& parameters, const char* name, const char* fallback) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? fallback : found->second;
}

codecs::CodecOptions codec_of(const library::Params& parameters) {
  codecs::CodecOptions options;
  options.codec = parameter(parameters, "codec", "none");
  options.level = std::stoi(parameter(parameters, "level", "1"));
  options.shuffle = parameter(parameters, "shuffle", "1") == "1";
  return options;
}

model::DataType type_of(library::DataType type) {
  switch (type) {
    case library::DataType::Float: return model::DataType::float32;
    case library::DataType::Double: return model::DataType::float64;
    case library::DataType::Int32: return model::DataType::int32;
    case library::DataType::Int64: return model::DataType::int64;
    case library::DataType::Int16: return model::DataType::int16;
    case library::DataType::Int8: return model::DataType::int8;
    case library::DataType::UInt8: return model::DataType::uint8;
    default: throw std::runtime_error("the codecs of Tailrace do not encode this type");
  }
}

class CodecOperator final : public library::plugin::PluginOperatorInterface {
 public:
  explicit CodecOperator(const library::Params& parameters)
      : PluginOperatorInterface(parameters),
        options_(codec_of(parameters)),
        codec_(codecs::make_codec(options_)),
        element_(std::stoul(parameter(parameters, "element", "1"))),
        puts_sources_(parameter(parameters, "puts", "values") == "sources") {}

  std::size_t Operate(const char* data, const library::Dims&, const library::Dims& count,
                      const library::DataType type, char* out) override {
    std::size_t bytes = element_;
    for (const std::size_t extent : count) bytes *= extent;
    Source source{{reinterpret_cast<const std::byte*>(data), bytes}, false};
    if (puts_sources_) std::memcpy(&source, data, sizeof source);
    const auto made = source.encoded
                          ? std::vector<std::byte>()
                          : codec_->encode(source.bytes, {type_of(type), {count.begin(), count.end()}, {}});
    const std::span<const std::byte> encoded = source.encoded ? source.bytes : std::span(made);
    const bool is_smaller = source.encoded || encoded.size() < bytes;
    const std::span<const std::byte> stored = is_smaller ? encoded : source.bytes;
    if (stored.size() > room(bytes)) throw std::length_error("a chunk has grown by its codec");
    write_head(is_smaller, bytes, out);
    std::memcpy(out + sizeof(Head), stored.data(), stored.size());
    return sizeof(Head) + stored.size();
  }

  std::size_t InverseOperate(const char* in, const std::size_t size, char* out) override {
    Head head;
    if (size < sizeof head) throw std::runtime_error("a block is shorter than its head");
    std::memcpy(&head, in, sizeof head);
    if (head.version != 1 || head.codec >= codec_names.size())
      throw std::runtime_error("a block is of a later version of Tailrace");
    codecs::CodecOptions options{codec_names.at(head.codec), 1, head.shuffle != 0};
    const std::span encoded(reinterpret_cast<const std::byte*>(in) + sizeof head, size - sizeof head);
    if (options.codec == "none" && encoded.size() < head.bytes)
      throw std::runtime_error("a block is shorter than its values");
    const auto values = codecs::make_codec(options)->decode(encoded, head.bytes, head.element);
    std::memcpy(out, values.data(), std::min<std::size_t>(values.size(), head.bytes));
    return head.bytes;
  }

  bool IsDataTypeValid(const library::DataType) const override { return true; }

  std::size_t GetEstimatedSize(const std::size_t elements, const std::size_t element, const std::size_t,
                               const std::size_t*) const override {
    return sizeof(Head) + room(elements * element);
  }

 private:
  // Leaves room for the bytes that zlib and zstd may add to values that they cannot make smaller.
  static std::size_t room(std::size_t bytes) { return bytes + bytes / 128 + 1024; }

  void write_head(bool is_encoded, std::size_t bytes, char* out) const {
    Head head;
    if (is_encoded) {
      const auto found = std::ranges::find(codec_names, options_.codec);
      head.codec = static_cast<std::uint8_t>(found - codec_names.begin());
    }
    head.shuffle = options_.shuffle ? 1 : 0;
    head.element = static_cast<std::uint8_t>(element_);
    head.bytes = bytes;
    std::memcpy(out, &head, sizeof head);
  }

  const codecs::CodecOptions options_;
  const std::shared_ptr<const codecs::Codec> codec_;
  const std::size_t element_;
  const bool puts_sources_;
};

}  // namespace
}  // namespace tailrace::output::adios2

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED adios2::plugin::PluginOperatorInterface* OperatorCreate(const adios2::Params& parameters);
EXPORTED void OperatorDestroy(adios2::plugin::PluginOperatorInterface* made);

adios2::plugin::PluginOperatorInterface* OperatorCreate(const adios2::Params& parameters) {
  return std::make_unique<tailrace::output::adios2::CodecOperator>(parameters).release();
}

void OperatorDestroy(adios2::plugin::PluginOperatorInterface* made) {
  const std::unique_ptr<adios2::plugin::PluginOperatorInterface> owned(made);
}
