"""CUDA of a kernel: each loop is a function that threads of the GPU run, and a function of the host starts them.

Compilers of CUDA read it, and every compiler of C++, with which the threads follow each other on the CPU: so the code
is tested where there is no GPU.
"""

from __future__ import annotations

from .expressions import Printer
from .generate import KernelWriter
from .groups import Group
from .loop_writer import describe, field_size
from .nodes import At, Field, Foreach
from .writer import Writer

HELPERS = """
#define restrict __restrict__
#ifndef STENCIL_HELPERS
#define STENCIL_HELPERS
#define STENCIL_THREADS 128 /* of a block; neighbouring threads compute neighbouring points */
#define STENCIL_BLOCKS(points) ((unsigned)(((points) + STENCIL_THREADS - 1) / STENCIL_THREADS))
#define STENCIL_LAYERS(levels) ((unsigned)((levels) < 65535 ? (levels) : 65535)) /* a GPU takes no more blocks in y */
#ifdef __CUDACC__
#define STENCIL_KERNEL __global__
#define STENCIL_DEVICE __device__
#define STENCIL_HANDLE const __grid_constant__
#define STENCIL_LAUNCH(kernel) \\
  kernel<<<dim3(STENCIL_BLOCKS(stencil_points), STENCIL_LAYERS(stencil_levels)), STENCIL_THREADS>>>
/* Memory that is given back stays with the process, or each call would wait for the driver. */
[[maybe_unused]] static double *stencil_allocate(size_t size) {
  static int prepared = 0;
  int device = 0;
  void *memory = NULL;
  if (!prepared && cudaGetDevice(&device) == cudaSuccess) {
    cudaMemPool_t pool;
    unsigned long long kept = ~0ull;
    if (cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
    prepared = 1;
  }
  return cudaMallocAsync(&memory, size * sizeof(double), 0) == cudaSuccess ? (double *)memory : NULL;
}
[[maybe_unused]] static void stencil_release(double *memory) {
  if (memory != NULL) cudaFreeAsync(memory, 0);
}
/* Waits for all that was started. */
static int stencil_finish(void) {
  const cudaError_t started = cudaGetLastError(), done = cudaStreamSynchronize(0);
  return started == cudaSuccess && done == cudaSuccess ? STENCIL_OK : STENCIL_GPU_FAILED;
}
#else
#define STENCIL_KERNEL
#define STENCIL_DEVICE
#define STENCIL_HANDLE const
typedef struct {
  unsigned x, y;
} stencil_index;
static stencil_index blockIdx, threadIdx, blockDim = {STENCIL_THREADS, 1}, gridDim;
#define STENCIL_LAUNCH(kernel) \\
  gridDim.x = STENCIL_BLOCKS(stencil_points), gridDim.y = STENCIL_LAYERS(stencil_levels); \\
  for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) \\
    for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) \\
      for (threadIdx.x = 0; threadIdx.x < STENCIL_THREADS; ++threadIdx.x) kernel
[[maybe_unused]] static double *stencil_allocate(size_t size) { return (double *)malloc(size * sizeof(double)); }
[[maybe_unused]] static void stencil_release(double *memory) { free(memory); }
static int stencil_finish(void) { return STENCIL_OK; }
#endif
/* Of equal arguments, such as 0 and -0, the last one. */
[[maybe_unused]] static STENCIL_DEVICE inline double stencil_min(double a, double b) { return a < b ? a : b; }
[[maybe_unused]] static STENCIL_DEVICE inline double stencil_max(double a, double b) { return a > b ? a : b; }
#endif
"""
PLACE_HEAD = "static STENCIL_DEVICE inline"


class CudaWriter(KernelWriter):
    """Each loop is alone: threads of a GPU meet at its end only."""

    def plan(self):
        self.groups = {id(loop.foreach): Group([loop], "points") for loop in self.facts.loops}
        self.contracted = {}

    def allocate(self, at: int):
        for item in self.temporaries:
            size = field_size(self.mesh, self.target, item)
            self.line(f"double *const {item.name} = stencil_allocate((size_t)({size} + 1));", at)
        if self.temporaries:
            self.line(f"if ({' || '.join(f'{item.name} == NULL' for item in self.temporaries)}) {{", at)
            self.out.depth += 1
            self.release(None)
            self.line("return STENCIL_NO_MEMORY;")
            self.out.depth -= 1
            self.line("}")

    def release(self, at: int | None):
        for item in self.temporaries:
            self.line(f"stencil_release({item.name});", at)

    def finish(self, at: int):
        self.line("const int stencil_status = stencil_finish();", at)
        self.release(at)
        self.line("return stencil_status;", at)

    def begin_exchange(self, fields: list[Field], at: At):
        self.line("if (grid->begin_exchange != NULL && stencil_finish() != STENCIL_OK) {", at)
        self.out.depth += 1
        self.release(None)
        self.line("return STENCIL_GPU_FAILED;")
        self.out.depth -= 1
        self.line("}")
        super().begin_exchange(fields, at)

    def group(self, group: Group):
        node = group.loops[0].foreach
        printer, body = self.body(node, group)
        at, chosen = node.at.line, f"grid->{node.location}_{node.point.set}"
        names = self.arguments(printer, body, node)
        function = f"stencil_{self.facts.kernel.name}_{len(self.functions) + 1}"
        self.functions.append(self.device_function(function, node, names, printer, body))
        self.line(f"/* {describe(node)} */", at)
        self.open(None, f"for (int32_t range = 0; range < {chosen}.count; ++range)", node.point.at)
        ends = [f"{chosen}.ranges[2 * range{plus}]" for plus in ("", " + 1")]
        self.line(f"const ptrdiff_t range_first = {ends[0]}, range_end = {ends[1]};", node.point.at)
        levels = "1"
        if node.level and not node.level.direction:
            below, end = self.level_ends(node)
            levels = f"{end} - {below}" if below else end
        self.line(
            f"const ptrdiff_t stencil_points = range_end - range_first, stencil_levels = {levels};", node.point.at
        )
        self.line("if (stencil_points < 1 || stencil_levels < 1) continue;", node.point.at)
        self.line(f"STENCIL_LAUNCH({function})({', '.join(['*grid', 'range_first', 'range_end', *names])});", at)
        self.out.depth -= 1
        self.line("}")

    def device_function(
        self, function: str, node: Foreach, names: dict[str, str], printer: Printer, body: Writer
    ) -> str:
        host, self.out = self.out, self.writer()
        at, c = node.at.line, node.point.variable
        declared = [
            f"STENCIL_HANDLE stencil_{self.mesh.name} stencil_handle",
            "ptrdiff_t range_first",
            "ptrdiff_t range_end",
        ]
        self.line(f"static STENCIL_KERNEL void {function}({', '.join([*declared, *names.values()])}) {{", at)
        self.out.depth += 1
        self.line(f"const stencil_{self.mesh.name} *const grid = &stencil_handle;", at)
        self.line(
            f"const ptrdiff_t {c} = range_first + (ptrdiff_t)blockIdx.x * blockDim.x + threadIdx.x;", node.point.at
        )
        self.line(f"if ({c} >= range_end) return;", node.point.at)
        self.line("(void)grid;", at)
        self.lines([printer.lookup(name) for name in printer.neighbours], at)
        if node.level and node.level.direction:
            self.level_loop(node, None)
        elif node.level:
            k, (below, end) = node.level.variable, self.level_ends(node)
            first = f"{below} + (ptrdiff_t)blockIdx.y" if below else "blockIdx.y"
            self.open(None, f"for (ptrdiff_t {k} = {first}; {k} < {end}; {k} += gridDim.y)", node.level.at)
        self.append(body)
        while self.out.depth > 0:
            self.out.depth -= 1
            self.line("}")
        text, self.out = self.out.text(), host
        return text
