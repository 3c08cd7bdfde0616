/* The tendencies of shallow water on hexagons; formulas in shallow_water.hpp. Depth is at the vertices of the grid,
   which are the centres of its hexagons, velocity at edges, vorticity in cells, the corners of hexagons. */
mesh triangles;

field vertex height, ground "m";
field edge velocity "m s-1";
field cell coriolis "s-1";

field edge wall, distance "m";       // between the corners, between the centres
field vertex area "m2";
field cell corner_area "m2";
field vertex.edge outward "1";       // +1 where the normal of the edge points out of the hexagon
field vertex.edge there "1";         // 0 for the sixth edge of a pentagon
field cell.edge turn "1";            // +1 where it turns counter-clockwise around the corner
field cell.vertex kite "m2";         // area that a corner shares with a hexagon
field vertex.cell share "m2";        // the same, by hexagon
field edge.partner weight "1";

field edge flux "m3 s-1";
field cell vorticity "s-1";
field cell q "m-1 s-1";
field vertex bernoulli "m2 s-2";
field vertex divergence "s-1";
field vertex q_in_volume "m-1 s-1";
field edge q_at_edge "m-1 s-1";
field vertex height_change "m s-1";
field edge velocity_change "m s-2";

parameter real gravity "m s-2";
parameter real upwinding "1";
parameter real viscosity "m2 s-1";
parameter real dt "s";

kernel shallow_water_diagnose {
  exchange height, velocity;
  foreach e in edges
    flux[e] = 0.5 * sum(v in e.vertex: height[v]) * velocity[e] * wall[e];
  foreach c in cells {
    let circulation = sum(e in c.edge: turn[c, e] * distance[e] * velocity[e]);
    let depth = sum(v in c.vertex: kite[c, v] * height[v]);
    vorticity[c] = circulation / corner_area[c];
    q[c] = (circulation / corner_area[c] + coriolis[c]) / (depth / corner_area[c]);
  }
  foreach v in vertices {
    let kinetic = sum(e in v.edge: there[v, e] * wall[e] * distance[e] * (velocity[e] * velocity[e]));
    bernoulli[v] = gravity * (height[v] + ground[v]) + kinetic / (4 * area[v]);
    divergence[v] = sum(e in v.edge: outward[v, e] * wall[e] * velocity[e]) / area[v];
  }
}

/* After shallow_water_diagnose. */
kernel shallow_water_tendencies {
  foreach e in edges
    q_at_edge[e] = 0.5 * sum(c in e.cell: q[c]);
  if (upwinding > 0) {
    foreach v in vertices
      q_in_volume[v] = sum(c in v.cell: share[v, c] * q[c]) / area[v];
    exchange q_in_volume;
    foreach e in edges {
      let turned = sum(p in e.partner: weight[e, p] * wall[p] * velocity[p]);
      let along = (q[e.cell[0]] - q[e.cell[1]]) / wall[e];
      let across = (q_in_volume[e.vertex[1]] - q_in_volume[e.vertex[0]]) / distance[e];
      q_at_edge[e] -= upwinding * dt * (velocity[e] * across + turned / distance[e] * along);
    }
  }
  foreach v in vertices
    height_change[v] = -(sum(e in v.edge: outward[v, e] * flux[e]) / area[v]);
  exchange q_at_edge;
  foreach e in edges {
    let turned = 0.5 * sum(p in e.partner: weight[e, p] * flux[p] * (q_at_edge[e] + q_at_edge[p]));
    velocity_change[e] = (turned + bernoulli[e.vertex[0]] - bernoulli[e.vertex[1]]) / distance[e];
  }
  if (viscosity > 0) {
    foreach v in vertices
      height_change[v] += viscosity * (sum(e in v.edge: outward[v, e] * wall[e] / distance[e]
                                           * (height[e.vertex[1]] - height[e.vertex[0]])) / area[v]);
    foreach e in edges
      velocity_change[e] += viscosity * ((divergence[e.vertex[1]] - divergence[e.vertex[0]]) / distance[e]
                                         - (vorticity[e.cell[0]] - vorticity[e.cell[1]]) / wall[e]);
  }
}
