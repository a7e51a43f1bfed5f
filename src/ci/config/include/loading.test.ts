import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MemorySources } from '../../../../test/support/memory-sources.ts';
import { CONFIG_LIMITS } from '../ci-config.limits.ts';
import { CopyBudget } from '../ci-config.merge.ts';
import { Loading } from './loading.ts';

const loading = (options: ConstructorParameters<typeof Loading>[3] = {}) =>
  new Loading(new MemorySources(), new Map(), new CopyBudget(), options);

test('servers elsewhere share one time; waits at once are one wait', async () => {
  const late = { message: 'Request timed out when fetching configuration files.' };
  const never = new Promise(() => undefined);
  await assert.rejects(loading({ seconds: 0 }).fetched(never), late);
  assert.equal(await loading().fetched(Promise.resolve(5)), 5);
  const shared = loading({ seconds: 0.3 });
  await Promise.all(Array.from({ length: 20 }, () => shared.fetched(sleep(50))));
  await assert.rejects(shared.fetched(never), late);
  await assert.rejects(shared.fetched(never), late);
});

test('files are bounded in number and in bytes, all together', () => {
  const many = loading();
  for (let n = 0; n < CONFIG_LIMITS.includes; n += 1) many.addFile(null);
  assert.throws(() => many.addFile(null), { message: 'Maximum of 150 nested includes are allowed!' });
  const large = loading();
  const content = 'x'.repeat(1024 * 1024);
  for (let n = 0; n < 20; n += 1) large.addBytes(content);
  assert.throws(() => large.addBytes('x'), { message: 'Total size of combined CI/CD configuration is too big' });
});
