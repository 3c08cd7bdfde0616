#include "pipeline/routing/route.hpp"

#include <utility>

#include "base/index.hpp"
#include "codecs/lossy/keeper.hpp"
#include "telemetry/timer.hpp"

namespace tailrace::pipeline::routing {
namespace {

// Counts the time that encoding takes.
class TimedCodec final : public codecs::Codec {
 public:
  TimedCodec(std::shared_ptr<const codecs::Codec> codec, sinks::SinkServices services)
      : codec_(std::move(codec)), services_(services) {}
  std::vector<std::byte> encode(std::span<const std::byte> chunk,
                                const codecs::ChunkDescription& description) const override {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::encode, services_.trace);
    return codec_->encode(chunk, description);
  }
  codecs::Encoded encode_by_choice(std::span<const std::byte> chunk,
                                   const codecs::ChunkDescription& description) const override {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::encode, services_.trace);
    return codec_->encode_by_choice(chunk, description);
  }
  std::vector<std::byte> decode(std::span<const std::byte> encoded, std::size_t chunk_bytes,
                                std::size_t element_size) const override {
    return codec_->decode(encoded, chunk_bytes, element_size);
  }
  std::vector<codecs::Filter> filters(std::size_t element_size) const override {
    return codec_->filters(element_size);
  }

 private:
  std::shared_ptr<const codecs::Codec> codec_;
  sinks::SinkServices services_;
};

// Counts the time that rounding and checking take as that of encoding.
class TimedKeeper final : public codecs::lossy::Keeper {
 public:
  // `cells`: the shape of one record of a chunk.
  TimedKeeper(const output::VariableSpec& spec, std::vector<std::int64_t> cells,
              std::shared_ptr<const codecs::Codec> codec, sinks::SinkServices services)
      : Keeper(*spec.codec.keep, {spec.type, std::move(cells), output::describe_chunk(spec).fill_value},
               output::describe_chunk(spec), std::move(codec)),
        services_(services) {}
  codecs::lossy::KeptChunk keep(std::span<const std::byte> cells, const codecs::lossy::AlreadyKept& already,
                                bool encodes) const override {
    const telemetry::PhaseTimer timer(services_.counters, telemetry::Phase::encode, services_.trace);
    return Keeper::keep(cells, already, encodes);
  }

 private:
  sinks::SinkServices services_;
};

}  // namespace

Route make_route(const Blueprint& blueprint, const sampling::OutputVariable& output_variable,
                 const RouteParts& parts, output::Assembly::Done done) {
  const cf::DatasetLayout& layout = blueprint.layouts[output_variable.file];
  const cf::VariableLayout& variable = layout.variables[output_variable.variable];
  const output::VariableSpec& spec = layout.dataset.variables[base::index(variable.variable)];
  // A contiguous variable is passed on whole and unencoded.
  auto codec = std::make_shared<TimedCodec>(
      codecs::make_codec(spec.chunk.empty() ? codecs::CodecOptions{} : spec.codec), parts.services);
  Route route;
  route.variable =
      sinks::OwnedVariables(blueprint.plan.files[output_variable.file], layout, output_variable.file)
          .of(output_variable.variable, parts.geometry->grid());
  route.geometry = parts.geometry;
  output::ChunkGrid grid = parts.geometry->grid();
  if (output_variable.file_axis >= 0)
    grid.first_record = blueprint.plan.files[output_variable.file]
                            .axes[base::index(output_variable.file_axis)]
                            .continued.records;
  route.assembly = std::make_unique<output::Assembly>(
      std::move(grid), output::Element{output::describe_chunk(spec), output_variable.fill}, codec,
      parts.slabs, std::move(done));
  if (spec.codec.keep && !spec.chunk.empty())
    route.assembly->keep_by(
        std::make_shared<TimedKeeper>(spec, route.assembly->grid().chunk, codec, parts.services));
  route.assembly->count_in(parts.open_bytes);
  return route;
}

}  // namespace tailrace::pipeline::routing
