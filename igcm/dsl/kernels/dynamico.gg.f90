! The kernels of DYNAMICO's kind: formulas in igcm/kernels/README.md.
mesh hexagons

field cell ps "Pa"
field cell full rhodz "kg m-2"
field cell full convm "kg m-2 s-1"
field cell full theta_rhodz "K kg m-2"
field cell full dtheta_rhodz "K kg m-2 s-1"
field cell full theta, pk      ! of a Boussinesq fluid relative density and pressure
field cell half geopot "m2 s-2"
field cell half wflux "kg m-2 s-1"
field cell dps "Pa s-1"
field edge full u "m s-1"
field edge full du "m s-2"
field edge full qu "m2 kg-1 s-1"
field edge full hflux "kg s-1"
field edge half wwuu "kg m-1 s-2"
field vertex full qv "m2 kg-1 s-1"
temporary edge full heat "K kg s-1"
temporary cell full B

field edge le, de "m"
field cell Ai "m2"
field vertex Av "m2"
field vertex fv "s-1"
field cell%edge ne "1"         ! +1 where the normal of an edge points out of the cell
field vertex%edge turn "1"     ! +1 where the normal of an edge turns counter-clockwise around the vertex
field vertex%cell Riv2 "1"
field edge%partner Wee "1"
field edge unguarded "1"       ! 1 where the published kernel divides by any length of the edge
field column full mass_dak, mass_ak "Pa"
field column full mass_dbk, mass_bk "1"
field column half bp "1"

constant rho0 = 1 "kg m-3"     ! of a Boussinesq fluid, where rhodz is a thickness
parameter int eta_mass, boussinesq, energy
parameter real g "m s-2"
parameter real kappa "1"
parameter real cpp "J kg-1 K-1"
parameter real ptop, preff "Pa"

kernel pvort
   foreach c in cells(extended), k in levels
      if (eta_mass == 1) then
         let m = (mass_dak(k) + ps(c)*mass_dbk(k))/g
         rhodz(c, k) = m
         theta(c, k) = merge(theta_rhodz(c, k)/m, 0, m > 0)
      else
         theta(c, k) = theta_rhodz(c, k)/rhodz(c, k)
      end if
   end foreach
   given rhodz
   foreach v in vertices(extended), k in levels
      let eta = 1/Av(v)*sum(e in v%edge: turn(v, e)*u(e, k)*de(e))
      let h = sum(c in v%cell: Riv2(v, c)*rhodz(c, k))
      qv(v, k) = merge((eta + fv(v))/h, 0, h > 0)
   end foreach
   foreach e in edges(interior), k in levels: qu(e, k) = 0.5*sum(v in e%vertex: qv(v, k))
end kernel

kernel geopotential
   if (eta_mass == 1) then
      foreach c in cells(extended), k in levels upward
         let p = ptop + mass_ak(k) + mass_bk(k)*ps(c)
         let x = cpp*(p/preff)**kappa
         pk(c, k) = x
         if (p > 1e-30) geopot(c, k%upper) = geopot(c, k%lower) + (g*kappa)*rhodz(c, k)*theta(c, k)*x/p
      end foreach
   else if (boussinesq == 1) then
      foreach c in cells(extended), k in levels upward: geopot(c, k%upper) = geopot(c, k%lower) + g*rhodz(c, k)/rho0
   else
      foreach c in cells(extended): pk(c, top) = ptop + (0.5*g)*rhodz(c, top)
      foreach c in cells(extended), k in levels downward except top: &
         pk(c, k) = pk(c, k%above) + (0.5*g)*(rhodz(c, k) + rhodz(c, k%above))
      foreach c in cells(extended): ps(c) = pk(c, bottom) + (0.5*g)*rhodz(c, bottom)
      foreach c in cells(extended), k in levels upward
         let p = pk(c, k)
         let x = cpp*(p/preff)**kappa
         geopot(c, k%upper) = geopot(c, k%lower) + (g*kappa)*rhodz(c, k)*theta(c, k)*x/p
         pk(c, k) = x
      end foreach
   end if
end kernel

kernel caldyn_horiz
   if (boussinesq == 1) then
      foreach c in cells(extended): pk(c, top) = ptop + (0.5*g)*theta(c, top)*rhodz(c, top)
      foreach c in cells(extended), k in levels downward except top: &
         pk(c, k) = pk(c, k%above) + (0.5*g)*(theta(c, k)*rhodz(c, k) + theta(c, k%above)*rhodz(c, k%above))
   end if
   foreach e in edges(extended), k in levels
      hflux(e, k) = 0.5*sum(c in e%cell: rhodz(c, k))*u(e, k)*le(e)
      heat(e, k) = 0.5*sum(c in e%cell: theta(c, k))*hflux(e, k)
   end foreach
   foreach c in cells(interior), k in levels
      convm(c, k) = -(1/Ai(c)*sum(e in c%edge: ne(c, e)*hflux(e, k)))
      dtheta_rhodz(c, k) = -(1/Ai(c)*sum(e in c%edge: ne(c, e)*heat(e, k)))
   end foreach
   foreach c in cells(extended), k in levels
      let potential = 0.5*(geopot(c, k%lower) + geopot(c, k%upper))
      if (boussinesq == 1) then
         B(c, k) = pk(c, k)
         pk(c, k) = potential
      else
         B(c, k) = potential
      end if
   end foreach
   foreach c in cells(interior), k in levels: &
      if (Ai(c) > 1e-30) B(c, k) = B(c, k) + 1/(4*Ai(c))*sum(e in c%edge: le(e)*de(e)*(u(e, k)*u(e, k)))
   given hflux, B                ! at the rim of a patch, fluxes are the caller's, and B is without kinetic energy
   foreach e in edges(interior), k in levels
      if (unguarded(e) == 1 .or. de(e) > 1) then
         if (energy == 1) then
            du(e, k) = 0.5*sum(p in e%partner: Wee(e, p)*hflux(p, k)*(qu(e, k) + qu(p, k)))/de(e)
         else
            du(e, k) = qu(e, k)*sum(p in e%partner: Wee(e, p)*hflux(p, k))/de(e)
         end if
      end if
      if (de(e) > 1) then
         let warm = 0.5*(theta(e%cell(own), k) + theta(e%cell(across), k))
         du(e, k) = du(e, k) + 1/de(e)*(warm*(pk(e%cell(own), k) - pk(e%cell(across), k)) &
                                        + B(e%cell(own), k) - B(e%cell(across), k))
      end if
   end foreach
end kernel

kernel caldyn_vert
   foreach c in cells(share), k in levels downward except top: convm(c, k) = convm(c, k) + convm(c, k%above)
   foreach c in cells(interior): dps(c) = convm(c, bottom)*g
   foreach c in cells(interior), k in half_levels except bottom, top: &
      wflux(c, k) = bp(k)*convm(c, bottom) - convm(c, k%upper)
   foreach c in cells(interior), k in levels except top: &
      dtheta_rhodz(c, k) = dtheta_rhodz(c, k) - 0.5*(wflux(c, k%upper)*(theta(c, k) + theta(c, k%above)))
   foreach c in cells(interior), k in levels except bottom: &
      dtheta_rhodz(c, k) = dtheta_rhodz(c, k) + 0.5*(wflux(c, k%lower)*(theta(c, k%below) + theta(c, k)))
   given wflux                   ! at the rim of a patch it is the caller's
   foreach e in edges(interior), k in half_levels except bottom, top: &
      wwuu(e, k) = 0.5*sum(c in e%cell: wflux(c, k))*(u(e, k%upper) - u(e, k%lower))
   foreach e in edges(interior), k in levels: &
      du(e, k) = du(e, k) - (wwuu(e, k%upper) + wwuu(e, k%lower))/sum(c in e%cell: rhodz(c, k))
end kernel
