import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { auditOf, gist } from '../../../../test/support/audit-trail.ts';
import { staffedGroup } from '../../../../test/support/staffed-group.ts';

type Json = Record<string, unknown>;
let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const ofGroup = ({ id }: { id: number }) => `/groups/${id}/push_rule`;
const ofProject = ({ id }: { id: number }) => `/projects/${id}/push_rule`;
const PARAMETERS =
  'deny_delete_tag, member_check, prevent_secrets, commit_message_regex, commit_message_negative_regex, branch_name_regex, author_email_regex, file_name_regex, max_file_size, commit_committer_check, commit_committer_name_check, reject_unsigned_commits, reject_non_dco_commits';
const NONE = {
  commit_message_regex: '',
  commit_message_negative_regex: '',
  branch_name_regex: '',
  deny_delete_tag: false,
  member_check: false,
  prevent_secrets: false,
  author_email_regex: '',
  file_name_regex: '',
  max_file_size: 0,
  commit_committer_check: false,
  commit_committer_name_check: false,
  reject_unsigned_commits: false,
  reject_non_dco_commits: false,
};
const ALL = {
  commit_message_regex: 'JIRA-\\d+',
  commit_message_negative_regex: 'WIP',
  branch_name_regex: '^feature/',
  deny_delete_tag: true,
  member_check: true,
  prevent_secrets: true,
  author_email_regex: '@example\\.org$',
  file_name_regex: '\\.exe$',
  max_file_size: 5,
  commit_committer_check: true,
  commit_committer_name_check: true,
  reject_unsigned_commits: true,
  reject_non_dco_commits: true,
};

test('the push rule of a group is made, shown, changed and removed', async () => {
  const group = await app.make.group();
  const path = ofGroup(group);
  const none = async (method: 'GET' | 'PUT' | 'DELETE') =>
    expectStatus<Json>(await app.request(method, path, method === 'PUT' ? { json: { member_check: true } } : {}), 404)
      .message;
  assert.deepEqual(
    [await none('GET'), await none('PUT'), await none('DELETE')],
    ['404 Not Found', '404 Push rule Not Found', '404 Not Found'],
  );
  const { id, created_at, ...made } = expectStatus<Json>(
    await app.post(path, { json: { prevent_secrets: true } }),
    201,
  );
  assert.deepEqual([typeof id, typeof created_at], ['number', 'string']);
  assert.deepEqual(made, { ...NONE, prevent_secrets: true });
  assert.deepEqual(expectStatus(await app.get(path), 200), { id, created_at, ...made });
  const twice = expectStatus<Json>(await app.post(path, { json: { member_check: true } }), 422);
  assert.equal(twice.message, 'Group push rule exists, try updating');
  const { prevent_secrets: _, ...rest } = ALL;
  const changed = expectStatus<Json>(await app.put(path, { json: rest }), 200);
  assert.deepEqual(changed, { id, created_at, ...ALL });
  const cleared = expectStatus<Json>(await app.put(path, { json: { commit_message_regex: '' } }), 200);
  assert.deepEqual(cleared, { id, created_at, ...ALL, commit_message_regex: '' });
  const json = Object.fromEntries(Object.keys(ALL).map((name) => [name, null]));
  assert.deepEqual(expectStatus(await app.put(path, { json }), 200), { id, created_at, ...NONE });
  expectStatus(await app.delete(path), 204);
  expectStatus(await app.get(path), 404);
});

test('the push rule of a project is made, shown, changed and removed', async () => {
  const project = await app.make.project();
  const path = ofProject(project);
  const none = await app.get(path);
  assert.deepEqual([none.statusCode, none.body], [200, 'null']);
  expectStatus(await app.put(path, { json: { member_check: true } }), 404);
  expectStatus(await app.delete(path), 404);
  const { id, created_at, ...made } = expectStatus<Json>(await app.post(path, { json: ALL }), 201);
  assert.deepEqual(made, { ...ALL, project_id: project.id });
  const twice = expectStatus<Json>(await app.post(path, { json: { member_check: true } }), 422);
  assert.equal(twice.message, 'Project push rule exists, try updating');
  const changed = expectStatus<Json>(await app.put(path, { json: { deny_delete_tag: false } }), 200);
  assert.deepEqual(changed, { id, created_at, project_id: project.id, ...ALL, deny_delete_tag: false });
  assert.deepEqual(expectStatus(await app.get(path), 200), changed);
  expectStatus(await app.delete(path), 204);
  assert.equal((await app.get(path)).body, 'null');
});

test('a project without a push rule of its own shows the one of the nearest group, and leaves it by changing it', async () => {
  const group = await app.make.group();
  const sub = await app.make.group({ parent: group });
  const project = await app.make.project({ namespace: sub });
  const path = ofProject(project);
  const shown = async () => expectStatus<Json>(await app.get(path), 200);
  expectStatus(await app.post(ofGroup(group), { json: { max_file_size: 5, branch_name_regex: 'a' } }), 201);
  const { project_id, max_file_size } = await shown();
  assert.deepEqual([project_id, max_file_size], [project.id, 5]);
  expectStatus(await app.post(ofGroup(sub), { json: { max_file_size: 3 } }), 201);
  assert.deepEqual([(await shown()).max_file_size, (await shown()).branch_name_regex], [3, '']);
  expectStatus(await app.put(path, { json: { member_check: true } }), 200);
  expectStatus(await app.put(ofGroup(sub), { json: { max_file_size: 9 } }), 200);
  assert.deepEqual([(await shown()).max_file_size, (await shown()).member_check], [3, true]);
  expectStatus(await app.delete(path), 204);
  assert.equal((await shown()).max_file_size, 9);
  expectStatus(await app.delete(ofGroup(sub)), 204);
  assert.equal((await shown()).max_file_size, 5);
});

test('what is no rule is refused, with what is wrong', async () => {
  const group = await app.make.group();
  const project = await app.make.project();
  for (const path of [ofGroup(group), ofProject(project)]) {
    const refusal = async (json: Json) => expectStatus<Json>(await app.post(path, { json }), 400);
    const { error } = await refusal({});
    assert.equal(error, `${PARAMETERS} are missing, at least one parameter must be provided`);
    expectStatus(await app.put(path, { json: {} }), 400);
    for (const name of Object.keys(ALL).filter((name) => name.endsWith('_regex'))) {
      const { message, errors } = await refusal({ [name]: '[a-' });
      assert.match(String(message), new RegExp(`^${name} not valid RE2 syntax: missing closing \\]`));
      assert.deepEqual(Object.keys(errors as Json), [name]);
    }
    const look = await refusal({ commit_message_regex: '(?!x)' });
    assert.match(String(look.message), /not valid RE2 syntax: invalid or unsupported Perl syntax/);
    assert.match(String((await refusal({ file_name_regex: 'x'.repeat(512) })).message), /is too long \(maximum is 511/);
    assert.match(String((await refusal({ file_name_regex: '(x{100}){100}' })).message), /is too large/);
    assert.match(String((await refusal({ max_file_size: -1 })).message), /max_file_size must be greater than or equal/);
    assert.match(String((await refusal({ max_file_size: 2 ** 53 })).message), /max_file_size/);
    expectStatus(await app.post(path, { json: { max_file_size: 'large' } }), 400);
    expectStatus(await app.post(path, { json: { member_check: 'perhaps' } }), 400);
  }
  assert.equal((await app.get(ofProject(project))).body, 'null');
});

test('owners rule groups, maintainers projects, and a custom role both', async () => {
  const { group, owner, maintainer, at } = await staffedGroup(app);
  const project = await app.make.project({ namespace: group });
  const stranger = await app.make.user();
  const roleId = await app.make.memberRole(30, ['admin_push_rules']);
  const ruler = await app.make.user();
  await app.make.member({ group }, ruler.user, 30, null, roleId);
  const json = { member_check: true };
  const answers = async (path: string, token: string | null) => {
    const statusCodes: number[] = [];
    for (const method of ['POST', 'GET', 'PUT', 'DELETE'] as const) {
      statusCodes.push((await app.request(method, path, { token, ...(method === 'GET' ? {} : { json }) })).statusCode);
    }
    return statusCodes;
  };
  const all = (status: number) => [status, status, status, status];
  for (const { token } of [await at(30), maintainer]) assert.deepEqual(await answers(ofGroup(group), token), all(403));
  for (const { token } of [await at(20), await at(30)])
    assert.deepEqual(await answers(ofProject(project), token), all(403));
  for (const path of [ofGroup(group), ofProject(project)]) {
    assert.deepEqual(await answers(path, stranger.token), all(404));
    assert.deepEqual(await answers(path, null), all(401));
    assert.deepEqual(await answers(path, owner.token), [201, 200, 200, 204]);
    assert.deepEqual(await answers(path, ruler.token), [201, 200, 200, 204]);
  }
  assert.deepEqual(await answers(ofProject(project), maintainer.token), [201, 200, 200, 204]);
});

test('a push rule tells who made, changed and removed it', async () => {
  const group = await app.make.group();
  const path = ofGroup(group);
  const auditGists = async (work: () => Promise<unknown>) => (await auditOf(app, work)).map(gist);
  const on = `Group ${group.id}`;
  const target = 'PushRule Push rules';
  assert.deepEqual(await auditGists(() => app.post(path, { json: { max_file_size: 5, member_check: true } })), [
    { event: 'push_rule_created', on, target, message: 'Added push rules' },
    {
      event: 'push_rules_max_file_size_updated',
      on,
      target,
      message: 'Changed maximum file size (MiB) from 0 to 5',
    },
    {
      event: 'push_rules_member_check_updated',
      on,
      target,
      message: 'Changed check whether the commit author is a user from false to true',
    },
  ]);
  assert.deepEqual(
    await auditGists(() => app.put(path, { json: { commit_message_regex: 'JIRA', member_check: true } })),
    [
      {
        event: 'push_rules_commit_message_regex_updated',
        on,
        target,
        message: 'Changed required pattern of commit messages from  to JIRA',
      },
    ],
  );
  assert.deepEqual(await auditGists(() => app.delete(path)), [
    { event: 'push_rule_deleted', on, target, message: 'Removed push rules' },
  ]);
});
