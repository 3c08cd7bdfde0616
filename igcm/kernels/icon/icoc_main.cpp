// Program of ICON's kind: all results of an exchange file of the sheet.
#include "programs.hpp"

int main(int argc, char** argv) { return igcm::icon::run("icoc", "all", argc, argv); }
