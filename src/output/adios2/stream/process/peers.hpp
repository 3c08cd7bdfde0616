// Counts the peers of this process, by TCP over IPv4, since ADIOS2 does not report how many readers it has.
#pragma once

namespace tailrace::output::adios2::stream {

int connected_peers();  // of this moment; who has hung up does not count

}  // namespace tailrace::output::adios2::stream
