import assert from 'node:assert/strict';
import { test } from 'node:test';
import { once } from './core.once.ts';

test('what was made is kept, and what failed is made again', async () => {
  let made = 0;
  const get = once(async () => {
    made += 1;
    if (made === 1) throw new Error('no file descriptor is left');
    return made;
  });
  const both = [get(), get()];
  for (const one of both) await assert.rejects(one, /descriptor/);
  assert.equal(await get(), 2);
  assert.equal(await get(), 2);
});
