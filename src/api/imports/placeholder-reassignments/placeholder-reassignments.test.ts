import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { askImport } from '../../../../test/support/imports.ts';
import { multipart } from '../../../../test/support/multipart.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';

type Json = Record<string, unknown>;
let app: TestApp;
let url: string;
before(async () => {
  app = await buildTestApp({
    settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true', STITHY_SMTP_URL: 'smtp://127.0.0.1:9' },
  });
  url = await app.listen();
  expectStatus(await app.put('/application/settings', { json: { bulk_import_enabled: true } }), 200);
});
after(() => app.close());

const HEADER =
  'Source host,Import type,Source user identifier,Source user name,Source username,Platform username,Platform public email';
const message = (response: Awaited<ReturnType<TestApp['get']>>, status: number) =>
  String(expectStatus<Json>(response, status).message);
const place = (group: Pick<Namespace, 'id'>) => `/groups/${group.id}/placeholder_reassignments`;
const send = (group: Pick<Namespace, 'id'>, text: string, options: { name?: string; token?: string } = {}) => {
  const { headers, body } = multipart(
    {},
    { field: 'file', name: options.name ?? 'sheet.csv', bytes: Buffer.from(text) },
  );
  return app.post(place(group), { headers, body, ...(options.token === undefined ? {} : { token: options.token }) });
};
const rowsOf = (text: string): Json[] => parse(text, { columns: true });
/** Takes the queued mails, newest last. */
async function mails(): Promise<Json[]> {
  const jobs = await app.deps.db.selectFrom('jobs').selectAll().where('kind', '=', 'mail.send').orderBy('id').execute();
  await app.deps.db.deleteFrom('jobs').where('kind', '=', 'mail.send').execute();
  return jobs.map(({ payload }) => JSON.parse(payload) as Json);
}
const work = async () => {
  for (;;) {
    const waiting = await app.deps.db.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute();
    await app.deps.db
      .updateTable('jobs')
      .set({ run_at: '2999-01-01T00:00:00.000Z', turn_at: '2999-01-01T00:00:00.000Z' })
      .where('kind', '=', 'mail.send')
      .execute();
    await app.drain();
    const after = await app.deps.db.selectFrom('jobs').select('id').where('kind', '=', 'mail.send').execute();
    if (after.length === waiting.length) return;
  }
};

let count = 0;
/** An imported group with an issue of Ann. */
async function imported(): Promise<{ ann: TestUser; group: Namespace; project: number; identifier: string }> {
  count += 1;
  const ann = await app.make.user();
  const top = await app.make.group({ path: `from-${count}` });
  const project = await app.make.project({ namespace: top, path: 'tool' });
  await app.make.member({ project }, ann.user, 30);
  const of = `/projects/${project.id}`;
  const issue = { title: 'Hers', assignee_ids: [ann.user.id] };
  expectStatus(await app.post(`${of}/issues`, { token: ann.token, json: issue }), 201);
  expectStatus(await app.post(`${of}/issues/1/notes`, { token: ann.token, json: { body: 'A word' } }), 201);
  expectStatus(await app.post(`${of}/issues/1/award_emoji`, { token: ann.token, json: { name: 'rocket' } }), 201);
  expectStatus(await app.put(`${of}/issues/1`, { token: ann.token, json: { state_event: 'close' } }), 200);
  const entity = { source_full_path: top.full_path, destination_slug: `to-${count}` };
  expectStatus(await askImport(app, url, entity), 201);
  await work();
  const group = await app.deps.db
    .selectFrom('namespaces')
    .selectAll()
    .where('path', '=', `to-${count}`)
    .executeTakeFirstOrThrow();
  const copy = await app.deps.db
    .selectFrom('projects')
    .select('id')
    .where('namespace_id', '=', group.id)
    .executeTakeFirstOrThrow();
  await mails();
  return { ann, group, project: copy.id, identifier: String(ann.user.id) };
}
const sheetFor = (identifier: string, username: string, email = '') =>
  `${HEADER}\n${new URL(url).host},gitlab_migration,${identifier},,,${username},${email}\n`;
const linkIn = (mail: Json) => /\/import\/source_users\/(\d+)\/([\w-]+)\/accept/.exec(String(mail.text))!;
const answerTo = (mail: Json, verb: string, token: string) => {
  const [, namespace, secret] = linkIn(mail);
  return app.instance.server.app.inject({
    method: verb === '' ? 'GET' : 'POST',
    url: `/import/source_users/${namespace}/${secret}${verb === '' ? '' : `/${verb}`}`,
    headers: { 'private-token': token },
  });
};

describe('contributions of a placeholder', () => {
  test('become those of a user who accepts them', async () => {
    const { ann, group, project, identifier } = await imported();
    const sheet = await app.get(place(group));
    assert.equal(sheet.statusCode, 200);
    assert.equal(sheet.headers['content-type'], 'text/csv; charset=utf-8');
    assert.match(
      String(sheet.headers['content-disposition']),
      new RegExp(`filename="placeholder_reassignments_for_group_${group.id}_\\d+\\.csv"`),
    );
    assert.equal(sheet.body.split('\n')[0], HEADER);
    const row = rowsOf(sheet.body).find((each) => each['Source user identifier'] === identifier)!;
    assert.deepEqual(
      [row['Source username'], row['Import type'], row['Platform username']],
      [ann.user.username, 'gitlab_migration', ''],
    );

    const bea = await app.make.user();
    const made = await send(group, sheetFor(identifier, `@${bea.user.username}`));
    assert.equal(message(made, 201), 'The file is being processed and you will receive an email when completed.');
    await work();
    const sent = await mails();
    const asked = sent.find(({ to }) => to === bea.user.email)!;
    const report = sent.find(({ subject }) => /were processed/.test(String(subject)))!;
    assert.match(String(report.text), /Matched: 1\n\nFailed: 0\n\nSkipped: 0/);
    assert.equal(
      rowsOf((await app.get(place(group))).body).some((each) => each['Source user identifier'] === identifier),
      false,
    );

    assert.equal((await answerTo(asked, 'accept', ann.token)).statusCode, 404);
    assert.equal((await answerTo(asked, '', bea.token)).json().status, 'awaiting_approval');
    assert.equal((await answerTo(asked, 'accept', bea.token)).json().status, 'reassignment_in_progress');
    assert.equal((await answerTo(asked, 'accept', bea.token)).statusCode, 404);
    await work();
    const issue = expectStatus<Json>(await app.get(`/projects/${project}/issues/1`, { token: bea.token }), 200);
    const { id } = bea.user;
    assert.deepEqual(
      [(issue.author as Json).id, (issue.assignees as Json[])[0]!.id, (issue.closed_by as Json).id],
      [id, id, id],
    );
    const notes = expectStatus<Json[]>(await app.get(`/projects/${project}/issues/1/notes`), 200);
    assert.deepEqual(
      notes.filter(({ body }) => body === 'A word').map(({ author }) => (author as Json).id),
      [id],
    );
    const awards = expectStatus<Json[]>(await app.get(`/projects/${project}/issues/1/award_emoji`), 200);
    assert.deepEqual(
      awards.map(({ user }) => (user as Json).id),
      [id],
    );
    const member = expectStatus<Json>(await app.get(`/projects/${project}/members/${id}`), 200);
    assert.equal(member.access_level, 30);
    const row2 = await app.deps.db
      .selectFrom('import_source_users')
      .selectAll()
      .where('namespace_id', '=', group.id)
      .where('source_user_identifier', '=', identifier)
      .executeTakeFirstOrThrow();
    assert.equal(row2.status, 5);
    assert.ok((await mails()).some(({ text }) => /^The contributions of .* were assigned to/.test(String(text))));
    const auditEvents = await app.deps.db
      .selectFrom('audit_events')
      .select('event_name')
      .where('entity_type', '=', 'Group')
      .where('entity_id', '=', group.id)
      .where('event_name', 'like', 'placeholder%')
      .orderBy('id')
      .execute();
    assert.deepEqual(
      auditEvents.map(({ event_name }) => event_name.replace('placeholder_reassignment_', '')),
      ['proposed', 'accepted', 'completed'],
    );
  });

  test('are given once, to whom they were offered, however many answers come at once', async () => {
    const [one, other] = [await imported(), await imported()];
    const { user, token } = await app.make.user();
    expectStatus(await send(one.group, sheetFor(one.identifier, user.username)), 201);
    await work();
    const asked = (await mails()).find(({ to }) => to === user.email)!;
    const [, , secret] = linkIn(asked);
    const elsewhere = await app.instance.server.app.inject({
      method: 'POST',
      url: `/import/source_users/${other.group.id}/${secret}/accept`,
      headers: { 'private-token': token },
    });
    assert.equal(elsewhere.statusCode, 404);
    const answers = await Promise.all(
      ['accept', 'accept', 'decline', 'accept', 'decline'].map((verb) => answerTo(asked, verb, token)),
    );
    assert.deepEqual(answers.map(({ statusCode }) => statusCode).sort(), [200, 404, 404, 404, 404]);
    await work();
  });

  test('leave nothing behind in any table', async () => {
    const { group, identifier } = await imported();
    const { user, token } = await app.make.user();
    expectStatus(await send(group, sheetFor(identifier, user.username)), 201);
    await work();
    const asked = (await mails()).find(({ to }) => to === user.email)!;
    assert.equal((await answerTo(asked, 'accept', token)).statusCode, 200);
    await work();
    const { placeholder_user_id } = await app.deps.db
      .selectFrom('import_source_users')
      .select('placeholder_user_id')
      .where('namespace_id', '=', group.id)
      .where('source_user_identifier', '=', identifier)
      .executeTakeFirstOrThrow();
    const { USER_COLUMNS } = await import('../../../db/user-columns.ts');
    for (const [table, columns] of Object.entries(USER_COLUMNS) as [never, object][]) {
      for (const [column, fate] of Object.entries(columns)) {
        if (fate !== 'ghost') continue;
        const left = await app.deps.db
          .selectFrom(table)
          .select(({ fn }) => fn.countAll<number>().as('count'))
          .where(column as never, '=', placeholder_user_id as never)
          .executeTakeFirst();
        assert.equal(Number((left as { count: number }).count), 0, `${table}.${column}`);
      }
    }
  });

  test('stay where the user declines them, and can be given to another', async () => {
    const { group, project, identifier } = await imported();
    const bea = await app.make.user();
    expectStatus(await send(group, sheetFor(identifier, bea.user.username)), 201);
    await work();
    const asked = (await mails()).find(({ to }) => to === bea.user.email)!;
    assert.equal((await answerTo(asked, 'decline', bea.token)).json().status, 'rejected');
    await work();
    assert.match(String((await mails()).at(-1)!.text), /has declined/);
    const issue = expectStatus<Json>(await app.get(`/projects/${project}/issues/1`), 200);
    assert.match(String((issue.author as Json).username), /_placeholder_/);
    assert.ok(rowsOf((await app.get(place(group))).body).some((each) => each['Source user identifier'] === identifier));
    const { user } = await app.make.user({ columns: { public_email: 'cora@example.org' } });
    expectStatus(await send(group, sheetFor(identifier, '', 'Cora@example.org')), 201);
    await work();
    assert.ok((await mails()).some(({ to }) => to === user.email));
  });
});

describe('a sheet', () => {
  test('that names nobody, or somebody who is not there, is answered by mail', async () => {
    const { group, identifier } = await imported();
    const host = new URL(url).host;
    const text = [
      'SOURCE HOST,import type,source user identifier,Source user name,Source username,GitLab username,GitLab public email',
      `${host},gitlab_migration,${identifier},,,nobody-here,`,
      `${host},gitlab_migration,999999,,,root,`,
      `${host},gitlab_migration,1,,,,`,
    ].join('\n');
    expectStatus(await send(group, text), 201);
    await work();
    const [report] = await mails();
    assert.match(String(report!.text), /Matched: 0\n\nFailed: 2\n\nSkipped: 1/);
    const [attached] = report!.attachments as { content: string }[];
    assert.deepEqual(
      rowsOf(attached!.content).map((row) => [row['Source user identifier'], row.error]),
      [
        [identifier, 'No matching user for provided information.'],
        ['999999', 'No source user of this group is awaiting reassignment under that identifier.'],
      ],
    );
  });

  test('that cannot be processed is refused', async () => {
    const { group } = await imported();
    const preventing = 'The following errors are preventing the sheet from being processed:';
    assert.equal(
      message(await send(group, HEADER, { name: 'sheet.txt' }), 422),
      'You must upload a CSV file with a .csv file extension.',
    );
    for (const text of ['', 'a,b\n1,2', `${HEADER}\n"`, `${HEADER}\n1,2,3`]) {
      assert.equal(
        message(await send(group, text), 422),
        `${preventing} The provided CSV was not correctly formatted.`,
      );
    }
    const twice = `${HEADER}\nh,t,1,,,root,\nh,t,2,,,Root,`;
    assert.match(message(await send(group, twice), 422), /contains duplicate email addresses or usernames/);
    expectStatus(await app.post(place(group), { json: {} }), 400);
    const empty = await app.make.group();
    assert.equal(message(await app.get(place(empty)), 422), 'No placeholder users are awaiting reassignment.');
  });

  test('of somebody who is no owner any more gives nothing to anybody', async () => {
    const { group, identifier } = await imported();
    const [owner, bea] = [await app.make.user(), await app.make.user()];
    await app.make.member({ group }, owner.user, 50);
    expectStatus(await send(group, sheetFor(identifier, bea.user.username), { token: owner.token }), 201);
    expectStatus(await app.put(`/groups/${group.id}/members/${owner.user.id}`, { json: { access_level: 40 } }), 200);
    await work();
    const sent = await mails();
    assert.ok(!sent.some(({ to }) => to === bea.user.email));
    const [attached] = sent[0]!.attachments as { content: string }[];
    assert.match(attached!.content, /You do not have permission to reassign placeholder users here\./);
  });

  test('is no formula for table programs, whatever people elsewhere are called', async () => {
    const { group, identifier } = await imported();
    for (const source_name of ['=cmd|"/C calc"!A0', '+1', '-1', '@SUM(1)', '\t=1']) {
      await app.deps.db
        .updateTable('import_source_users')
        .set({ source_name })
        .where('namespace_id', '=', group.id)
        .where('source_user_identifier', '=', identifier)
        .execute();
      const { body } = await app.get(place(group));
      const row = rowsOf(body).find((each) => each['Source user identifier'] === identifier)!;
      assert.equal(row['Source user name'], `'${source_name}`);
    }
    expectStatus(await send(group, `${sheetFor('=1+1', 'nobody')}`), 201);
    await work();
    const [attached] = (await mails())[0]!.attachments as { content: string }[];
    assert.equal(rowsOf(attached!.content)[0]!['Source user identifier'], "'=1+1");
  });

  test('of as many cells as fit is read, or refused, at once', async () => {
    const { group } = await imported();
    const fill = (text: string) => text.repeat(Math.floor((5 * 1024 * 1024 - HEADER.length - 1) / text.length));
    for (const text of [fill(','), fill('"'), fill('\n'), fill('a,b,c,d,e,f,g\n'), fill('"a",')]) {
      const { message: errorMessage } = expectStatus<Json>(
        await send(group, `${HEADER}\n${text}`),
        text[0] === '\n' ? 201 : 422,
      );
      assert.ok(typeof errorMessage === 'string' && errorMessage.length < 1_000);
    }
    expectStatus(await send(group, `${HEADER}\n${'x'.repeat(5 * 1024 * 1024)}`), 422);
  });

  test('is for owners alone', async () => {
    const { group, owner, maintainer } = await staffedGroup(app);
    const stranger = await app.make.user();
    const ask = async (token: string | null) => (await app.get(place(group), { token })).statusCode;
    assert.deepEqual(
      [await ask(null), await ask(stranger.token), await ask(maintainer.token), await ask(owner.token)],
      [401, 404, 403, 422],
    );
    assert.equal((await send(group, HEADER, { token: maintainer.token })).statusCode, 403);
  });
});
