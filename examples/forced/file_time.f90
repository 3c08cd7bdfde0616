! Times of files as seconds since the start of the run, in the Gregorian calendar, and the months of a climatology.
module file_time
  use settings, only: rk
  implicit none
  private
  public :: seconds_of, month_of, middle_of_month

contains

  ! `units`: such as "hours since 2001-07-01" or "days since 2001-07-01 00:00:00", at midnight.
  pure function seconds_of(start, units, values) result(seconds)
    integer, intent(in) :: start(3)
    character(*), intent(in) :: units
    real(rk), intent(in) :: values(:)
    real(rk) :: seconds(size(values)), length
    integer :: since, year, month, day
    since = index(units, ' since ')
    read (units(since + 7:since + 10), *) year
    read (units(since + 12:since + 13), *) month
    read (units(since + 15:since + 16), *) day
    select case (units(:since - 1))
    case ('days'); length = 86400
    case ('hours'); length = 3600
    case ('minutes'); length = 60
    case default; length = 1
    end select
    seconds = values*length + 86400.0_rk*(day_number(year, month, day) - day_number(start(1), start(2), start(3)))
  end function seconds_of

  ! The number of the month of a time, from January of the year of the start; beyond 12 in later years.
  pure integer function month_of(start, time) result(month)
    integer, intent(in) :: start(3)
    real(rk), intent(in) :: time
    month = start(2)
    do while (begin_of_month(start, month + 1) <= time)
      month = month + 1
    end do
  end function month_of

  pure real(rk) function middle_of_month(start, month) result(middle)
    integer, intent(in) :: start(3), month
    real(rk) :: begin
    begin = begin_of_month(start, month)
    middle = begin + (begin_of_month(start, month + 1) - begin)/2
  end function middle_of_month

  pure real(rk) function begin_of_month(start, month) result(begin)
    integer, intent(in) :: start(3), month
    integer :: year
    year = start(1) + floor((month - 1)/12.0_rk)
    begin = 86400.0_rk*(day_number(year, modulo(month - 1, 12) + 1, 1) - day_number(start(1), start(2), start(3)))
  end function begin_of_month

  ! The days since 1 March of year 0, in the Gregorian calendar.
  pure integer function day_number(year, month, day) result(days)
    integer, intent(in) :: year, month, day
    integer :: y, m
    y = merge(year, year - 1, month > 2)
    m = modulo(month - 3, 12)
    days = 365*y + y/4 - y/100 + y/400 + (153*m + 2)/5 + day - 1
  end function day_number
end module file_time
