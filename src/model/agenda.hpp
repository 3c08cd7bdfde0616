// Decides which fields the run wants at a step, from the periods in the configuration.
#pragma once

#include <span>

#include "model/block.hpp"

namespace tailrace::model {

class Agenda {
 public:
  virtual ~Agenda() = default;
  // Marks the fields that are put once and are needed by the first tick.
  virtual void begin(std::span<unsigned char> wanted) {
    for (unsigned char& field : wanted) field = 0;
  }
  // Advances to `tick` (steps strictly increase, times never decrease). Writes for each field, by its index
  // in Declarations::fields: 1 if it is wanted at this tick, 2 if it is optional, 0 if it is not needed. The
  // result depends only on the ticks so far.
  virtual void advance(const Tick& tick, std::span<unsigned char> wanted) = 0;
};

}  // namespace tailrace::model
