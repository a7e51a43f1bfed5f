import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { DIALECTS, type Dialect, loadConfig } from '../config/config.ts';
import { DIFFERENCES } from './dialect.ts';

type Json = Record<string, unknown>;
interface Schema {
  type?: unknown;
  enum?: string[];
  anyOf?: Schema[];
  format?: string;
  $ref?: string;
  items?: Schema;
  properties?: Record<string, Schema>;
}

test('the dialect is the specification unless told, and an unknown one is refused', () => {
  const load = (env: Record<string, string>) => loadConfig({ STITHY_DATA_DIR: '/tmp', ...env }).config.dialect;
  assert.equal(load({}), 'specification');
  assert.equal(load({ STITHY_DIALECT: 'gitlab' }), 'gitlab');
  for (const wrong of ['github', 'GitLab', 'specification,gitlab']) {
    assert.throws(() => load({ STITHY_DIALECT: wrong }), /STITHY_DIALECT must be one of specification, gitlab/);
  }
});

test('the operating page has every difference in its table, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/operating.md'), 'utf8');
  const [, section] = page.split('\n## Dialects\n');
  const rows = section!
    .split('\n## ')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2);
  const missing = Object.entries(DIFFERENCES).filter(([, { where }]) => {
    const [, name] = /`([^`]+)`/.exec(where)!;
    return rows.filter((row) => row.split(' | ')[0]!.includes(name!)).length !== 1;
  });
  assert.deepEqual([missing.map(([name]) => name), rows.length], [[], Object.keys(DIFFERENCES).length]);
});

/** Expected answers of each dialect. */
const EXPECTED = {
  specification: { flag: 'false', strategy: 'svcUserList', one: true, day: '2031-02-03', count: 'string' },
  gitlab: { flag: false, strategy: 'gitlabUserList', one: false, day: '2031-02-03T00:00:00.000Z', count: 'number' },
} as const;

for (const dialect of DIALECTS) describeDialect(dialect);

function describeDialect(dialect: Dialect): void {
  const expected = EXPECTED[dialect];
  describe(`dialect ${dialect}`, () => {
    let app: TestApp;
    let place: string;
    before(async () => {
      app = await buildTestApp({ settings: { STITHY_DIALECT: dialect } });
      place = `/projects/${(await app.make.project()).id}`;
    });
    after(() => app.close());

    const post = async (path: string, json: Json, status = 201) =>
      expectStatus<Json>(await app.post(`${place}${path}`, { json }), status);
    const get = async <T = Json>(path: string) => expectStatus<T>(await app.get(`${place}${path}`), 200);

    test('branches of approval rules', async () => {
      await post('/protected_branches', { name: 'main' });
      const rule = { name: 'All', approvals_required: 1, applies_to_all_protected_branches: true };
      const made = await post('/approval_rules', { ...rule, user_ids: [1] });
      const flags = (shown: Json) =>
        (shown.protected_branches as Json[]).map(({ code_owner_approval_required }) => code_owner_approval_required);
      assert.deepEqual(flags(made), [expected.flag]);
      assert.deepEqual(flags(await get(`/approval_rules/${made.id}`)), [expected.flag]);
      assert.deepEqual((await get<Json[]>('/approval_rules')).map(flags), [[expected.flag]]);
    });

    test('strategies with a user list, whichever name they are given by; Unleash has neither name', async () => {
      const { id } = await post('/feature_flags_user_lists', { name: 'Testers', user_xids: 'ann,bea' });
      for (const name of ['svcUserList', 'gitlabUserList']) {
        const flag = name.toLowerCase();
        const strategies = [{ name, user_list_id: id }, { name: 'default' }];
        const names = (shown: Json) => (shown.strategies as Json[]).map((each) => each.name);
        const both = [expected.strategy, 'default'];
        assert.deepEqual(names(await post('/feature_flags', { name: flag, strategies })), both);
        assert.deepEqual(names(await get(`/feature_flags/${flag}`)), both);
        const json = { strategies: [{ name, user_list_id: id }] };
        const changed = expectStatus<Json>(await app.put(`${place}/feature_flags/${flag}`, { json }), 200);
        assert.deepEqual(names(changed), [...both, expected.strategy]);
      }
      const listed = await get<Json[]>('/feature_flags');
      assert.equal(JSON.stringify(listed).includes(expected.strategy), true);
      const client = await get('/feature_flags_client');
      const query = { instance_id: String(client.instance_id), app_name: 'production' };
      const path = `/feature_flags/unleash${place.replace('/projects', '')}/client/features`;
      const features = (await app.get(path, { token: null, query })).body;
      assert.match(features, /userWithId/);
      assert.doesNotMatch(features, /UserList/);
    });

    test('the state of one relation of an export', async () => {
      expectStatus(await app.post(`${place}/export_relations`, { json: {} }), 202);
      await app.drain();
      const one = await get<Json | Json[]>('/export_relations/status?relation=labels');
      assert.equal(Array.isArray(one), expected.one);
      assert.equal([one].flat()[0]!.relation, 'labels');
      assert.equal(Array.isArray(await get('/export_relations/status')), true);
      expectStatus(await app.get(`${place}/export_relations/status?relation=none`), 404);
    });

    test('the end of an invitation', async () => {
      await post('/invitations', { email: 'a@example.org', access_level: 30, expires_at: '2031-02-03' });
      await post('/invitations', { email: 'b@example.org', access_level: 30 });
      const ends = (await get<Json[]>('/invitations')).map((each) => each.expires_at);
      assert.deepEqual(new Set(ends), new Set([expected.day, null]));
      const changed = await app.put(`${place}/invitations/a@example.org`, { json: { access_level: 20 } });
      assert.equal(expectStatus<Json>(changed, 200).expires_at, expected.day);
    });

    test('the counts of everything', async () => {
      const counts = expectStatus<Json>(await app.get('/application/statistics'), 200);
      assert.deepEqual(new Set(Object.values(counts).map((each) => typeof each)), new Set([expected.count]));
    });

    test('the document says which one is served, and its types', async () => {
      const document = (await app.get('/openapi.json')).json() as {
        info: Json;
        paths: Record<string, { get: { responses: Record<string, { content: Record<string, { schema: Schema }> }> } }>;
        components: { schemas: Record<string, Schema> };
      };
      assert.equal(document.info['x-dialect'], dialect);
      const resolved = (schema: Schema): Schema =>
        schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.split('/').at(-1)!]!;
      const response = (path: string) =>
        resolved(document.paths[`/api/v4${path}`]!.get.responses['200']!.content['application/json']!.schema);
      const property = (schema: Schema, name: string) => resolved(resolved(schema).properties![name]!);
      const rule = resolved(response('/projects/{id}/approval_rules').items!);
      const branch = resolved(property(rule, 'protected_branches').items!);
      assert.equal(property(branch, 'code_owner_approval_required').type, typeof expected.flag);
      const flag = response('/projects/{id}/feature_flags/{feature_flag_name}');
      const strategy = resolved(property(flag, 'strategies').items!);
      assert.equal(property(strategy, 'name').enum!.includes(expected.strategy), true);
      const statusPath = '/projects/{id}/export_relations/status';
      assert.equal(response(statusPath).type === 'array', expected.one);
      const invitation = resolved(response('/projects/{id}/invitations').items!);
      assert.equal(property(invitation, 'expires_at').format, dialect === 'gitlab' ? 'date-time' : 'date');
      const counts = property(response('/application/statistics'), 'forks').type;
      assert.equal(counts, dialect === 'gitlab' ? 'integer' : 'string');
      assert.equal(JSON.stringify(document).includes('x-dialects'), false);
    });
  });
}
