/* The kernels of ICON's kind: formulas in igcm/kernels/README.md. */
mesh triangles;

field cell full T "K";
field edge full grad "K m-1";
field cell full dvg, lap "K m-2";
field cell full mean "K";
field cell vi "K m";
field edge full weighted;
field cell full mixed;

field column full thickness "m";
field edge grad_weight "m-1";
field cell.edge div_weight "m-1";
field cell.neighbour lap_weight "m-2";
field edge edge_weight;
field cell p;
field cell.edge share;
field cell full q "1";
temporary cell full v;
parameter real factor "m2";

/* The normal component of the gradient, towards the first cell. */
kernel gradient {
  foreach e in edges, k in levels
    grad[e, k] = (T[e.cell[0], k] - T[e.cell[1], k]) * grad_weight[e];
}

kernel divergence {
  foreach c in cells, k in levels
    dvg[c, k] = 0 + sum(e in c.edge: div_weight[c, e] * grad[e, k]);
}

kernel laplacian {
  foreach c in cells, k in levels
    lap[c, k] = sum(n in c.neighbour: lap_weight[c, n] * (T[n, k] - T[c, k]));
}

/* The "Laplacian" of the sheet. */
kernel neighbour_mean {
  foreach c in cells, k in levels
    mean[c, k] = sum(n in c.neighbour: T[n, k]) / 3;
}

kernel vertical_integration {
  foreach c in cells, k in levels upward
    vi[c] += T[c, k] * thickness[k];
}

kernel weighted_gradient {
  foreach e in edges, k in levels
    weighted[e, k] = (p[e.cell[0]] * T[e.cell[0], k] - p[e.cell[1]] * T[e.cell[1], k]) * edge_weight[e];
}

/* Neighbours on mixed locations, and levels below. The lowest level is left as it is. */
kernel mixed_neighbours {
  foreach c in cells, k in levels
    v[c, k] = sum(e in c.edge: share[c, e] * grad[e, k]);
  foreach c in cells, k in levels except bottom, top
    mixed[c, k] = q[c, k] * v[c, k] + (1 - q[c, k]) * v[c, k.below];
  foreach c in cells
    mixed[c, top] = 0.4 * v[c, top] + 0.3 * v[c, top.below] + 0.3 * v[c, top.below.below];
}

/* A step of diffusion: factor is the diffusivity times the time step. */
kernel add_scaled {
  foreach c in cells, k in levels
    T[c, k] += factor * dvg[c, k];
}
