const { start } = require('stithy');

let stithy;
beforeAll(async () => {
  stithy = await start({ bench: true, ephemeral: true, seed: 'stithy.seed.yml' });
}, 30_000);
beforeEach(() => stithy.reset());
afterAll(() => stithy?.stop());

// The seed made issues 1 to 4. What is tested gets `stithy.url` and `stithy.token`.
for (const title of ['Broken', 'Broken again']) {
  test(`an issue "${title}" is the fifth`, async () => {
    const { iid } = await stithy.api('POST', '/projects/acme%2Fweb/issues', { title });
    expect(iid).toBe(5);
  });
}
