#include "output/adios2/engine_spec.hpp"

#include <filesystem>
#include <utility>

#include "base/index.hpp"
#include "output/adios2/existing.hpp"
#include "output/checks.hpp"

namespace tailrace::output::adios2 {
namespace {

EngineVariable variable_of(const DatasetSpec& spec, const VariableSpec& variable) {
  EngineVariable made{variable.name,
                      variable.type,
                      false,
                      {},
                      variable.attributes,
                      variable.codec,
                      takes_operator(spec, variable)};
  for (const int dim : variable.dims) made.dims.push_back(spec.dims[base::index(dim)].name);
  if (const std::string codec = codec_in(spec, variable); codec != "none")
    made.attributes.emplace_back(codec_attribute, codec);
  if (variable.fill_value && model::can_hold(variable.type, variable.fill_value->number))
    model::dispatch(variable.type, [&](auto sample) {
      made.attributes.emplace_back("_FillValue", std::vector{variable.fill_value->as<decltype(sample)>()});
    });
  return made;
}

EngineVariable variable_of(const DatasetSpec& spec, const TextSpec& text) {
  EngineVariable made{text.name, model::DataType::int8, true, {}, text.attributes, {}, false};
  for (const int dim : text.dims) made.dims.push_back(spec.dims[base::index(dim)].name);
  return made;
}

}  // namespace

EngineSpec engine_spec(const DatasetSpec& spec, const std::string& place) {
  EngineSpec made{place, unwrap_options<Options>(spec.options.get()), spec.attributes, {}, {}};
  std::string& burst_buffer = made.options.burst_buffer;
  if (!burst_buffer.empty()) burst_buffer = std::filesystem::absolute(burst_buffer).string();
  for (const DimensionSpec& dim : spec.dims)
    if (dim.unlimited) made.unlimited_dims.push_back(dim.name);
  for (const VariableSpec& variable : spec.variables) made.variables.push_back(variable_of(spec, variable));
  for (const TextSpec& text : spec.texts) made.variables.push_back(variable_of(spec, text));
  return made;
}

TextBlocks::TextBlocks(const DatasetSpec& spec) {
  for (std::size_t i = 0; i < spec.texts.size(); ++i) {
    values_.push_back(padded(spec, spec.texts[i]));
    std::vector<std::size_t> shape;
    for (const int dim : spec.texts[i].dims)
      shape.push_back(static_cast<std::size_t>(spec.dims[base::index(dim)].size));
    blocks_.push_back({static_cast<int>(spec.variables.size() + i), shape,
                       std::vector<std::size_t>(shape.size(), 0), shape, values_.back().data(), 0});
  }
}

void TextBlocks::add_to(std::vector<Block>& blocks) const {
  blocks.insert(blocks.end(), blocks_.begin(), blocks_.end());
}

}  // namespace tailrace::output::adios2
