import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maskText } from './expansion.mask.ts';

test('masked values are covered to their length in bytes, the longer ones first', () => {
  const variables = [
    { key: 'SHORT', value: 'password', masked: true },
    { key: 'LONG', value: 'password-and-more', masked: true },
    { key: 'WIDE', value: 'pässwörd', masked: true },
    { key: 'OPEN', value: 'shown' },
    { key: 'EMPTY', value: '', masked: true },
    { key: 'DOLLARS', value: '$&$1$$$$$$', masked: true },
  ];
  assert.equal(
    maskText('shown password password-and-more pässwörd $&$1$$$$$$', variables),
    'shown [MASKED] [MASKED]xxxxxxxxx [MASKED]xx [MASKED]xx',
  );
});
