// Runs every task inside the call, as mode inline does.
#pragma once

#include <optional>

#include "base/error.hpp"
#include "env/executor.hpp"

namespace tailrace::env::testing {

struct InlineExecutor : Executor {
  std::optional<base::Fault> fault;  // what a task threw

  void submit(Work work, bool /*light*/ = false) override {
    try {
      work();
    } catch (...) {
      fault = base::current_fault();
    }
  }
  void write(Work work) override { submit(std::move(work)); }
  int running() const override { return 0; }
  int threads() const override { return 0; }
  bool does_light_work_at_once() const override { return true; }
};

}  // namespace tailrace::env::testing
