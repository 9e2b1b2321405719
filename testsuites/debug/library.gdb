# What script.dbg reads: as gdb's scripts are written.
define power
  set $result = 1
  set $count = 0
  while $count < $arg1
    set $result *= $arg0
    set $count++
  end
end
document power
power BASE EXPONENT: leaves BASE to the EXPONENT in $result.

Both are integers.
end

define wrong
  if $argc == 0
    print nothing_of_this_name
  end
end

set confirm off
set pagination off
set width 0
set height 0
set verbose off
