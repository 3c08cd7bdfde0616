// Shared by the programs of DYNAMICO's kernels: indices, the made rhombus, the head of the report.
#pragma once

#include "../common/dataset.hpp"
#include "../common/program.hpp"
#include "rhombus.hpp"

namespace igcm::dynamico {

// The first 27 numbers of the attribute `indices`; checked, so that a kernel stays within its arrays. A
// kernel has `extra` numbers more: they follow in the attribute.
Rhombus rhombus_of(const Dataset& data, std::size_t extra);
int extra_index(const Dataset& data, std::size_t number);

// One of the further numbers of `indices`, with the values that it may have.
struct Switch {
  const char* name;
  int least, most;
};
inline constexpr Switch caldyn_eta{"caldyn_eta", 1, 2}, caldyn_conserv{"caldyn_conserv", 1, 2},
    boussinesq_switch{"boussinesq", 0, 1};
// Checks all of `indices`, before a report or a kernel uses them; throws with the name, the value and what
// was expected.
void check_indices(const Dataset& data, const std::vector<Switch>& switches);

// A rhombus of iim x jjm cells (at least 5 x 6) in a smoothly distorted hexagonal lattice 115 km wide:
// attributes, and the metrics le de Ai Av fv Riv2 Wee. One edge does not exist (le = de = 0), as at a
// pentagon. `extra` completes the indices.
Dataset made_rhombus(const Options& options, const std::vector<int>& extra);

enum class At { cells, edges, vertices };
// Adds a field middle + amplitude * smooth noise; `levels` = 0 makes a horizontal field.
void add_noise(Dataset& data, const std::string& name, At place, std::size_t levels, double middle,
               double amplitude);
// Adds hybrid coefficients a (Pa) and b at the lower faces of layers, or at all `faces`.
void add_hybrid(Dataset& data, const std::string& a, const std::string& b, std::size_t levels);

// Sizes and offsets, in labels of 30 columns.
std::string head(const Dataset& data, const std::vector<std::string>& extra_labels);

// Sizes of the made input.
inline const std::map<std::string, int> default_sizes{{"iim", 23}, {"jjm", 25}, {"llm", 19}};

}  // namespace igcm::dynamico
