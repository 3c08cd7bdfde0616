// Program of ICON's kind: vertical integration.
#include "programs.hpp"

int main(int argc, char** argv) {
  return igcm::icon::run("icon_vertical_integration", "O2VertIntegration__gv_vi", argc, argv);
}
