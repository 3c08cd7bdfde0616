// The scenario of a player, read from a JSON file that tests/support/harness.py writes. That file describes
// each key; names are the same.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tailrace/tailrace.hpp"

namespace player {

struct Coordinate {
  tailrace::CoordinateSpec spec;
  double first = 0.0,
         spacing =
             1.0;     // the value at place i of its cells (of the whole, in C order) is first + spacing * i
  bool part = false;  // give only this rank's part along decomposed dimensions
  // Of each value; vertex v lies at the value + spacing * (v / (vertices - 1) - 1 / 2).
  std::size_t vertices = 0;
};

struct Grid {
  std::string name, kind;  // block, indexed, replicated
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;
  std::vector<std::string> split;  // block: the dims that are split over the ranks
  std::int64_t blocks = 1;         // block: of each rank, along the first of these dims
  std::string indexed_dim;         // indexed
  bool mesh = false;               // indexed: give a triangle for each cell,
  bool mesh_in_parts = false;      // and only the nodes of this rank's cells
  std::string node_units;          // of the mesh
  std::string mesh_location;  // edge, node: of the mesh of the grid before; edge i joins nodes i and i + 1
  std::optional<tailrace::GridMappingSpec> mapping;
  std::vector<Coordinate> coordinates;
};

struct Field {
  tailrace::FieldSpec spec;
  std::string how = "dense";                // dense, strided (out of an array with halos), acquire
  bool fixed = false;                       // its values are always those of the start
  std::vector<std::int64_t> missing_steps;  // at which it is not put,
  std::vector<int> missing_ranks;           // by these ranks; empty: by any
};

struct Input {
  tailrace::InputSpec spec;
  std::string how = "dense";   // dense, strided (into an array with halos)
  std::int64_t from_step = 0;  // it is got from this step on; 0: also before the first step
  std::int64_t every = 1;      // at multiples of so many steps
};

struct Fault {
  std::string kind;  // empty: none; else see faults.cpp
  int rank = 0;      // of the component
  std::int64_t step = 0;
  int victim = 0;  // of kind kill: rank in MPI_COMM_WORLD
};

struct Scenario {
  std::string component, configuration;
  double initial_time = 0.0;
  std::vector<double> times;           // of step 1, 2, ...
  double pace = 0.0;                   // seconds of sleep in each step
  std::size_t exchange_values = 200;   // that each rank sends its neighbour between two calls; 0: none
  bool report_steps = false;           // the first rank prints `STEP n` after each step
  bool in_step = false;                // the ranks wait for each other before each step
  bool asks_stop = false;              // queries stop_requested after each step, and finishes if it is set
  bool checkpoints = false;            // makes one when due, and continues from one
  std::vector<std::int64_t> requests;  // steps at which it requests a checkpoint
  std::vector<std::string> got;        // fields that it reads after a restart, and checks
  std::map<std::string, std::int64_t> options;
  std::vector<Grid> grids;
  std::vector<Field> fields;
  std::vector<Input> inputs;
  Fault fault;

  static Scenario read(const std::string& path);
};

tailrace::Type type_named(const std::string& name);

}  // namespace player
