import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../test/support/app.ts';
import { hashPassword } from '../core/core.secrets.ts';
import { PasswordThrottle } from './password-throttle.ts';

const COST = { memoryKiB: 64, passes: 1 };
const MINUTE = 60_000;

async function gate() {
  const clock = new TestClock();
  const stored = await hashPassword('right horse', COST);
  return { clock, stored, passwords: new PasswordThrottle(clock, () => COST) };
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

test('a lock made by a clock that ran ahead ends when the clock is right again', async () => {
  const { passwords, stored, clock } = await gate();
  const year = 365 * 24 * 60 * MINUTE;
  clock.advance(year);
  for (let n = 0; n < 10; n += 1) await passwords.check('ann', 'wrong', stored);
  await assert.rejects(passwords.check('ann', 'right horse', stored), { status: 429 });
  clock.advance(-year);
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

test('guesses sent all at once are limited too, and too many of one address wait for none', async () => {
  const { passwords, stored } = await gate();
  const guess = (name: string, address: string) => passwords.check(name, 'wrong', stored, address);
  const results = await Promise.allSettled(Array.from({ length: 150 }, () => guess('ann', 'a')));
  const statuses = results.map((result) => (result.status === 'fulfilled' ? 200 : result.reason.status));
  const count = (status: number) => statuses.filter((each) => each === status).length;
  assert.equal(count(429) + count(200), 150);
  // Two checks run in parallel, so one more than the limit can be in flight when the limit is reached.
  assert.ok(count(200) <= 11, `${count(200)} guesses were answered`);
  await assert.rejects(passwords.check('ann', 'right horse', stored), { status: 429 });
});

test('whoever guesses from one address does not keep others from signing in', async () => {
  const { passwords, stored } = await gate();
  const order: string[] = [];
  const guesses = Array.from({ length: 22 }, (_, n) =>
    passwords.check(`name${n}`, 'wrong', stored, 'attacker').then(() => order.push('attacker')),
  );
  const turnedAway = passwords.check('name', 'wrong', stored, 'attacker');
  const signIn = passwords.check('ann', 'right horse', stored, 'ann').then((fits) => order.push(`ann ${fits}`));
  await assert.rejects(turnedAway, { status: 429 });
  await Promise.all([...guesses, signIn]);
  assert.ok(order.indexOf('ann true') <= 4, order.join());
});

test('a name of nobody costs as many hashes as one of somebody, from the first on', async () => {
  let made = 0;
  const cost = () => {
    made += 1;
    return COST;
  };
  const passwords = new PasswordThrottle(new TestClock(), cost);
  const stored = await hashPassword('right horse', COST);
  await passwords.check('ann', 'wrong', stored);
  assert.equal(made, 1);
  await passwords.check('nobody', 'wrong', null);
  assert.equal(made, 1);
});
