// The seed made issues 1 to 4. What is tested gets `stithy.url` and `stithy.token`.
for (const title of ['Broken', 'Broken again']) {
  test(`an issue "${title}" is the fifth`, async () => {
    const { iid } = await stithy.api('POST', '/api/v4/projects/acme%2Fweb/issues', { title });
    expect(iid).toBe(5);
  });
}
