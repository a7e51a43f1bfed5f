import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useStithy } from 'stithy/node-test';

const stithy = useStithy({ seed: 'stithy.seed.yml' });

// The seed made issues 1 to 4. What is tested gets `stithy.url` and `stithy.token`.
for (const title of ['Broken', 'Broken again']) {
  test(`an issue "${title}" is the fifth`, async () => {
    const { iid } = await stithy.api('POST', '/projects/acme%2Fweb/issues', { title });
    assert.equal(iid, 5);
  });
}
