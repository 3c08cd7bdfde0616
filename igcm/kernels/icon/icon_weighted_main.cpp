// Program of ICON's kind: a field of levels weighted by one without.
#include "programs.hpp"

int main(int argc, char** argv) {
  return igcm::icon::run("icon_weighted", "O3Indirect2D__gv_ind2Dvar", argc, argv);
}
