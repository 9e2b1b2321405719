// run: -g 8 -l 8 --sub-group-size 8 -a 'int[8]=3'
// Nobody has a negative value.

kernel void first(global int* data) {
  const int i = get_local_id(0);
  const uint4 negative = sub_group_ballot(data[i] < 0);
  data[i] = sub_group_ballot_find_lsb(negative);
}
