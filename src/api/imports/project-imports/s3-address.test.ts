import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bucketHost, presignedAddress } from './s3-address.ts';

// The example of the public documentation of the signature.
const example = {
  host: 'examplebucket.s3.amazonaws.com',
  region: 'us-east-1',
  key: 'test.txt',
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const now = new Date('2013-05-24T00:00:00.000Z');

test('an address is signed as the documentation shows', () => {
  assert.equal(
    presignedAddress(example, now),
    'https://examplebucket.s3.amazonaws.com/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256' +
      '&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request' +
      '&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host' +
      '&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  );
});

test('no key leads out of its bucket, and the secret is in no address', () => {
  const url = new URL(presignedAddress({ ...example, key: '../a b/(ü)?x#y@evil.example' }, now));
  assert.equal(url.host, example.host);
  assert.equal(url.hash, '');
  assert.ok(!url.href.includes(example.secretAccessKey));
  assert.equal(bucketHost('b', 'eu-west-1'), 'b.s3.eu-west-1.amazonaws.com');
});
