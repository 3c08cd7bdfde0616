// Program of ICON's kind: neighbours in both directions with parameters of different kinds.
#include "programs.hpp"

int main(int argc, char** argv) { return igcm::icon::run("icon_mixed", "O8ind__gv_o8var", argc, argv); }
