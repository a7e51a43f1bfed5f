import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FairSlots } from './fair-slots.ts';
import { RequestMemory } from './request-memory.ts';

const budget = () =>
  new FairSlots({ total: 10, perKey: 10, maxWaiting: 10, maxWaitingPerKey: 10, refuse: () => new Error('full') });

test('two requests that need more than there is for both do not wait for each other for ever', async () => {
  const bytes = budget();
  const requests = [new RequestMemory(bytes, 'ann'), new RequestMemory(bytes, 'bob')];
  await Promise.all(requests.map((request) => request.hold(5, undefined)));
  await Promise.all(
    requests.map(async (request) => {
      await request.hold(4, undefined);
      request.end();
    }),
  );
  assert.equal(bytes.held, 0);
});

test('what is given back is free for others, and all of it when the request ends', async () => {
  const bytes = budget();
  const request = new RequestMemory(bytes, 'ann');
  await request.hold(8, undefined);
  request.give(6);
  assert.equal(bytes.held, 2);
  await request.hold(1, undefined);
  assert.equal(bytes.held, 3);
  request.end();
  assert.equal(bytes.held, 0);
  await request.hold(4, undefined);
  assert.equal(bytes.held, 0);
});
