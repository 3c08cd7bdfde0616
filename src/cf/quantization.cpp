#include "cf/quantization.hpp"

#include <fmt/format.h>

#include <map>

#include "base/index.hpp"
#include "base/version.hpp"
#include "cf/text.hpp"
#include "codecs/lossy/keep.hpp"

namespace tailrace::cf {
namespace {

constexpr const char* usual_name = "quantization_info";

output::VariableSpec described(const std::string& name, const std::string& algorithm) {
  output::VariableSpec spec;
  spec.name = name;
  spec.type = model::DataType::int32;
  spec.attributes = {
      {"algorithm", algorithm},
      {"implementation", fmt::format("Tailrace version {} (to the nearest, halves to even)", base::version)}};
  return spec;
}

}  // namespace

void add_quantization(DatasetLayout& layout, GridWriter& writer) {
  namespace lossy = codecs::lossy;
  std::map<std::string, std::string> names;  // of quantization variables, by algorithm
  const std::size_t count = layout.dataset.variables.size();
  for (std::size_t v = 0; v < count; ++v) {
    const auto keep = layout.dataset.variables[v].codec.keep;
    if (!keep) continue;
    const std::size_t bytes = model::size_of(layout.dataset.variables[v].type);
    std::optional<std::string> name;
    const auto algorithm = lossy::cf_algorithm(*keep, bytes);
    if (algorithm) {
      const auto [place, fresh] = names.try_emplace(algorithm->algorithm);
      if (fresh) {
        place->second = writer.names().take(usual_name, algorithm->algorithm);
        writer.add_without_data(described(place->second, algorithm->algorithm));
      }
      name = place->second;
    }
    output::Attributes& attributes = layout.dataset.variables[v].attributes;
    set_attribute(attributes, lossy::bound_attribute, lossy::words(*keep));
    set_attribute(attributes, lossy::absolute_attribute, 0.0);
    set_attribute(attributes, lossy::relative_attribute, 0.0);
    if (!algorithm) continue;
    const int all_bits = bytes == 4 ? 23 : 52;
    set_attribute(attributes, "quantization", *name);
    set_attribute(attributes, algorithm->parameter,
                  std::int32_t{algorithm->value > 0 ? algorithm->value : all_bits});
  }
}

}  // namespace tailrace::cf
