import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pgpIssuer } from './pgp-signature.ts';

/** Made by GnuPG over "hello" with a key that is gone. */
const SIGNATURE = `-----BEGIN PGP SIGNATURE-----

iHUEABYIAB0WIQSfcYhXHhLxKBanu4/6nlcv/Xov0gUCawHsPAAKCRD6nlcv/Xov
0qw1AP921DmaRWg2IjUJ1LhpOyjVumLk7w7UUOLMJqa2S0UR4AD/a401kDwE/+uW
hZpJbviuiQdNBe4z3tjVwJwSXlfIcAc=
=y+1h
-----END PGP SIGNATURE-----
`;

const wrap = (data: Buffer): string =>
  `-----BEGIN PGP SIGNATURE-----\nVersion: 1\n\n${data.toString('base64')}\n-----END PGP SIGNATURE-----\n`;
const bytes = Buffer.from(SIGNATURE.split('\n').slice(2, 5).join(''), 'base64');

test('the maker of a signature is read, with any line ends and headers', () => {
  assert.equal(pgpIssuer(SIGNATURE), 'FA9E572FFD7A2FD2');
  assert.equal(pgpIssuer(SIGNATURE.replaceAll('\n', '\r\n')), 'FA9E572FFD7A2FD2');
  assert.equal(pgpIssuer(wrap(bytes)), 'FA9E572FFD7A2FD2');
});

test('the maker is found among the subpackets that are not signed, and in the new packet format', () => {
  const issuer = Buffer.from('09100123456789abcdef', 'hex');
  const body = Buffer.concat([Buffer.from([4, 0, 22, 8, 0, 0, 0, issuer.length]), issuer, Buffer.alloc(2)]);
  assert.equal(pgpIssuer(wrap(Buffer.concat([Buffer.from([0xc2, body.length]), body]))), '0123456789ABCDEF');
});

test('what names no maker gives null and never throws', () => {
  for (let at = 0; at < bytes.length; at += 1) {
    const found = pgpIssuer(wrap(bytes.subarray(0, at)));
    assert.ok(found === null || found === 'FA9E572FFD7A2FD2', `cut at ${at}`);
    const changed = Buffer.from(bytes);
    changed[at] = 0xff;
    pgpIssuer(wrap(changed));
  }
  for (const text of [
    '',
    'x',
    wrap(Buffer.from([0xc6, 1, 4])),
    `-----BEGIN PGP SIGNATURE-----\n\n${'A'.repeat(70_000)}`,
  ]) {
    assert.equal(pgpIssuer(text), null);
  }
});
