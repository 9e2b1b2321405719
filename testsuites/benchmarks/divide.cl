// (z) dates of days: divisions and remainders of integers by constants and by an argument
kernel void divide(uint divisor, global const uint *days, global uint *out)
{
    const size_t i = get_global_id(0);
    const uint z = days[i] % 3000000 + 719468, era = z / 146097, of_era = z - era * 146097;
    const uint year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const uint day = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100), month = (5 * day + 2) / 153;
    out[i] = (year_of_era + era * 400) * 512 + month * 32 + (day - (153 * month + 2) / 5 + 1) + days[i] / divisor + days[i] % divisor;
}
