"""A compiler of stencils on meshes: igcm/dsl/README.md."""
