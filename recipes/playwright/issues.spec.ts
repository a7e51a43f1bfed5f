import { test as base, expect } from '@playwright/test';
import type { Stithy } from 'stithy';
import { stithyFixtures } from 'stithy/playwright';

const test = base.extend<{ stithy: Stithy }, { stithyServer: Stithy }>(stithyFixtures({ seed: 'stithy.seed.yml' }));

// The seed made issues 1 to 4. What is tested gets `stithy.url` and `stithy.token`.
for (const title of ['Broken', 'Broken again']) {
  test(`an issue "${title}" is the fifth`, async ({ stithy, request }) => {
    const answer = await request.post(`${stithy.url}/api/v4/projects/acme%2Fweb/issues`, {
      headers: { 'PRIVATE-TOKEN': stithy.token ?? '' },
      data: { title },
    });
    expect((await answer.json()).iid).toBe(5);
  });
}
