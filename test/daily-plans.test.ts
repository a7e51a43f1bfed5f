import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CompiledQuery } from 'kysely';
import { buildTestApp, type TestApp, TestClock } from './support/app.ts';
import { planOf, scans } from './support/query-plans.ts';
import { SmtpReceiver } from './support/smtp-receiver.ts';

/** Questions that work asks which recurs, by a part of them, and the index that answers without reading all rows. */
const INDEXES: readonly (readonly [part: RegExp, index: string])[] = [
  [/from "issues" where "due_date" =/, 'issues_due'],
  [/from "access_tokens" where "resource_type" is not null/, 'access_tokens_expires'],
  [/from "access_tokens" inner join "users" .* where coalesce\("resource_type"/, 'access_tokens_expires'],
  [/from "deploy_tokens" where .*"expires_at"/, 'deploy_tokens_expires'],
  [/from "invitations" where "created_at"/, 'invitations_age'],
  [/from "ssh_keys" inner join "users" .* where "expires_at"/, 'ssh_keys_expires'],
];

/** Tables that such work may read whole, and why. */
const READ_WHOLE: Readonly<Record<string, string>> = {
  jobs: 'rows leave it when they are done',
  member_role_permissions: 'an installation has few custom roles',
  ref_intents: 'only writes that are under way have rows',
  server_processes: 'a row for each process',
  web_hooks: 'each is looked after',
};

const clock = new TestClock();
const queries = new Map<string, CompiledQuery>();
let app: TestApp;
let receiver: SmtpReceiver;

before(async () => {
  receiver = await SmtpReceiver.listen();
  app = await buildTestApp({
    clock,
    settings: { STITHY_SMTP_URL: receiver.url },
    onQuery: (query) => {
      if (/^\s*select\b/i.test(query.sql)) queries.set(query.sql, query);
    },
  });
});
after(async () => {
  await app.close();
  await receiver.close();
});

/** The table that a line of a plan reads whole. */
function tableOf({ sql }: CompiledQuery, line: string): string {
  const [, name = ''] = /(?:SCAN|Seq Scan on) (\w+)/.exec(line) ?? [];
  return new RegExp(`"?(\\w+)"? as "?${name}\\b`).exec(sql)?.[1] ?? name;
}

test('what is looked for every day is found by an index', async () => {
  await app.deps.jobs.maintain();
  await app.drain();
  queries.clear();
  clock.advance(25 * 3_600_000);
  await app.deps.jobs.maintain();
  await app.drain();
  const asked = [...queries.values()];
  const plans = new Map<CompiledQuery, string[]>();
  for (const query of asked) plans.set(query, await planOf(app, query));
  for (const [part, index] of INDEXES) {
    const matching = asked.filter(({ sql }) => part.test(sql));
    assert.ok(matching.length > 0, `nobody asks ${part}`);
    for (const query of matching) {
      const plan = plans.get(query)!;
      assert.ok(
        plan.some((line) => line.includes(index)),
        `${query.sql}\n${plan.join('\n')}`,
      );
    }
  }
  const whole = asked.flatMap((query) =>
    scans(query, plans.get(query)!)
      .filter((line) => !(tableOf(query, line) in READ_WHOLE))
      .map((line) => `${line}: ${query.sql}`),
  );
  assert.deepEqual(whole, []);
});
