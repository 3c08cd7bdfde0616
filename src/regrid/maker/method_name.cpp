#include "regrid/maker/method_name.hpp"

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

}  // namespace tailrace::regrid
