// (z) a stack machine whose operations are functions of a struct in private memory
typedef struct {
    uint stack[16];
    uint top, at, kept;
} machine;

void push(machine *m, uint x) { m->stack[m->top++ & 15] = x; }
uint pop(machine *m) { return m->stack[--m->top & 15]; }
void add(machine *m) { const uint b = pop(m), a = pop(m); push(m, a + b); }
void multiply(machine *m) { const uint b = pop(m), a = pop(m); push(m, a * b); }
void differ(machine *m) { const uint b = pop(m), a = pop(m); push(m, a ^ b); }
void twice(machine *m) { const uint a = pop(m); push(m, a); push(m, a); }
void swap(machine *m) { const uint b = pop(m), a = pop(m); push(m, b); push(m, a); }
void turn(machine *m) { push(m, rotate(pop(m), 7u)); }
void keep(machine *m) { m->kept = pop(m); push(m, m->kept); }
void skip(machine *m) { if (pop(m) & 1) m->at += 3; }

kernel void stack_machine(global const uchar *code, global const uint *in, global uint *out)
{
    const size_t i = get_global_id(0);
    machine m;
    for (uint k = 0; k < 16; ++k)
        m.stack[k] = in[i] + k;
    m.top = 8;
    m.at = i % 7 * 13;
    m.kept = in[i];
    for (int k = 0; k < 100; ++k) {
        const uint op = code[m.at++ & 255];
        switch (op % 10) {
        case 0: add(&m); break;
        case 1: multiply(&m); break;
        case 2: differ(&m); break;
        case 3: twice(&m); break;
        case 4: swap(&m); break;
        case 5: turn(&m); break;
        case 6: keep(&m); break;
        case 7: push(&m, m.kept); break;
        case 8: push(&m, op); break;
        case 9: skip(&m); break;
        }
    }
    out[i] = m.stack[m.top & 15] ^ m.kept;
}
