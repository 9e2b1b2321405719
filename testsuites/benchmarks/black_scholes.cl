// (m) prices of options in double: log, exp, sqrt
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
double cumulative(double d)
{
    const double k = 1.0 / (1.0 + 0.2316419 * fabs(d));
    const double tail = 0.3989422804014327 * exp(-0.5 * d * d) * k *
        (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429))));
    return d > 0 ? 1.0 - tail : tail;
}

kernel void black_scholes(global const double *price, global const double *strike, global const double *years,
                          global double *call, global double *put)
{
    const size_t i = get_global_id(0);
    const double rate = 0.02, volatility = 0.3;
    const double root = sqrt(years[i]);
    const double d1 = (log(price[i] / strike[i]) + (rate + 0.5 * volatility * volatility) * years[i]) / (volatility * root);
    const double d2 = d1 - volatility * root;
    const double discount = strike[i] * exp(-rate * years[i]);
    const double c = price[i] * cumulative(d1) - discount * cumulative(d2);
    call[i] = c;
    put[i] = c + discount - price[i];
}
