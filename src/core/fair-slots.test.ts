import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { addressKey, FairSlots, SERVER } from './fair-slots.ts';

const slots = (limits: Partial<ConstructorParameters<typeof FairSlots>[0]> = {}) =>
  new FairSlots({
    total: 4,
    perKey: 2,
    maxWaiting: 10,
    maxWaitingPerKey: 5,
    refuse: (whose) => new Error(whose),
    ...limits,
  });

test('one caller never holds more than its share, and leaves the rest to others', async () => {
  const places = slots();
  const mine = await Promise.all([places.take('ann'), places.take('ann')]);
  let third = false;
  const waiting = places.take('ann').then((leave) => {
    third = true;
    return leave;
  });
  await turn();
  assert.equal(third, false);
  await Promise.all([places.take('bob'), places.take('bob')]);
  assert.deepEqual([places.held, places.heldBy('ann'), places.waiting], [4, 2, 1]);
  mine[0]!();
  mine[0]!();
  await waiting;
  assert.deepEqual([places.held, places.heldBy('ann'), places.waiting], [4, 2, 0]);
});

test('callers are served in turn, however many requests one of them has waiting', async () => {
  const places = slots({ total: 1, perKey: 1 });
  const order: string[] = [];
  const first = await places.take('ann');
  const work = (key: string) =>
    places.take(key).then((leave) => {
      order.push(key);
      leave();
    });
  const all = ['ann', 'ann', 'ann', 'bob', 'cid'].map(work);
  first();
  await Promise.all(all);
  assert.deepEqual(order, ['ann', 'bob', 'cid', 'ann', 'ann']);
});

test('those past the bounds on waiting are told whose bound it is', async () => {
  const places = slots({ total: 1, perKey: 1, maxWaiting: 3, maxWaitingPerKey: 2 });
  await places.take('ann');
  void places.take('ann');
  void places.take('ann');
  await assert.rejects(places.take('ann'), { message: 'caller' });
  void places.take('bob');
  await assert.rejects(places.take('cid'), { message: 'server' });
});

test('who leaves the queue is not served, and does not hold up who is behind', async () => {
  const places = slots({ total: 1, perKey: 1 });
  const leave = await places.take('ann');
  const gone = new AbortController();
  const left = places.take('bob', { signal: gone.signal });
  const stays = places.take('cid');
  gone.abort();
  await assert.rejects(left, { name: 'AbortError' });
  assert.equal(places.waiting, 1);
  leave();
  (await stays)();
  assert.deepEqual([places.held, places.waiting], [0, 0]);
  await assert.rejects(places.take('bob', { signal: gone.signal }), { name: 'AbortError' });
});

test('what is larger than a share is had alone, and small requests do not pass it by for ever', async () => {
  const bytes = slots({ total: 100, perKey: 50 });
  const small = await bytes.take('ann', { cost: 30 });
  const large = bytes.take('bob', { cost: 500 });
  const late = bytes.take('cid', { cost: 10 });
  await turn();
  assert.deepEqual([bytes.held, bytes.waiting], [30, 2]);
  small();
  const leave = await large;
  assert.deepEqual([bytes.held, bytes.waiting], [500, 1]);
  leave();
  (await late)();
  assert.equal(bytes.held, 0);
});

test("the server's own work has no share, only the whole", async () => {
  const places = slots();
  await Promise.all([1, 2, 3, 4].map(() => places.take(SERVER)));
  assert.equal(places.held, 4);
});

test('an address counts for itself, in IPv6 for its network of 64 bits', () => {
  assert.equal(addressKey('10.0.0.7'), 'address:10.0.0.7');
  assert.equal(addressKey('::ffff:10.0.0.7'), 'address:10.0.0.7');
  assert.equal(addressKey('2001:DB8:1:2:3:4:5:6'), 'address:2001:db8:1:2');
  assert.equal(addressKey('2001:db8:1:2::9'), 'address:2001:db8:1:2');
  assert.equal(addressKey('2001:db8::9'), 'address:2001:db8:0:0');
  assert.equal(addressKey('::1'), 'address:0:0:0:0');
  assert.equal(addressKey('fe80::1%eth0'), 'address:fe80:0:0:0');
});

test('a part can be given back before the rest', async () => {
  const bytes = slots({ total: 10, perKey: 10 });
  const leave = await bytes.take('ann', { cost: 8 });
  leave(3);
  assert.deepEqual([bytes.held, bytes.heldBy('ann')], [3, 3]);
  leave(5);
  assert.equal(bytes.held, 3);
  leave();
  leave();
  assert.deepEqual([bytes.held, bytes.heldBy('ann')], [0, 0]);
});

test('who waits too long is refused, and told whose bound it is', async () => {
  const bytes = slots({ total: 10, perKey: 5, maxWaitMs: 5 });
  const leave = await bytes.take('ann', { cost: 5 });
  await assert.rejects(bytes.take('ann'), { message: 'caller' });
  const other = await bytes.take('bob', { cost: 5 });
  await assert.rejects(bytes.take('cid'), { message: 'server' });
  assert.equal(bytes.waiting, 0);
  leave();
  other();
  (await bytes.take('cid'))();
  assert.equal(bytes.held, 0);
});
