import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf } from './changes.audit.ts';

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

test('of an address with secrets in it is told that they were changed, and where it leads', () => {
  const mirror = { url: { name: 'remote_mirror_updated', as: 'url', address: true } } as const;
  const [credentials, place] = [
    ['https://ana:o%2Fld@host.example/x', 'https://ana:n%2Few@host.example/x'],
    ['https://ana:old@host.example/x', 'https://ana:old@host.example/y?token=secret'],
  ].map(([from, to]) => changesOf({ url: from }, { url: to }, mirror)[0]);
  assert.deepEqual(
    [credentials?.message, place?.message],
    ['Changed the credentials of url', 'Changed url from https://host.example/x to https://host.example/y'],
  );
  assert.doesNotMatch(JSON.stringify([credentials, place]), /ana|old|o%2Fld|secret/);
});

test('a long value is told by its beginning, and is a change wherever it is another', () => {
  const [from, to] = ['x'.repeat(300), `${'x'.repeat(299)}y`];
  const [entry] = changed(from, to);
  assert.equal(String(entry?.to).length, 255);
  assert.deepEqual(changed(from, from), []);
});

test('no character is cut in two', () => {
  const [entry] = changed('', `${'x'.repeat(253)}\u{1f600}yy`);
  assert.equal(entry?.to, `${'x'.repeat(253)}…`);
  assert.ok(String(entry?.to).isWellFormed());
});
