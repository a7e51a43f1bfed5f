import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzApart } from './apart.ts';
import { FUZZERS } from './fuzzers.ts';

/** Few of what a whole run tries: so that no fuzzer rots, and what was found stays mended. */
const CASES = 200;

for (const name of Object.keys(FUZZERS)) {
  test(`${name}: what is kept and ${CASES} cases do nothing that they must not`, async () => {
    const { cases, failures } = await fuzzApart({ name, cases: CASES, seed: 20_261_128 });
    assert.deepEqual(failures, []);
    assert.equal(cases, CASES);
  });
}
