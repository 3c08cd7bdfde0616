// A configuration with something in each of its sections.
#pragma once

#include <string>

namespace tailrace::settings::testing {

inline const std::string whole = R"(tailrace: 1
servers:
  mode: dedicated
  count: 2
  threads: auto
  buffer: 64 MiB
  when_full: spill
  watchdog: off
model_time: {calendar: standard, start: 2026-01-01}
fields:
  state:  {every: 1 step,  names: [u, w, theta]}
  budget: {every: 5 steps, names: [vwp], optional: true, namespace: scalar}
diagnostics: {}
groups:
  three_d: [u, w, theta]
output:
  profiles_{case}.nc:
    format: netcdf
    write_every: 100 s
    on_error: retry
    retry_for: 2 min
    compression: {codec: zlib, level: 1, shuffle: true}
    attributes: {title: "Case {case}", levels: [1, 2.5], run: 7}
    time_stamp: middle
    variables:
      - {field: scalar.vwp, name: vwp, time: mean, every: 10 s, type: float32}
      - {group: three_d, every: 5 s, compression: zstd, chunk: [1, "{nz}", 4]}
input:
)";

}  // namespace tailrace::settings::testing
