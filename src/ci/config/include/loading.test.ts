import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySources } from '../../../../test/support/memory-sources.ts';
import { CONFIG_LIMITS } from '../limits.ts';
import { CopyBudget } from '../merge.ts';
import { Loading } from './loading.ts';

const loading = (options: ConstructorParameters<typeof Loading>[3] = {}) =>
  new Loading(new MemorySources(), new Map(), new CopyBudget(), options);

test('a source that never answers is an error once the time is over', async () => {
  await assert.rejects(loading({ seconds: 0 }).waitFor(new Promise(() => undefined)), {
    message: 'Request timed out when fetching configuration files.',
  });
  assert.equal(await loading().waitFor(Promise.resolve(5)), 5);
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
