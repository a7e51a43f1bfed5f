import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from './support/app.ts';
import { failingThreads } from './support/failing-threads.ts';

/** More than of all together have a place at once. */
const TIMES = 9;

let app: TestApp;
let path: string;
before(async () => {
  app = await buildTestApp();
  path = `/projects/${(await app.make.project()).id}`;
  const page = { title: 'large', content: '*a* '.repeat(20_000) };
  expectStatus(await app.post(`${path}/wikis`, { json: page }), 201);
});
after(() => app.close());

/** Requests that are answered by a thread. */
const ASKED: Record<string, () => ReturnType<TestApp['get']>> = {
  'a configuration is checked': () =>
    app.post(`${path}/ci/lint`, { json: { content: `a: {script: make}\n${'#'.repeat(5_000)}` } }),
  'a page is rendered': () => app.get(`${path}/wikis/large`, { query: { render_html: true } }),
  'a state is read': () =>
    app.post(`${path}/terraform/state/large`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ version: 4, serial: 1, lineage: 'a', text: 'x'.repeat(2_000_000) }),
    }),
};

for (const [what, ask] of Object.entries(ASKED)) {
  test(`where ${what} and no thread can be started the answer is 503, and nothing is held afterwards`, async (t) => {
    for (const when of ['at once', 'soon'] as const) {
      const again = failingThreads(when);
      t.after(again);
      for (let time = 0; time < TIMES; time += 1) expectStatus(await ask(), 503);
      again();
    }
    expectStatus(await ask(), 200);
  });
}
