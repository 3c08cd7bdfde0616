#include "sinks/make_sink.hpp"

#include "base/index.hpp"
#include "sinks/dataset_sink.hpp"
#include "sinks/null_sink.hpp"

namespace tailrace::sinks {

std::unique_ptr<Sink> make_sink(const SinkPlace& place, SinkServices services) {
  const output::Format* format = place.plan.entry.writer();
  TAILRACE_ASSERT(format != nullptr, "the configuration was checked");
  const int home = place.owners.of_file(place.file);
  if (format->can_be_written_by_many() || home == place.server)
    return std::make_unique<DatasetSink>(place, *format, services);
  return std::make_unique<NullSink>(home);
}

std::size_t record_bytes(const cf::DatasetLayout& layout, const cf::VariableLayout& variable) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : variable.shape) cells *= extent;
  return static_cast<std::size_t>(cells) *
         model::size_of(layout.dataset.variables[base::index(variable.variable)].type);
}

}  // namespace tailrace::sinks
