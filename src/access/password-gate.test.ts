import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../test/support/app.ts';
import { hashPassword } from '../core/secrets.ts';
import { PasswordGate } from './password-gate.ts';

const COST = { memoryKiB: 64, passes: 1 };
const MINUTE = 60_000;

async function gate() {
  const clock = new TestClock();
  const stored = await hashPassword('right horse', COST);
  return { clock, stored, passwords: new PasswordGate(clock, () => COST) };
}

test('a password fits its own hash only', async () => {
  const { passwords, stored } = await gate();
  assert.equal(await passwords.check('ann', 'right horse', stored), true);
  assert.equal(await passwords.check('ann', 'wrong horse', stored), false);
});

test('nothing fits an unknown user', async () => {
  const { passwords } = await gate();
  assert.equal(await passwords.check('nobody', 'right horse', null), false);
});

test('ten failures lock the name for ten minutes, the right password included', async () => {
  const { passwords, stored, clock } = await gate();
  for (let n = 0; n < 10; n += 1) assert.equal(await passwords.check('Ann', `wrong ${n}`, stored), false);
  const locked = { status: 429 };
  await assert.rejects(passwords.check('ann', 'right horse', stored), locked);
  assert.equal(await passwords.check('bob', 'right horse', stored), true);
  clock.advance(10 * MINUTE - 1);
  await assert.rejects(passwords.check('ann', 'right horse', stored), locked);
  clock.advance(1);
  assert.equal(await passwords.check('ann', 'right horse', stored), true);
});

test('names of nobody are locked just as well', async () => {
  const { passwords } = await gate();
  for (let n = 0; n < 10; n += 1) await passwords.check('ghost', 'x', null);
  await assert.rejects(passwords.check('ghost', 'x', null), { status: 429 });
});

test('failures are forgotten after ten minutes and by a success', async () => {
  const { passwords, stored, clock } = await gate();
  for (let n = 0; n < 9; n += 1) await passwords.check('ann', 'wrong', stored);
  clock.advance(10 * MINUTE);
  for (let n = 0; n < 9; n += 1) await passwords.check('ann', 'wrong', stored);
  assert.equal(await passwords.check('ann', 'right horse', stored), true);
  for (let n = 0; n < 9; n += 1) assert.equal(await passwords.check('ann', 'wrong', stored), false);
});

test('guesses sent all at once are limited too, and too many wait for none', async () => {
  const { passwords, stored } = await gate();
  const results = await Promise.allSettled(Array.from({ length: 150 }, () => passwords.check('ann', 'wrong', stored)));
  const statuses = results.map((result) => (result.status === 'fulfilled' ? 200 : result.reason.status));
  const count = (status: number) => statuses.filter((each) => each === status).length;
  assert.deepEqual([count(503), count(429) + count(200)], [48, 102]);
  // Two run side by side, so one more than the limit can be under way when the limit is reached.
  assert.ok(count(200) <= 11, `${count(200)} guesses were answered`);
  await assert.rejects(passwords.check('ann', 'right horse', stored), { status: 429 });
});
