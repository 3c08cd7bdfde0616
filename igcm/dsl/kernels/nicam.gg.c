/* The kernels of NICAM's kind on regions: formulas in igcm/kernels/README.md. The poles are columns and walls of another
   mesh; kernels of columns take them as they are. A region whose corner is a pentagon has tables that say so. */
mesh regions;

constant big = 1.7976931348623157e308;
constant eps = 2.220446049250313e-16;
constant gravity = 9.80616 "m s-2";
constant rdry = 287 "J kg-1 K-1";
constant cvdry = 717.5 "J kg-1 K-1";
parameter real dt "s";
parameter real alpha "1";

/* Diffusion and divergence damping */
field cell full scl, kh, dscl;
field cell full rhogvx, rhogvy, rhogvz "kg m-2 s-1";
field cell half rhogw "kg m-2 s-1";
field cell full ddivdx, ddivdy, ddivdz "kg m-4 s-1";
field vertex.cell intp_x, intp_y, intp_z "m-1";
field cell.edge diff_x, diff_y, diff_z "m-1";
field cell half c2w_1, c2w_2, c2w_3, c2w_4, c2w_5, c2w_6, rgsqrth "1";
field cell full rgam "1";
field cell half rgamh "1";
field column full rdgz "m-1";
temporary vertex full vx, vy, vz;
temporary cell half w "kg m-2 s-1";
temporary vertex full div "kg m-3 s-1";

/* Vertical limiter */
field cell full q;
field cell full d, ck_lower, ck_upper "1";
field cell half q_h;
temporary cell full least, most;

/* Solver */
field cell half rhogw0 "kg m-2 s-1";
field cell full preg0 "Pa";
field cell full rhog0 "kg m-3";
field cell full Srho "kg m-3 s-1";
field cell half Sw "kg m-2 s-2";
field cell full Spre "Pa s-1";
field cell half Mc, Ml, Mu;
field cell full rgsgam2;
field cell half rgsgam2h, gsgam2h;
field column half rdgzh "m-1";
field column half afact, bfact "1";
temporary cell half rhs, beta, gam;

/* Horizontal flux and its limiter. side: 1 for faces of own walls, -1 for those of other cells, 0 where there is none. */
field cell full rhog "kg m-3";
field cell rarea "m-2";
field vertex.cell weight "1";
field edge hnx, hny, hnz, xr_x, xr_y, xr_z "m";
field cell.face side "1";
field cell.face full flx "kg m-3";
field edge full xc_x, xc_y, xc_z "m";
temporary vertex full rho_t "kg m-3";
temporary vertex full vx_t, vy_t, vz_t "kg m-2 s-1";
temporary edge full flow "kg m-1 s-1";
field cell.face full ch, q_face "1";
field edge full cmask, q_wall, own_min, own_max, across_min, across_max "1";
field cell full tracer, qout_min, qout_max "1";

kernel diffusion {
  foreach v in vertices, k in levels {
    let s1 = scl[v.cell[0], k];
    let s2 = scl[v.cell[1], k];
    let s3 = scl[v.cell[2], k];
    vx[v, k] = ((2 * intp_x[v, 0] - intp_x[v, 1] - intp_x[v, 2]) * s1 + (-intp_x[v, 0] + 2 * intp_x[v, 1] - intp_x[v, 2]) * s2
                + (-intp_x[v, 0] - intp_x[v, 1] + 2 * intp_x[v, 2]) * s3) / 3;
    vy[v, k] = ((2 * intp_y[v, 0] - intp_y[v, 1] - intp_y[v, 2]) * s1 + (-intp_y[v, 0] + 2 * intp_y[v, 1] - intp_y[v, 2]) * s2
                + (-intp_y[v, 0] - intp_y[v, 1] + 2 * intp_y[v, 2]) * s3) / 3;
    vz[v, k] = ((2 * intp_z[v, 0] - intp_z[v, 1] - intp_z[v, 2]) * s1 + (-intp_z[v, 0] + 2 * intp_z[v, 1] - intp_z[v, 2]) * s2
                + (-intp_z[v, 0] - intp_z[v, 1] + 2 * intp_z[v, 2]) * s3) / 3;
  }
  foreach c in cells(all), k in levels
    dscl[c, k] = 0;
  foreach c in cells, k in levels
    dscl[c, k] = sum(e in c.edge: 0.5 * (kh[c, k] + kh[c.neighbour[e], k]) * diff_x[c, e] * (vx[c.before[e], k] + vx[c.after[e], k]))
               + sum(e in c.edge: 0.5 * (kh[c, k] + kh[c.neighbour[e], k]) * diff_y[c, e] * (vy[c.before[e], k] + vy[c.after[e], k]))
               + sum(e in c.edge: 0.5 * (kh[c, k] + kh[c.neighbour[e], k]) * diff_z[c, e] * (vz[c.before[e], k] + vz[c.after[e], k]));
}

kernel divdamp {
  foreach c in cells(all), k in half_levels
    w[c, k] = 0;
  foreach c in cells(all), k in half_levels(inner)
    w[c, k] = (c2w_1[c, k] * rhogvx[c, k.upper] + c2w_2[c, k] * rhogvx[c, k.lower] + c2w_3[c, k] * rhogvy[c, k.upper]
               + c2w_4[c, k] * rhogvy[c, k.lower] + c2w_5[c, k] * rhogvz[c, k.upper] + c2w_6[c, k] * rhogvz[c, k.lower])
            * rgamh[c, k] + rhogw[c, k] * rgsqrth[c, k];
  foreach v in vertices, k in levels(layers)
    div[v, k] = sum(c in v.cell: intp_x[v, c] * (rhogvx[c, k] * rgam[c, k]))
              + sum(c in v.cell: intp_y[v, c] * (rhogvy[c, k] * rgam[c, k]))
              + sum(c in v.cell: intp_z[v, c] * (rhogvz[c, k] * rgam[c, k]))
              + (sum(c in v.cell: w[c, k.upper]) - sum(c in v.cell: w[c, k.lower])) / 3 * rdgz[k];
  foreach c in cells(all), k in levels {
    ddivdx[c, k] = 0;
    ddivdy[c, k] = 0;
    ddivdz[c, k] = 0;
  }
  foreach c in cells, k in levels(layers) {
    ddivdx[c, k] = sum(e in c.edge: diff_x[c, e] * (div[c.before[e], k] + div[c.after[e], k]));
    ddivdy[c, k] = sum(e in c.edge: diff_y[c, e] * (div[c.before[e], k] + div[c.after[e], k]));
    ddivdz[c, k] = sum(e in c.edge: diff_z[c, e] * (div[c.before[e], k] + div[c.after[e], k]));
  }
}

/* Limits the values at half levels. The sign of ck_lower, zeros included, says where the flow comes from. */
kernel vertical_limiter {
  foreach c in cells(all), k in levels(layers) {
    let fl = 0.5 - sign(0.5, ck_lower[c, k]);
    let fu = 0.5 + sign(0.5, ck_lower[c, k.above]);
    let ql = min(q[c, k], q[c, k.below]) + (1 - fl) * big;
    let qu = min(q[c, k], q[c, k.above]) + (1 - fu) * big;
    let xl = max(q[c, k], q[c, k.below]) + (1 - fl) * (-big);
    let xu = max(q[c, k], q[c, k.above]) + (1 - fu) * (-big);
    let lo = min(min(ql, qu), q[c, k]);
    let hi = max(max(xl, xu), q[c, k]);
    let c_in = fl * ck_lower[c, k] + fu * ck_upper[c, k];
    let c_out = (1 - fl) * ck_lower[c, k] + (1 - fu) * ck_upper[c, k];
    let pmin = fl * ck_lower[c, k] * ql + fu * ck_upper[c, k] * qu;
    let pmax = fl * ck_lower[c, k] * xl + fu * ck_upper[c, k] * xu;
    let z = 0.5 - sign(0.5, abs(c_out) - eps);
    least[c, k] = (q[c, k] - hi + hi * (c_in + c_out - d[c, k]) - pmax) / (c_out + z) * (1 - z) + q[c, k] * z;
    most[c, k] = (q[c, k] - lo + lo * (c_in + c_out - d[c, k]) - pmin) / (c_out + z) * (1 - z) + q[c, k] * z;
  }
  foreach c in cells(all), k in half_levels(inner) {
    let fl = 0.5 - sign(0.5, ck_lower[c, k.upper]);
    q_h[c, k] = fl * max(min(q_h[c, k], most[c, k.lower]), least[c, k.lower])
              + (1 - fl) * max(min(q_h[c, k], most[c, k.upper]), least[c, k.upper]);
  }
}

/* Implicit vertical momentum, by Thomas' algorithm: rhogw at the ground and at the top are boundary values. */
kernel vi_rhow_solver {
  foreach c in cells(all), k in half_levels(inner) {
    let pre = (preg0[c, k.upper] + dt * Spre[c, k.upper]) * rgsgam2[c, k.upper];
    let pre_below = (preg0[c, k.lower] + dt * Spre[c, k.lower]) * rgsgam2[c, k.lower];
    let rho = (rhog0[c, k.upper] + dt * Srho[c, k.upper]) * (rgam[c, k.upper] * rgam[c, k.upper]);
    let rho_below = (rhog0[c, k.lower] + dt * Srho[c, k.lower]) * (rgam[c, k.lower] * rgam[c, k.lower]);
    rhs[c, k] = ((rhogw0[c, k] * alpha + dt * Sw[c, k]) * (rgamh[c, k] * rgamh[c, k]) - (pre - pre_below) * dt * rdgzh[k]
                 - (rho * afact[k] + rho_below * bfact[k]) * dt * gravity) * (cvdry / rdry / (dt * dt));
  }
  foreach c in cells(all) {
    rhogw[c, bottom.above] *= rgsgam2h[c, bottom.above];
    rhogw[c, top] *= rgsgam2h[c, top];
    rhs[c, bottom.above.above] -= Ml[c, bottom.above.above] * rhogw[c, bottom.above];
    rhs[c, top.below] -= Mu[c, top.below] * rhogw[c, top];
    beta[c, bottom.above.above] = Mc[c, bottom.above.above];
    rhogw[c, bottom.above.above] = rhs[c, bottom.above.above] / beta[c, bottom.above.above];
  }
  foreach c in cells(all), k in half_levels(inner) upward except bottom {
    gam[c, k] = Mu[c, k.below] / beta[c, k.below];
    beta[c, k] = Mc[c, k] - Ml[c, k] * gam[c, k];
    rhogw[c, k] = (rhs[c, k] - Ml[c, k] * rhogw[c, k.below]) / beta[c, k];
  }
  foreach c in cells(all), k in half_levels(inner) downward except top {
    rhogw[c, k] -= gam[c, k.above] * rhogw[c, k.above];
    rhogw[c, k.above] *= gsgam2h[c, k.above];
  }
  foreach c in cells(all) {
    rhogw[c, bottom.above] *= gsgam2h[c, bottom.above];
    rhogw[c, bottom.above.above] *= gsgam2h[c, bottom.above.above];
    rhogw[c, top] *= gsgam2h[c, top];
  }
}

kernel horizontal_flux {
  foreach v in vertices(rows), k in levels {
    rho_t[v, k] = sum(c in v.cell: rhog[c, k] * weight[v, c]);
    vx_t[v, k] = sum(c in v.cell: rhogvx[c, k] * weight[v, c]);
    vy_t[v, k] = sum(c in v.cell: rhogvy[c, k] * weight[v, c]);
    vz_t[v, k] = sum(c in v.cell: rhogvz[c, k] * weight[v, c]);
  }
  foreach e in edges(all), k in levels {
    xc_x[e, k] = 0;
    xc_y[e, k] = 0;
    xc_z[e, k] = 0;
  }
  foreach e in edges(walls), k in levels {
    let vx2 = sum(v in e.vertex: vx_t[v, k]);
    let vy2 = sum(v in e.vertex: vy_t[v, k]);
    let vz2 = sum(v in e.vertex: vz_t[v, k]);
    let r = 1 / max(sum(v in e.vertex: rho_t[v, k]), eps);
    flow[e, k] = 0.5 * (vx2 * hnx[e] + vy2 * hny[e] + vz2 * hnz[e]);
    xc_x[e, k] = xr_x[e] - vx2 * r * dt * 0.5;
    xc_y[e, k] = xr_y[e] - vy2 * r * dt * 0.5;
    xc_z[e, k] = xr_z[e] - vz2 * r * dt * 0.5;
  }
  given flow; /* faces without a wall have a side of 0, and lead to a wall that is there */
  foreach c in cells(all), k in levels
    foreach f in c.face
      flx[c, f, k] = side[c, f] * flow[f, k] * rarea[c] * dt;
}

/* The least and the greatest value that may flow out of a cell. cmask: 1 where the flow goes into the own cell. */
kernel limiter_bounds {
  foreach e in edges(rows), k in levels {
    let lo = min(n in e.candidate: tracer[n, k]);
    let hi = max(n in e.candidate: tracer[n, k]);
    own_min[e, k] = cmask[e, k] * lo + (1 - cmask[e, k]) * big;
    across_min[e, k] = cmask[e, k] * big + (1 - cmask[e, k]) * lo;
    own_max[e, k] = cmask[e, k] * hi + (1 - cmask[e, k]) * (-big);
    across_max[e, k] = cmask[e, k] * (-big) + (1 - cmask[e, k]) * hi;
  }
  foreach c in cells(all), k in levels {
    qout_min[c, k] = tracer[c, k];
    qout_max[c, k] = tracer[c, k];
  }
  foreach c in cells(rows), k in levels {
    let lo = min(tracer[c, k], min(f in c.face: side[c, f] > 0 ? own_min[f, k] : across_min[f, k]));
    let hi = max(tracer[c, k], max(f in c.face: side[c, f] > 0 ? own_max[f, k] : across_max[f, k]));
    let c_in = sum(f in c.face: min(ch[c, f, k], 0));
    let c_out = ch[c, 0, k] - min(ch[c, 0, k], 0) + ch[c, 1, k] - min(ch[c, 1, k], 0) + ch[c, 2, k] - min(ch[c, 2, k], 0)
              + ch[c, 3, k] - min(ch[c, 3, k], 0) + ch[c, 4, k] - min(ch[c, 4, k], 0) + ch[c, 5, k] - min(ch[c, 5, k], 0);
    let pmin = sum(f in c.face: min(ch[c, f, k], 0) * (side[c, f] > 0 ? own_min[f, k] : across_min[f, k]));
    let pmax = sum(f in c.face: min(ch[c, f, k], 0) * (side[c, f] > 0 ? own_max[f, k] : across_max[f, k]));
    let z = 0.5 - sign(0.5, abs(c_out) - eps);
    let rest = 1 - c_in - c_out + d[c, k];
    qout_min[c, k] = (tracer[c, k] - pmax - hi * rest) / (c_out + z) * (1 - z) + tracer[c, k] * z;
    qout_max[c, k] = (tracer[c, k] - pmin - lo * rest) / (c_out + z) * (1 - z) + tracer[c, k] * z;
  }
}

/* Limits the values at walls with the bounds of both sides, after an exchange of qout; q_face has them again at the faces
   of the cells across. */
kernel limiter_apply {
  foreach e in edges(rows), k in levels {
    let a = cmask[e, k] * min(max(q_wall[e, k], own_min[e, k]), own_max[e, k])
          + (1 - cmask[e, k]) * min(max(q_wall[e, k], across_min[e, k]), across_max[e, k]);
    q_wall[e, k] = cmask[e, k] * max(min(a, qout_max[e.cell[across], k]), qout_min[e.cell[across], k])
                 + (1 - cmask[e, k]) * max(min(a, qout_max[e.cell[own], k]), qout_min[e.cell[own], k]);
  }
  given q_wall; /* as above */
  foreach c in cells(all), k in levels
    foreach f in c.face
      if (side[c, f] < 0) q_face[c, f, k] = q_wall[f, k];
}
