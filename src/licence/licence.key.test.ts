import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { makeIssuer, yearFrom } from '../../test/support/licences.ts';
import { readLicenseKey, verifyLicenseKey, withoutWhitespace, writeLicenseKey } from './licence.key.ts';
import type { LicenseTerms } from './terms.ts';

const issuer = makeIssuer();
const terms = yearFrom('2026-01-01', { restrictions: { add_ons: { Locks: 1 } } });
const key = writeLicenseKey(terms, issuer.privateKey);
const envelope = (text: string) => JSON.parse(Buffer.from(text, 'base64').toString());
const pack = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64');
const INVALID = {
  message: 'The license key is invalid. Make sure it is exactly as you received it from GitLab Inc.',
};

test('a key is one Base64 text of a JSON object with data, key and iv, and says again what was signed', () => {
  assert.match(key, /^[A-Za-z0-9+/]+=*$/);
  assert.ok(Buffer.from(key, 'base64').toString().startsWith('{"data":"'));
  assert.deepEqual(Object.keys(envelope(key)), ['data', 'key', 'iv']);
  assert.deepEqual(verifyLicenseKey(key, issuer.publicKey), terms);
  assert.deepEqual(readLicenseKey(key), terms);
  assert.notEqual(writeLicenseKey(terms, issuer.privateKey), key);
});

test('a key that was wrapped on its way is the same key', () => {
  const wrapped = ` ${key.replaceAll(/(.{60})/g, '$1\r\n')}\n`;
  assert.deepEqual(verifyLicenseKey(wrapped, issuer.publicKey), terms);
  assert.equal(withoutWhitespace(wrapped), key);
});

test('what somebody else has signed, or has changed, is no license', () => {
  assert.throws(() => verifyLicenseKey(key, makeIssuer().publicKey), INVALID);
  const { data, iv, key: signature } = envelope(key);
  const more = Buffer.from(JSON.stringify({ ...terms, expires_at: '2099-01-01' })).toString('base64');
  for (const forged of [
    { data: more, key: signature, iv },
    { data, key: signature, iv: Buffer.alloc(16).toString('base64') },
    { data, key: '', iv },
    { data, key: Buffer.alloc(64).toString('base64'), iv },
  ]) {
    assert.throws(() => verifyLicenseKey(pack(forged), issuer.publicKey), INVALID);
  }
});

test('a signature for another purpose makes no license', () => {
  const { data, iv } = envelope(key);
  const bare = pack({ data, key: envelope(writeLicenseKey(terms, issuer.privateKey)).key, iv });
  assert.throws(() => verifyLicenseKey(bare, issuer.publicKey), INVALID);
});

test('texts that are no keys are refused, however they look', () => {
  for (const text of [
    'dummy',
    '',
    '=',
    'x'.repeat(70_000),
    pack('text'),
    pack(null),
    pack([]),
    pack({ data: 1, key: 'x', iv: 'x' }),
    Buffer.from('{"data":').toString('base64'),
    `${key}\0`,
    key.replace('e', '-'),
  ]) {
    assert.throws(() => verifyLicenseKey(text, issuer.publicKey), INVALID);
    assert.throws(() => readLicenseKey(text), INVALID);
  }
});

test('without an issuer no key counts, and the text says what to set', () => {
  assert.throws(
    () => verifyLicenseKey(key, null),
    /^InvalidLicenseKey: The license key is invalid\. .*STITHY_LICENSE_ISSUER/,
  );
  assert.throws(() => verifyLicenseKey('dummy', null), INVALID);
});

test('signed terms that do not fit are refused by the name of what is wrong', () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  for (const [change, says] of [
    [{ version: 2 }, /version must be 1/],
    [{ starts_at: '2026-02-30' }, /starts_at must be a day/],
    [{ expires_at: '2026-01-01' }, /expires_at must come after starts_at/],
    [{ block_changes_at: '2026-06-01' }, /block_changes_at must not come before expires_at/],
    [{ expires_at: null, block_changes_at: '2026-06-01' }, /block_changes_at/],
    [{ licensee: { Name: '' } }, /licensee must have a Name/],
    [{ licensee: { Name: 5 } }, /licensee must contain texts/],
    [{ restrictions: { plan: 'gold' } }, /restrictions\.plan must be one of starter, premium, ultimate/],
    [{ restrictions: { plan: 'premium', active_user_count: -1 } }, /active_user_count must be a non-negative integer/],
    [{ restrictions: { plan: 'premium', add_ons: { a: 'x' } } }, /add_ons must be an object of numbers/],
    [{ restrictions: null }, /restrictions must be an object/],
  ] as const) {
    const bad = writeLicenseKey({ ...terms, ...change } as unknown as LicenseTerms, privateKey);
    assert.throws(() => readLicenseKey(bad), says);
  }
});
