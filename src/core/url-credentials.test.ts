import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bareAddress, withoutUrlCredentials } from './url-credentials.ts';

test('a password with an encoded slash, question mark or hash is taken out of an address, too', () => {
  for (const password of ['se%2Fcret', 'se%3Fcret', 'se%23cret', 'se%5Ccret', 'se%40cret', 'se@cret']) {
    const text = `fetch https://ann:${password}@host.example/x.git: refused`;
    assert.equal(withoutUrlCredentials(text), 'fetch https://[FILTERED]@host.example/x.git: refused', password);
  }
  const encoded = 'url=https%3A%2F%2Fann%3Asecret%40host%2Fx%40y';
  assert.equal(withoutUrlCredentials(encoded), 'url=https%3A%2F%2F[FILTERED]@host%2Fx%40y');
  assert.equal(withoutUrlCredentials('https://host/ann@example.org'), 'https://host/ann@example.org');
});

test('an address alone has no user, password, query and fragment', () => {
  assert.equal(bareAddress('https://ann:se%2Fcret@host.example/x.git?private_token=a#b'), 'https://host.example/x.git');
  assert.equal(bareAddress('no address'), '');
});
