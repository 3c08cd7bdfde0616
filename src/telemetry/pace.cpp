#include "telemetry/pace.hpp"

#include <nlohmann/json.hpp>

namespace tailrace::telemetry {

std::optional<Pace> pace_of(const std::string& report, const std::string& component) {
  std::optional<Pace> slowest;
  try {
    const nlohmann::json json = nlohmann::json::parse(report);
    for (const auto& client : json.at("clients")) {
      const double seconds = client.at("run_seconds");
      if (client.at("component") != component || !(seconds > 0.0)) continue;
      const Pace pace{client.at("model_time").get<double>() / seconds,
                      client.at("steps").get<double>() / seconds};
      if (!slowest || pace.steps < slowest->steps) slowest = pace;
    }
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
  if (slowest && !(slowest->steps > 0.0)) return std::nullopt;
  return slowest;
}

}  // namespace tailrace::telemetry
