import type { Stithy } from 'stithy';
import { stithyFixtures } from 'stithy/vitest';
import { test as base, expect } from 'vitest';

const test = base.extend<{ stithy: Stithy; stithyServer: Stithy }>(stithyFixtures({ seed: 'stithy.seed.yml' }));

// The seed made issues 1 to 4. What is tested gets `stithy.url` and `stithy.token`.
for (const title of ['Broken', 'Broken again']) {
  test(`an issue "${title}" is the fifth`, async ({ stithy }) => {
    const { iid } = await stithy.api<{ iid: number }>('POST', '/projects/acme%2Fweb/issues', { title });
    expect(iid).toBe(5);
  });
}
