import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { buildTestApp, ROOT_TOKEN, type TestApp } from './support/app.ts';
import { fillWithMany } from './support/many/fill.ts';
import { PLAN_ONLY_LISTS } from './support/many/list-exceptions.ts';
import { LISTS } from './support/many/lists.ts';
import { ANA_TOKEN } from './support/many/people.ts';
import { planOf, scans } from './support/query-plans.ts';
import { changeSettings } from './support/settings.ts';

const AMOUNTS = {
  projects: 100,
  issues: 600,
  mergeRequests: 300,
  events: 1_200,
  snippets: 60,
  jobs: 600,
  packages: 600,
};

let app: TestApp;
let queries = new Map<string, CompiledQuery>();
let listening = false;

before(async () => {
  app = await buildTestApp({
    onQuery: (query) => {
      if (listening && /^\s*(select|with)\b/i.test(query.sql)) queries.set(query.sql, query);
    },
  });
  await changeSettings(app, { bulk_import_enabled: true });
  const { repository_storage, disk_path } = await app.make.project();
  await fillWithMany(app.deps.db, AMOUNTS, () => ({ repository_storage, disk_path }));
});
after(() => app.close());

for (const [caller, token] of [
  ['an administrator', ROOT_TOKEN],
  ['a member', ANA_TOKEN],
  ['nobody', null],
] as const) {
  for (const list of [...LISTS, ...PLAN_ONLY_LISTS]) {
    test(`${decodeURIComponent(list)} for ${caller} scans no table`, async () => {
      queries = new Map();
      listening = true;
      const { statusCode, body } = await app.get(`/${list}`, { token });
      listening = false;
      if (token === null && [401, 404].includes(statusCode)) return;
      if (token === ANA_TOKEN && [401, 403].includes(statusCode)) return;
      assert.equal(statusCode, 200, body.slice(0, 500));
      const bad: string[] = [];
      for (const query of queries.values()) {
        const fullScans = scans(query, await planOf(app, query));
        if (fullScans.length > 0) bad.push(`${fullScans.join('; ')}\n  in ${query.sql}`);
      }
      assert.equal(bad.join('\n'), '');
    });
  }
}
