// The model's side of Tailrace: the mesh in parts, fields in volumes, at edges and at corners.
#pragma once

#include <tailrace/tailrace.hpp>
#include <vector>

#include "shallow_water.hpp"
#include "tracers.hpp"

namespace igcm::model {

class Output {
 public:
  /// Declares grids and fields; the session may have further declarations, then `ready`. All must outlive it.
  /// tracers: null if there are none.
  Output(tailrace::Session& session, const Part& part, ShallowWater& model, Tracers* tracers);
  /// Puts what is wanted at the session's present step. Collective.
  void put(State& state);
  /// Puts the state for a checkpoint, and makes it, if one is due. Collective.
  void checkpoint(const State& state);
  /// The own part of the state from the checkpoint of a run that restarts.
  void restore(State& state);

 private:
  void declare_grids();
  void declare_fields();
  void declare_columns();
  void put_tracers();
  void put_state_of_tracers();
  void put_wind(const State& state);

  tailrace::Session& io_;
  const Part& part_;
  ShallowWater& model_;
  Tracers* tracers_;
  tailrace::FieldHandle depth_, surface_, zonal_, meridional_, vorticity_, velocity_, area_, bottom_;
  tailrace::FieldHandle tracer_, tracer_state_, air_state_;
};

}  // namespace igcm::model
