// Decides which fields the run wants at a step; the configuration's periods stand behind it.
#pragma once

#include <span>

#include "model/block.hpp"

namespace tailrace::model {

class Agenda {
 public:
  virtual ~Agenda() = default;
  // What is wanted from the start on, by the first tick at the latest: fields that are put once.
  virtual void begin(std::span<unsigned char> wanted) {
    for (unsigned char& field : wanted) field = 0;
  }
  // Moves on to `tick` (steps strictly increase, times never decrease) and writes for each field, by its
  // index in Declarations::fields, 1 where it is wanted at this tick, 2 where it is taken if it is put, and 0
  // where not. A pure function of the ticks so far.
  virtual void advance(const Tick& tick, std::span<unsigned char> wanted) = 0;
};

}  // namespace tailrace::model
