import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressProblem } from './addresses.ts';
import { BlockedAddress, parseHttpUrl, resolveOutside } from './resolve.ts';

const GUARDED = { allowLocalNetwork: false };
const blocked = (text: RegExp) => (error: unknown) => error instanceof BlockedAddress && text.test(error.message);

for (const host of [
  '127.0.0.1',
  '0.0.0.0',
  '[::1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[0:0:0:0:0:ffff:7f00:1]',
  '0177.1',
  '0x7f.1',
  '2130706433',
  '127.1',
  'localhost',
  'localhost.',
  '169.254.169.254',
  '100.64.0.5',
  '10.1.2.3',
  '172.31.255.255',
  '192.168.0.1',
  '255.255.255.255',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '[2001::1]',
  '[::127.0.0.1]',
  '[fe80::1]',
  '[fc00::1]',
  '[ff02::1]',
]) {
  test(`${host} is not reached`, async () => {
    await assert.rejects(resolveOutside(parseHttpUrl(`http://${host}/x.git`), GUARDED), blocked(/^is blocked: /));
  });
}

test('public addresses are reached, as they stand', async () => {
  for (const host of ['1.1.1.1', '[2606:4700:4700::1111]', '[64:ff9b::101:101]', '[::ffff:1.1.1.1]']) {
    assert.equal((await resolveOutside(parseHttpUrl(`https://${host}/`), GUARDED)).length, 1);
  }
  assert.equal(addressProblem('172.32.0.1'), null);
  assert.equal(addressProblem('not an address'), 'the local network');
});

test('local addresses are reached where the installation lets them be', async () => {
  assert.deepEqual(await resolveOutside(parseHttpUrl('http://127.0.0.1:8080/'), { allowLocalNetwork: true }), [
    '127.0.0.1',
  ]);
});

for (const [text, reason] of [
  ['git://localhost:1234/x@example.com/', /schemes/],
  ['file:///etc/passwd', /schemes/],
  ['ext::sh -c id', /schemes/],
  ['ssh://-oProxyCommand=id/x', /schemes|invalid/],
  ['--upload-pack=id', /invalid/],
  ['http://u:p@host#@evil', /invalid|resolved/],
  ['http://a@b@127.0.0.1/', /invalid/],
  ['http://example.org\\@127.0.0.1/', /invalid/],
  ['http://exa mple.org/', /invalid/],
  ['http://example.org:22/x', /ports/],
  ['', /invalid/],
] as const) {
  test(`${JSON.stringify(text)} is refused`, async () => {
    const check = async () => resolveOutside(parseHttpUrl(text), GUARDED);
    await assert.rejects(check, blocked(reason));
  });
}
