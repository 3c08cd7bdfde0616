#include "pipeline/sampling/output_variable_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "tailrace/error.hpp"

namespace tailrace::pipeline::sampling {
namespace {

template <class T>
constexpr model::DataType type_of =
    std::is_floating_point_v<T> ? model::DataType::float64 : model::DataType::int64;

}  // namespace

OutputVariableState::OutputVariableState(std::string prefix, const model::Grid& grid,
                                         const model::Regions& regions, bool may_lack_samples)
    : prefix_(std::move(prefix)), grid_(grid), regions_(regions), may_lack_samples_(may_lack_samples) {}

model::StateArray OutputVariableState::array(const std::string& name, model::DataType type) const {
  return {prefix_ + name, type, grid_.dims, grid_.shape};
}

void OutputVariableState::save(model::StateSaver& saver, const Accumulators& accumulators) const {
  for (const auto& [client, accumulator] : accumulators) {
    const time::AccumulatorState state = accumulator->state();
    save_totals(saver, client, state.totals);
    const std::vector<time::KeptArray> kept = accumulator->kept_arrays();
    for (std::size_t k = 0; k < state.values.size(); ++k)
      saver.save(array(kept[k].name, kept[k].type), region(client), state.values[k]);
    // An array is saved for all cells or for none, and other clients may have samples.
    for (std::size_t k = state.values.size(); may_lack_samples_ && k < kept.size(); ++k) {
      const std::vector<std::byte> none(static_cast<std::size_t>(region(client).size()) *
                                        model::size_of(kept[k].type));
      saver.save(array(kept[k].name, kept[k].type), region(client), none);
    }
  }
}

void OutputVariableState::load(const model::StateLoader& loader, const Accumulators& accumulators) const {
  for (const auto& [client, accumulator] : accumulators) {
    time::AccumulatorState state{load_totals(loader, client), {}};
    if (state.totals.samples > 0) {
      for (const time::KeptArray& kept : accumulator->kept_arrays()) {
        auto& values = state.values.emplace_back(static_cast<std::size_t>(region(client).size()) *
                                                 model::size_of(kept.type));
        loader.load(array(kept.name, kept.type), region(client), values);
      }
    }
    accumulator->restore(state);
  }
}

void OutputVariableState::save_totals(model::StateSaver& saver, int client,
                                      const time::Totals& totals) const {
  if (may_lack_samples_) {
    save_everywhere(saver, "samples", client, totals.samples);
    save_everywhere(saver, "weight", client, totals.weight);
    return;
  }
  model::NumberSaver numbers(saver, prefix_);
  numbers("samples", totals.samples);
  numbers("weight", totals.weight);
}

time::Totals OutputVariableState::load_totals(const model::StateLoader& loader, int client) const {
  if (may_lack_samples_)
    return {load_common<std::int64_t>(loader, "samples", client),
            load_common<double>(loader, "weight", client)};
  time::Totals totals;
  model::NumberLoader numbers(loader, prefix_);
  numbers("samples", totals.samples);
  numbers("weight", totals.weight);
  return totals;
}

template <class T>
void OutputVariableState::save_everywhere(model::StateSaver& saver, const char* name, int client,
                                          T value) const {
  const std::vector<T> cells(static_cast<std::size_t>(region(client).size()), value);
  saver.save(array(name, type_of<T>), region(client), std::as_bytes(std::span(cells)));
}

template <class T>
T OutputVariableState::load_common(const model::StateLoader& loader, const char* name, int client) const {
  std::vector<T> cells(static_cast<std::size_t>(region(client).size()));
  loader.load(array(name, type_of<T>), region(client), std::as_writable_bytes(std::span(cells)));
  if (cells.empty()) return T{};
  if (std::ranges::any_of(cells, [&](T value) { return value != cells.front(); }))
    throw Error(
        ErrorCode::resource,
        fmt::format("saved state of {}: cells that rank {} holds now have different numbers of samples, "
                    "because not all ranks put the field at each step; such a window can be loaded only "
                    "with the decomposition with which it was saved",
                    prefix_, client));
  return cells.front();
}

}  // namespace tailrace::pipeline::sampling
