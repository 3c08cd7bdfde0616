// Program of ICON's kind: divergence.
#include "programs.hpp"

int main(int argc, char** argv) { return igcm::icon::run("icon_divergence", "dvg__gv_dvg", argc, argv); }
