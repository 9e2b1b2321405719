#!/usr/bin/env python3
"""Random litmus tests, whose states and data races are compared with an enumeration of all graphs by the axioms.

    random_litmus.py --assay build/release/bin/assay --first 1 --count 200

A test has two or three processes in one or several work-groups.  They have loads, stores, exchanges and fences of any order
and scope on x and y, and plain accesses to d that may depend on what a load has read.  The axioms are those of OpenCL API
3.3.6, written down here once more: nothing is shared with assay.  A state or a race that the axioms do not have is a fault
of assay.  So is one that assay misses, if it is in the class that is explored (docs/memory_model.md): program order,
reads-from and S have no cycle.
"""

import argparse
import concurrent.futures
import dataclasses
import itertools
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST = 'relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'
LOAD, STORE, EXCHANGE, FENCE, PLAIN = 'load', 'store', 'exchange', 'fence', 'plain'
INITIAL = -1  # the store of 0 before the test


@dataclasses.dataclass(frozen=True)
class Event:
    process: int
    place: int
    kind: str
    object: str = ''
    order: str = ''
    value: int = 0  # that is stored
    writes: bool = False
    guard: tuple = ()  # of a plain access: the place of a load, and the value for which it is made
    group: int = 0
    scope: str = 'device'  # or 'work_group'

    @property
    def reads(self):
        return self.kind in (LOAD, EXCHANGE)

    def includes(self, other):
        return self.scope == 'device' or self.group == other.group

    def acquires(self):
        return self.order in (ACQUIRE, ACQ_REL, SEQ_CST) and self.kind != STORE

    def releases(self):
        return self.order in (RELEASE, ACQ_REL, SEQ_CST) and self.kind != LOAD


def made(chance):
    """The events of a random test."""
    events, stored, left = [], {'x': 0, 'y': 0}, chance.choice([4, 5, 6])
    processes = chance.choice([2, 2, 3])
    plain = chance.random() < 0.6
    narrow = 0.25 if chance.random() < 0.5 else 0  # the part of the operations whose scope is the work-group
    for process in range(processes):
        place, loads, group = 0, [], chance.choice([0, 0, 1]) if narrow else process

        def add(process=process, group=group, **fields):
            nonlocal place
            scope = 'work_group' if chance.random() < narrow else 'device'
            events.append(Event(process, place, group=group, scope=scope, **fields))
            place += 1

        def add_plain(loads=loads):
            if plain and chance.random() < 0.45:
                guard = (chance.choice(loads), chance.choice([0, 1, 1, 2])) if loads and chance.random() < 0.8 else ()
                add(kind=PLAIN, object='d', writes=chance.random() < 0.6, guard=guard)

        for _ in range(chance.randint(1, 3 if processes == 2 else 2)):
            if left == 0:
                break
            left -= 1
            add_plain()
            if place and chance.random() < 0.35:
                add(kind=FENCE, order=chance.choice([ACQUIRE, RELEASE, ACQ_REL, SEQ_CST, SEQ_CST]))
            name = chance.choice('xy')
            kind = chance.choices([LOAD, STORE, EXCHANGE], [42, 43, 15])[0]
            orders = {LOAD: [RELAXED, RELAXED, ACQUIRE, SEQ_CST], STORE: [RELAXED, RELAXED, RELEASE, SEQ_CST],
                      EXCHANGE: [RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST]}[kind]
            if kind != LOAD:
                stored[name] += 1
            if kind != STORE:
                loads.append(place)
            add(kind=kind, object=name, order=chance.choice(orders), writes=kind != LOAD,
                value=stored[name] if kind != LOAD else 0)
        add_plain()
    return events


def text_of(events, name):
    """The test in herd's format."""
    lines, asked = [f'OPENCL {name}', '{ x=0; y=0; d=0; }'], []
    for process in sorted({event.process for event in events}):
        group = next(event.group for event in events if event.process == process)
        lines.append(f'P{process}@wg {group}, dev 0 (global atomic_int* x, global atomic_int* y, global int* d) {{')
        for event in (event for event in events if event.process == process):
            order = f'memory_order_{event.order}, memory_scope_{event.scope}'
            result = f'int r{event.place} = '
            if event.reads:
                asked.append(f'{process}:r{event.place};')
            if event.kind == FENCE:
                line = f'atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, {order});'
            elif event.kind == LOAD:
                line = f'{result}atomic_load_explicit({event.object}, {order});'
            elif event.kind == STORE:
                line = f'atomic_store_explicit({event.object}, {event.value}, {order});'
            elif event.kind == EXCHANGE:
                line = f'{result}atomic_exchange_explicit({event.object}, {event.value}, {order});'
            else:
                line = f'*d = {process + 1};' if event.writes else f'int r{event.place} = *d;'
                if event.guard:
                    line = f'if (r{event.guard[0]} == {event.guard[1]}) {{ {line} }}'
            lines.append('  ' + line)
        lines.append('}')
    return '\n'.join([*lines, f'locations [{" ".join(asked)} x; y;]', 'exists (x=77)']) + '\n'


def closed(count, pairs):
    """The transitive closure, as a set of followers for each event."""
    follows = [set() for _ in range(count)]
    for a, b in pairs:
        follows[a].add(b)
    for middle in range(count):
        for a in range(count):
            if middle in follows[a]:
                follows[a] |= follows[middle]
    return follows


class Graph:
    """Program order, which store each load reads from, and the order of the stores to each object."""

    def __init__(self, events, source, place):
        self.events, self.source, self.place = events, source, place  # source: of a load; place: of a store in its order
        self.all = range(len(events))
        self.before = [(a, b) for a in self.all for b in self.all if self.precedes(a, b)]
        self.happens = closed(len(events), self.before + list(self.synchronizations()))

    def precedes(self, a, b):
        return self.events[a].process == self.events[b].process and self.events[a].place < self.events[b].place

    def stores(self, name):
        return sorted((i for i in self.place if self.events[i].object == name), key=self.place.get)

    def seen(self, load):
        return self.place.get(self.source[load], INITIAL)

    def value(self, load):
        return 0 if self.source[load] == INITIAL else self.events[self.source[load]].value

    def release_sequence(self, head):
        yield head
        for store in self.stores(self.events[head].object)[self.place[head] + 1:]:
            if self.events[store].kind != EXCHANGE and self.events[store].process != self.events[head].process:
                return
            yield store

    def fences(self):
        return (i for i in self.all if self.events[i].kind == FENCE)

    def synchronizations(self):
        for head in self.place:
            sequence = list(self.release_sequence(head))
            releases = [i for i in [head, *(f for f in self.fences() if self.precedes(f, head))] if self.events[i].releases()]
            for load, source in self.source.items():
                if source not in sequence:
                    continue
                acquires = [i for i in [load, *(f for f in self.fences() if self.precedes(load, f))]
                            if self.events[i].acquires()]
                for a, b in itertools.product(releases, acquires):
                    if self.events[a].process != self.events[b].process and self.are_inclusive(a, b):
                        yield a, b

    def are_inclusive(self, a, b):
        return self.events[a].includes(self.events[b]) and self.events[b].includes(self.events[a])

    def is_coherent(self):
        if any(i in self.happens[i] for i in self.all):
            return False
        if any(self.events[load].kind == EXCHANGE and self.seen(load) != self.place[load] - 1 for load in self.source):
            return False
        for a in self.all:
            for b in self.happens[a]:
                if self.events[a].object not in ('x', 'y') or self.events[a].object != self.events[b].object:
                    continue
                if a in self.place and b in self.place and self.place[a] > self.place[b]:
                    return False
                if a in self.place and b in self.source and self.seen(b) < self.place[a]:
                    return False
                if a in self.source and b in self.place and self.seen(a) >= self.place[b]:
                    return False
                if a in self.source and b in self.source and self.seen(a) > self.seen(b):
                    return False
        return True

    def orders(self):
        """Every order S that the rules allow, as numbers of events."""
        sequential = [i for i in self.all if self.events[i].order == SEQ_CST]
        for order in itertools.permutations(sequential):
            number = {event: i for i, event in enumerate(order)}
            if self.allows(number):
                yield number

    def allows(self, number):
        for a, b in itertools.permutations(number, 2):
            same = a in self.place and b in self.place and self.events[a].object == self.events[b].object
            if number[a] > number[b] and (b in self.happens[a] or (same and self.place[a] < self.place[b])):
                return False
        fences = [i for i in number if self.events[i].kind == FENCE]

        def known(store, other):
            """Whether S has the store, or a fence behind it, before the other operation, or before a fence in front of that."""
            first = [i for i in [store, *(f for f in fences if self.precedes(store, f))] if i in number]
            last = [i for i in [other, *(f for f in fences if self.precedes(f, other))] if i in number]
            return any(number[a] < number[b] for a in first for b in last)

        for store in self.place:
            name = self.events[store].object
            for other in self.all:
                if other == store or self.events[other].object != name or not known(store, other):
                    continue
                if other in self.source and self.seen(other) < self.place[store]:
                    return False
                if other in self.place and self.place[other] < self.place[store]:
                    return False
        return True

    def is_explored(self):
        """Whether some S, program order and reads-from together have no cycle."""
        reads = [(source, load) for load, source in self.source.items() if source != INITIAL]
        for number in self.orders():
            ordered = sorted(number, key=number.get)
            follows = closed(len(self.events), self.before + reads + list(zip(ordered, ordered[1:])))
            if all(i not in follows[i] for i in self.all):
                return True
        return False

    def has_race(self):
        made_ones = []
        for i in self.all:
            event = self.events[i]
            if event.kind == PLAIN:
                loads = [j for j in self.source if self.events[j].process == event.process]
                values = {self.events[j].place: self.value(j) for j in loads}
                if not event.guard or values[event.guard[0]] == event.guard[1]:
                    made_ones.append(i)
        made_ones += [i for i in self.all if self.events[i].object in ('x', 'y')]
        return any(self.conflicts(a, b) for a, b in itertools.combinations(made_ones, 2))

    def conflicts(self, a, b):
        one, other = self.events[a], self.events[b]
        if one.process == other.process or one.object != other.object or not (one.writes or other.writes):
            return False
        if b in self.happens[a] or a in self.happens[b]:
            return False
        return one.kind == PLAIN or not self.are_inclusive(a, b)

    def state(self):
        last = {name: self.events[self.stores(name)[-1]].value if self.stores(name) else 0 for name in 'xy'}
        registers = {f'{self.events[load].process}:r{self.events[load].place}': self.value(load) for load in self.source}
        return tuple(sorted((registers | last).items()))


def graphs(events):
    loads = [i for i, event in enumerate(events) if event.reads]
    stores = {name: [i for i, event in enumerate(events) if event.object == name and event.writes] for name in 'xy'}
    choices = [[INITIAL, *(store for store in stores[events[load].object] if store != load)] for load in loads]
    for orders in itertools.product(*(itertools.permutations(stores[name]) for name in 'xy')):
        place = {store: i for order in orders for i, store in enumerate(order)}
        for sources in itertools.product(*choices):
            graph = Graph(events, dict(zip(loads, sources)), place)
            if graph.is_coherent() and next(graph.orders(), None) is not None:
                yield graph


def parsed(state):
    return tuple(sorted((name.strip(), int(value)) for name, value in
                        (part.split('=') for part in state.strip().rstrip(';').split(';'))))


def compared(assay, folder, seed):
    """What is wrong with a test."""
    events = made(random.Random(seed))
    path = folder / f'random{seed}.litmus'
    path.write_text(text_of(events, path.stem), encoding='utf-8')
    done = subprocess.run([assay, 'run', str(path), '--json', '-', '-q', '--timeout', '120', '--threads', '1'],
                          capture_output=True, text=True, check=False)
    try:
        report = json.loads(done.stdout)
    except json.JSONDecodeError:
        return [f'{path.name}: no report: {done.stderr.strip()[:300]}']
    rules = {finding['rule'] for finding in report['findings']}
    has_race = any(rule.startswith('race-') for rule in rules)
    states = {parsed(state['state']) for state in report['litmus']['states']}
    allowed, explored, race_is_allowed, race_is_explored = set(), set(), False, False
    for graph in graphs(events):
        is_explored = graph.is_explored()
        allowed.add(graph.state())
        if is_explored:
            explored.add(graph.state())
        if graph.has_race():
            race_is_allowed, race_is_explored = True, race_is_explored or is_explored
    wrong = []
    if states - allowed:
        wrong.append(f'forbidden: {sorted(states - allowed)[0]}')
    if explored - states and not has_race:  # a run ends its states with its first race
        wrong.append(f'never observed: {sorted(explored - states)[0]}')
    if has_race and not race_is_allowed:
        wrong.append('a race that is none')
    if race_is_explored and not has_race:
        wrong.append('a race is missed')
    wrong += [f'{rule} is found' for rule in sorted(rules) if not rule.startswith('race-')]
    return [f'{path.name}: {", ".join(wrong)}\n{path.read_text()}'] if wrong else []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--assay', required=True)
    parser.add_argument('--first', type=int, default=1)
    parser.add_argument('--count', type=int, default=60)
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    wrong = []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ProcessPoolExecutor(options.jobs) as pool:
        seeds = range(options.first, options.first + options.count)
        waiting = [pool.submit(compared, options.assay, pathlib.Path(name), seed) for seed in seeds]
        for one in waiting:
            wrong += one.result()
            for message in one.result():
                print(message, flush=True)
    print(f'{options.count} tests from {options.first} on: {len(wrong)} wrong')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
