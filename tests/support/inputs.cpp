#include "inputs.hpp"

#include <fstream>

#include "padded.hpp"

namespace player {
namespace {

template <class T>
void append(const std::string& file, const std::vector<T>& values) {
  std::ofstream stream(file, std::ios::binary | std::ios::app);
  stream.write(reinterpret_cast<const char*>(values.data()),
               static_cast<std::streamsize>(values.size() * sizeof(T)));
}

}  // namespace

void Inputs::declare(const std::vector<Part>& parts) {
  for (const Input& input : scenario_.inputs) {
    Open open{
        .input = &input, .handle = session_.input(input.spec), .positions = {0}, .count = {}, .file = {}};
    for (std::size_t g = 0; g < scenario_.grids.size(); ++g) {
      if (scenario_.grids[g].name != input.spec.grid) continue;
      open.positions = parts[g].global_positions(scenario_.grids[g].shape);
      open.count = parts[g].count();
    }
    open.file = scenario_.component + ".got." + input.spec.name + "." + std::to_string(rank_);
    open_.push_back(std::move(open));
  }
}

void Inputs::begin(const std::function<void(const std::string&)>& say) {
  for (Open& open : open_) {
    open.available = session_.available(open.handle);
    if (!open.available && rank_ == 0) say("LACKS " + open.input->spec.name);
    if (!open.available) continue;
    append(open.file, std::vector<std::int64_t>{static_cast<std::int64_t>(open.positions.size())});
    append(open.file, open.positions);
  }
}

void Inputs::get(std::int64_t step) {
  for (const Open& open : open_) {
    if (!open.available || step < open.input->from_step || step % open.input->every != 0) continue;
    switch (open.input->spec.type) {
      case tailrace::Type::float32: get_as<float>(open); break;
      case tailrace::Type::float64: get_as<double>(open); break;
      case tailrace::Type::int32: get_as<std::int32_t>(open); break;
      case tailrace::Type::int64: get_as<std::int64_t>(open); break;
    }
  }
}

template <class T>
void Inputs::get_as(const Open& open) {
  std::vector<T> values(open.positions.size());
  if (open.input->how == "strided" && !open.count.empty()) {
    Padded<T> padded(std::vector<double>(values.size(), -1.0), open.count);
    session_.get(open.handle, padded.target);
    values = padded.inside();
  } else {
    session_.get(open.handle, values);
  }
  append(open.file, std::vector<double>(values.begin(), values.end()));
}

}  // namespace player
