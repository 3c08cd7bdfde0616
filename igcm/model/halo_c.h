/* The halo exchange of halo.hpp for C, Fortran and Python; its functions fit into the handles of generated
   stencils (igcm/dsl). */
#ifndef IGCM_HALO_C_H
#define IGCM_HALO_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct igcm_halo igcm_halo;

/* For cells, edges and vertices: how many points this rank has, their global numbers, and the ranks that own
   them. comm: a communicator as Fortran has it. Collective. Returns NULL and a text of less than `length`
   bytes in `error` where points do not fit those of other ranks. */
igcm_halo* igcm_halo_make(int comm, const int32_t counts[3], const int32_t* const numbers[3],
                          const int32_t* const owners[3], char* error, int32_t length);
void igcm_halo_free(igcm_halo* halo);

/* halo: an igcm_halo. shapes: for each field its location (0 cells, 1 edges, 2 vertices), levels and block
   (halo.hpp). The fields may not be changed until igcm_halo_end. */
void igcm_halo_begin(void* halo, int32_t count, double* const* fields, const int32_t* shapes);
void igcm_halo_end(void* halo);

#ifdef __cplusplus
}
#endif

#endif
