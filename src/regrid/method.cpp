#include "regrid/method.hpp"

namespace tailrace::regrid {

std::string name_of(Method method) {
  switch (method) {
    case Method::conservative: return "conservative";
    case Method::bilinear: return "bilinear";
    case Method::nearest: return "nearest";
    case Method::average: return "average";
    case Method::largest_area: return "largest_area";
    case Method::file: return "file";
  }
  return "";
}

std::string name_of(Normalisation normalisation) {
  return normalisation == Normalisation::destarea ? "destarea" : "fracarea";
}

bool needs_corners(Method method) { return method == Method::conservative || method == Method::largest_area; }

bool picks(Method method) { return method == Method::nearest || method == Method::largest_area; }

}  // namespace tailrace::regrid
