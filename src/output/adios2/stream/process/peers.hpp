// Who is connected to this process, by TCP over IPv4. ADIOS2 tells nobody how many readers it has.
#pragma once

namespace tailrace::output::adios2::stream {

int connected_peers();  // of this moment; who has hung up does not count

}  // namespace tailrace::output::adios2::stream
