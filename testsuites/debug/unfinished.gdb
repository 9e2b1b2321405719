echo begins\n
while 1
  if 0
end
