// Program of ICON's kind: gradient.
#include "programs.hpp"

int main(int argc, char** argv) { return igcm::icon::run("icon_gradient", "grad__gv_grad", argc, argv); }
