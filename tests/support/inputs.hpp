// The inputs of a scenario: a rank gets them at each step and leaves their values in files.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "decomposition.hpp"
#include "scenario.hpp"

namespace player {

// Writes `COMPONENT.got.NAME.RANK`: as int64 the number of cells and their positions in the whole grid (C
// order); then for each time the values of these cells as float64. support/reading_inputs.py puts them
// together.
class Inputs {
 public:
  Inputs(const Scenario& scenario, tailrace::Session& session, int rank)
      : scenario_(scenario), session_(session), rank_(rank) {}

  // `parts`: of this rank, by grid of the scenario.
  void declare(const std::vector<Part>& parts);
  // After ready: begins the files, and says which inputs are not available.
  void begin(const std::function<void(const std::string&)>& say);
  // `step`: 0 before the first step.
  void get(std::int64_t step);

 private:
  struct Open {
    const Input* input = nullptr;
    tailrace::FieldHandle handle;
    std::vector<std::int64_t> positions, count;
    std::string file;
    bool available = false;
  };
  template <class T>
  void get_as(const Open& open);

  const Scenario& scenario_;
  tailrace::Session& session_;
  int rank_;
  std::vector<Open> open_;
};

}  // namespace player
