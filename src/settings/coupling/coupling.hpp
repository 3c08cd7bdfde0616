// `yac:`, what the component that `tailrace serve --yac` makes of its processes is in a coupled run: its
// name, its grids, and what YAC does not know of its fields. Only that command uses the section.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/section.hpp"
#include "regrid/options.hpp"
#include "settings/servers/servers.hpp"

namespace tailrace::settings {

struct CoupledGrid {  // an entry under `yac.grids`
  std::string name;   // of YAC's grid, and of Tailrace's
  regrid::Target target;
  config::Location location;
  bool operator==(const CoupledGrid& other) const { return name == other.name && target == other.target; }
};

struct CoupledField {  // an entry under `yac.fields`
  std::string name;    // of the field of this component
  config::Location location;
  std::string levels;                // the dim of its collection; empty: level_N for N of them
  std::optional<double> fill_value;  // not given: NaN
  bool operator==(const CoupledField& other) const {
    return name == other.name && levels == other.levels && fill_value == other.fill_value;
  }
};

struct CoupledLevels {  // an entry under `yac.levels`
  std::string dim;      // along collections
  config::Location location;
  std::string file;
  std::string variable;  // in the file
  bool operator==(const CoupledLevels& other) const {
    return dim == other.dim && file == other.file && variable == other.variable;
  }
};

struct Coupling {
  std::string component = "tailrace";
  config::Location location;  // line 0: the configuration has no such section
  std::vector<CoupledGrid> grids;
  std::vector<CoupledField> fields;
  std::vector<CoupledLevels> levels;
  double wait_seconds = 1800.0;                   // from one exchange of a field to the next; 0: no limit
  bool operator==(const Coupling& other) const {  // wherever they stand
    return component == other.component && grids == other.grids && fields == other.fields &&
           levels == other.levels && wait_seconds == other.wait_seconds;
  }
};

config::Section<Coupling> coupling_section();

// A text with this section has other defaults for `servers`: they run in the processes of the component, of
// which each has a part of the grids, and which call no HDF5 themselves. `root`: the whole text.
void set_defaults_of_servers(const Coupling& coupling, const config::Value& root, ServersOptions& servers);

}  // namespace tailrace::settings
