import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf } from './changes.ts';

const watched = { url: { name: 'application_setting_updated', as: 'url' } } as const;
const changed = (from: unknown, to: unknown) => changesOf({ url: from }, { url: to }, watched).map(({ more }) => more);

test('addresses are told without the credentials in them', () => {
  assert.deepEqual(changed(null, 'https://ana:secret@example.org/x'), [
    { change: 'url', from: '', to: 'https://[FILTERED]@example.org/x' },
  ]);
  assert.deepEqual(changed(['a'], ['http://token@b/']), [
    { change: 'url', from: '["a"]', to: '["http://[FILTERED]@b/"]' },
  ]);
});

test('a long value is told by its beginning, and is a change wherever it is another', () => {
  const [from, to] = ['x'.repeat(300), `${'x'.repeat(299)}y`];
  const [told] = changed(from, to);
  assert.equal(String(told?.to).length, 255);
  assert.deepEqual(changed(from, from), []);
});
