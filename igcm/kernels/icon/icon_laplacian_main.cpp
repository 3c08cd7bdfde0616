// Program of ICON's kind: Laplacian; on the sheet the mean of the neighbours.
#include "programs.hpp"

int main(int argc, char** argv) { return igcm::icon::run("icon_laplacian", "lap__gv_temp", argc, argv); }
