import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { SlotSet } from './slot-set.ts';

const thing = (name: string) => ({ name, slot: -1 });
const names = (bag: SlotSet<{ name: string; slot: number }>) =>
  bag
    .all()
    .map(({ name }) => name)
    .sort();

test('what is put into a bag is in it until it is taken out, in whatever order', () => {
  const bag = new SlotSet<{ name: string; slot: number }>();
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(thing) as [
    ReturnType<typeof thing>,
    ReturnType<typeof thing>,
    ReturnType<typeof thing>,
    ReturnType<typeof thing>,
  ];
  for (const one of [a, b, c]) bag.add(one);
  assert.deepEqual(names(bag), ['a', 'b', 'c']);
  bag.delete(a);
  assert.deepEqual(names(bag), ['b', 'c']);
  bag.delete(a);
  bag.add(d);
  bag.delete(c);
  assert.deepEqual(names(bag), ['b', 'd']);
  assert.equal(bag.size, 2);
  assert.equal(
    bag.find(({ name }) => name === 'd'),
    d,
  );
  assert.equal(
    bag.find(({ name }) => name === 'c'),
    undefined,
  );
  bag.delete(d);
  bag.delete(b);
  bag.delete(thing('never in it'));
  assert.deepEqual([bag.all(), bag.size], [[], 0]);
  bag.add(a);
  assert.deepEqual(names(bag), ['a']);
});

test('what is taken out while all are looked at is still looked at', () => {
  const bag = new SlotSet<{ name: string; slot: number }>();
  for (const name of ['a', 'b', 'c']) bag.add(thing(name));
  const seen: string[] = [];
  for (const one of bag.all()) {
    bag.delete(one);
    seen.push(one.name);
  }
  assert.deepEqual([seen.sort(), bag.size], [['a', 'b', 'c'], 0]);
});

test('nothing of what has gone is kept', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const bag = new SlotSet<{ name: string; slot: number }>();
  const come = (index: number) => {
    const one = thing(String(index));
    bag.add(one);
    return new WeakRef(one);
  };
  const all = Array.from({ length: 100 }, (_, index) => come(index));
  const go = () => {
    for (const one of bag.all()) if (one.name !== '7') bag.delete(one);
  };
  go();
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  assert.deepEqual(names(bag), ['7']);
  assert.equal(all.filter((one) => one.deref() !== undefined).length, 1);
});
