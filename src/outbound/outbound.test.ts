import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressProblem } from './outbound.addresses.ts';
import { BlockedAddress, parseHttpUrl, resolveExternal } from './outbound.resolve.ts';

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
    await assert.rejects(resolveExternal(parseHttpUrl(`http://${host}/x.git`), GUARDED), blocked(/^is blocked: /));
  });
}

test('public addresses are reached, as they stand', async () => {
  for (const host of ['1.1.1.1', '[2606:4700:4700::1111]', '[64:ff9b::101:101]', '[::ffff:1.1.1.1]']) {
    assert.equal((await resolveExternal(parseHttpUrl(`https://${host}/`), GUARDED)).length, 1);
  }
  assert.equal(addressProblem('172.32.0.1'), null);
  assert.equal(addressProblem('not an address'), 'the local network');
});

test('local addresses are reached where the installation lets them be', async () => {
  assert.deepEqual(await resolveExternal(parseHttpUrl('http://127.0.0.1:8080/'), { allowLocalNetwork: true }), [
    '127.0.0.1',
  ]);
});

test('single hosts, networks and ports of the local network are reached where a list names them', async () => {
  const reach = (address: string, allowed: string[]) =>
    resolveExternal(parseHttpUrl(address), { allowLocalNetwork: false, allowed });
  const local = 'http://127.0.0.1:8080/';
  for (const entry of ['127.0.0.1', '127.0.0.0/8', '127.0.0.1:8080', '127.0.0.1/32']) {
    assert.deepEqual(await reach(local, ['elsewhere.example', entry]), ['127.0.0.1']);
  }
  for (const entry of ['127.0.0.2', '127.0.0.1:8081', '10.0.0.0/8', 'localhost', '127.0.0.1/99', '127.0.0.1/', '']) {
    await assert.rejects(reach(local, [entry]), blocked(/Requests to localhost are not allowed/), entry);
  }
  assert.ok((await reach('http://LocalHost:8080/', ['localhost'])).length > 0);
  assert.deepEqual(await reach('http://[fd00::1]:8080/', ['[fd00::1]:8080']), ['fd00::1']);
  assert.deepEqual(await reach('http://[fd00::1]/', ['fd00::/16']), ['fd00::1']);
  assert.deepEqual(await reach('https://10.1.2.3/', ['10.1.2.3:443']), ['10.1.2.3']);
  await assert.rejects(reach('http://10.1.2.3/', ['10.1.2.3:443']), blocked(/local network/));
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
    const check = async () => resolveExternal(parseHttpUrl(text), GUARDED);
    await assert.rejects(check, blocked(reason));
  });
}
