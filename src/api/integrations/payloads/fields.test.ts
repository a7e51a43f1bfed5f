import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp, TestClock } from '../../../../test/support/app.ts';
import { commitFiles } from '../../../../test/support/commits.ts';
import { FakeRunner } from '../../../../test/support/fake-runner.ts';
import { type SentPayloads, sentPayloadsOf } from '../../../../test/support/payloads.ts';
import { commitToWiki, page } from '../../../../test/support/wikis.ts';
import { HOOK_EVENTS, TRIGGERS } from './hook-events.table.ts';
import { sampleEvent } from './sample.ts';
import type { Payload } from './types.ts';

/**
 * Every field that messages have by the public description of hooks, by the kind of the message: a word is a key; `key{...}`
 * an object that has those, `key[...]` a list whose first one has them. What a message has beside them is not looked at.
 */
const PROJECT =
  'project{id name description web_url avatar_url git_ssh_url git_http_url namespace visibility_level path_with_namespace default_branch ci_config_path homepage url ssh_url http_url}';
const SHORT_PROJECT =
  'project{id name description web_url avatar_url git_ssh_url git_http_url namespace visibility_level path_with_namespace default_branch ci_config_path}';
const PERSON = 'id name username avatar_url email';
const USER = `user{${PERSON}}`;
const COMMIT = 'id message title timestamp url author{name email}';
const LABEL = 'id title color project_id created_at updated_at template description type group_id';
const REPOSITORY = 'repository{name url description homepage}';
const WHOLE_REPOSITORY = 'repository{name url description homepage git_http_url git_ssh_url visibility_level}';
const PUSHED = `before after ref checkout_sha user_id user_name user_email user_avatar project_id ${PROJECT} commits[${COMMIT} added modified removed] total_commits_count ${WHOLE_REPOSITORY}`;
const PUSH = `object_kind event_name ref_protected message user_username push_options ${PUSHED}`;
const ISSUE = `id title assignee_ids assignee_id author_id project_id created_at updated_at updated_by_id last_edited_at last_edited_by_id relative_position description milestone_id state_id confidential discussion_locked due_date moved_to_id duplicated_to_id time_estimate total_time_spent time_change human_total_time_spent human_time_change human_time_estimate weight health_status type iid url state severity labels[${LABEL}]`;
const MERGE_REQUEST = `assignee_id author_id created_at description draft head_pipeline_id id iid last_edited_at last_edited_by_id merge_commit_sha merge_error merge_params merge_status merge_user_id merge_when_pipeline_succeeds milestone_id source_branch source_project_id state_id target_branch target_project_id time_estimate title updated_at updated_by_id prepared_at assignee_ids blocking_discussions_resolved detailed_merge_status first_contribution human_total_time_spent human_time_change human_time_estimate labels[${LABEL}] last_commit{${COMMIT}} reviewer_ids source{id name} state target{id name} time_change total_time_spent url approval_rules`;
const MERGE_REQUEST_MESSAGE = `object_kind event_type ${USER} ${PROJECT} object_attributes{${MERGE_REQUEST} action system} labels[${LABEL}] changes ${REPOSITORY} assignees[${PERSON}] reviewers[${PERSON} state]`;
const NOTE = (on: string) =>
  `object_kind event_type ${USER} project_id ${PROJECT} ${REPOSITORY} object_attributes{id internal note noteable_type author_id created_at updated_at project_id attachment line_code commit_id noteable_id system st_diff action url} ${on}`;
const ENVIRONMENT = 'environment{name action deployment_tier}';
const RUNNER = 'runner{id description runner_type active is_shared tags}';
const EMOJI = `object_kind event_type ${USER} project_id ${PROJECT} object_attributes{user_id created_at id name awardable_type awardable_id updated_at action awarded_on_url}`;
const MEMBER =
  'created_at updated_at group_name group_path group_id user_username user_name user_email user_id group_access event_name';
const SPACE =
  'event_name created_at updated_at name owner_email owner_name owners[name email] path path_with_namespace project_id project_namespace_id project_visibility';
const SUBGROUP =
  'event_name created_at updated_at name path full_path group_id parent_group_id parent_name parent_path parent_full_path';
const TEAM =
  'event_name created_at updated_at access_level project_id project_name project_path project_path_with_namespace user_email user_name user_username user_id project_visibility';
const ACCOUNT = 'event_name created_at updated_at email name username user_id';

/** By what tells messages apart: `object_kind` or `event_name`, and what a note or reaction is on. */
const OF_HOOKS: Readonly<Record<string, string>> = {
  push: PUSH,
  tag_push: PUSH,
  issue: `object_kind event_type ${USER} ${PROJECT} object_attributes{${ISSUE} action} ${REPOSITORY} assignees[${PERSON}] assignee{${PERSON}} labels[${LABEL}] changes`,
  'issue update': `object_attributes{${ISSUE} action} changes{title{previous current}}`,
  work_item: `object_attributes{${ISSUE} action escalation_status escalation_policy}`,
  'note issue': NOTE(`issue{${ISSUE}}`),
  'note merge_request': NOTE(`merge_request{${MERGE_REQUEST}}`),
  'note commit': NOTE(`commit{${COMMIT}}`),
  'note snippet': NOTE(
    'snippet{id title content author_id project_id created_at updated_at file_name type visibility_level}',
  ),
  merge_request: MERGE_REQUEST_MESSAGE,
  'merge_request oldrev': `${MERGE_REQUEST_MESSAGE} object_attributes{oldrev}`,
  wiki_page: `object_kind ${USER} ${PROJECT} wiki{web_url git_ssh_url git_http_url path_with_namespace default_branch} object_attributes{title content format message slug url action diff_url version_id}`,
  pipeline: `object_kind object_attributes{id iid name ref tag sha before_sha source status detailed_status stages created_at finished_at duration queued_duration variables[key value] url} merge_request ${USER} ${SHORT_PROJECT} commit{${COMMIT}} builds[id stage name status created_at started_at finished_at duration queued_duration failure_reason when manual allow_failure ${USER} runner artifacts_file{filename size} environment]`,
  build: `object_kind ref tag before_sha sha retries_count build_id build_name build_stage build_status build_created_at build_created_at_iso build_started_at build_started_at_iso build_finished_at build_finished_at_iso build_duration build_queued_duration build_allow_failure build_failure_reason pipeline_id ${RUNNER} project_id project_name ${USER} commit{id name sha message author_name author_email author_url status duration started_at finished_at} ${WHOLE_REPOSITORY} ${SHORT_PROJECT} ${ENVIRONMENT}`,
  deployment: `object_kind status status_changed_at deployment_id deployable_id deployable_url environment environment_tier environment_slug environment_external_url ${PROJECT} short_sha ${USER} user_url commit_url commit_title`,
  feature_flag: `object_kind ${PROJECT} ${USER} user_url object_attributes{id name description active}`,
  release: `id created_at description name released_at tag object_kind ${PROJECT} url action assets{count links[id external link_type name url] sources[format url]} commit{${COMMIT}}`,
  milestone: `object_kind event_type ${PROJECT} object_attributes{id iid title description state created_at updated_at due_date start_date group_id project_id} action`,
  'emoji issue': `${EMOJI} issue{${ISSUE}}`,
  'emoji note': `${EMOJI} note{id note noteable_type} issue{${ISSUE}}`,
  'emoji merge_request': `${EMOJI} merge_request{${MERGE_REQUEST}}`,
  'emoji project_snippet': `${EMOJI} project_snippet{id title}`,
  'emoji commit': `${EMOJI} note{id note noteable_type} commit{${COMMIT}}`,
  access_token: `object_kind ${PROJECT} object_attributes{user_id created_at id name expires_at last_used_at} event_name`,
  user_add_to_group: `${MEMBER} group_plan expires_at`,
  user_update_for_group: `${MEMBER} group_plan expires_at`,
  user_remove_from_group: `${MEMBER} group_plan expires_at`,
  user_access_request_to_group: `${MEMBER} group_plan expires_at`,
  user_access_request_denied_for_group: `${MEMBER} group_plan expires_at`,
  project_create: SPACE.replace('owner_email owner_name ', ''),
  project_destroy: SPACE.replace('owner_email owner_name ', ''),
  subgroup_create: SUBGROUP,
  subgroup_destroy: SUBGROUP,
};

const OF_SYSTEM_HOOKS: Readonly<Record<string, string>> = {
  project_create: SPACE,
  project_destroy: SPACE,
  project_update: SPACE,
  project_rename: `${SPACE} old_path_with_namespace`,
  project_transfer: `${SPACE} old_path_with_namespace`,
  user_add_to_team: TEAM,
  user_remove_from_team: TEAM,
  user_update_for_team: TEAM,
  user_access_request_to_project: TEAM,
  user_access_request_revoked_for_project: TEAM,
  user_create: ACCOUNT,
  user_destroy: ACCOUNT,
  user_failed_login: `${ACCOUNT} state`,
  user_rename: `${ACCOUNT} old_username`,
  key_create: 'event_name created_at updated_at username key id',
  key_destroy: 'event_name created_at updated_at username key id',
  group_create: 'event_name created_at updated_at name path group_id',
  group_destroy: 'event_name created_at updated_at name path group_id',
  group_rename: 'event_name created_at updated_at name path full_path group_id old_path old_full_path',
  user_add_to_group: MEMBER,
  user_remove_from_group: MEMBER,
  user_update_for_group: MEMBER,
  user_access_request_to_group: MEMBER,
  user_access_request_revoked_for_group: MEMBER,
  push: `event_name ${PUSHED}`,
  tag_push: `event_name ${PUSHED}`,
  merge_request: MERGE_REQUEST_MESSAGE,
  repository_update: `event_name user_id user_name user_email user_avatar project_id ${PROJECT} changes[before after ref] refs`,
};

let app: TestApp;
let runner: FakeRunner;
const clock = new TestClock();
before(async () => {
  app = await buildTestApp({ clock });
  runner = await FakeRunner.make(app);
});
after(() => app.close());

/** Paths of the fields that a value lacks. */
function missing(value: unknown, fields: string): string[] {
  const words = fields.match(/[\w]+|[{}[\]]/g) ?? [];
  let at = 0;
  const look = (of: unknown, path: string, end: string | undefined): string[] => {
    const missingFields: string[] = [];
    const has = typeof of === 'object' && of !== null;
    while (at < words.length && words[at] !== end) {
      const key = words[at++]!;
      const there = has && Object.hasOwn(of, key);
      if (!there) missingFields.push(`${path}${key}`);
      const inner = there ? (of as Record<string, unknown>)[key] : undefined;
      const [open] = [words[at]];
      if (open !== '{' && open !== '[') continue;
      at += 1;
      const below = open === '[' ? (inner as unknown[] | undefined)?.[0] : inner;
      missingFields.push(...look(below, `${path}${key}.`, open === '{' ? '}' : ']'));
      at += 1;
    }
    return missingFields;
  };
  return look(value, '', undefined);
}

const ON = ['merge_request', 'commit', 'project_snippet', 'snippet', 'note', 'issue'];

/** Names of the table that apply to a payload. */
function namesOf(payload: Payload): string[] {
  const kind = String(payload.object_kind ?? payload.event_name);
  const { oldrev, action } = (payload.object_attributes ?? {}) as Record<string, unknown>;
  if (kind === 'note') return ON.filter((each) => each !== 'note' && each in payload).map((each) => `note ${each}`);
  if (kind === 'emoji') return ON.filter((each) => each in payload).map((each) => `emoji ${each}`);
  if (oldrev !== undefined) return ['merge_request oldrev'];
  if (kind === 'issue' && action !== 'open') return [`issue ${action}`];
  return [kind];
}

/** Fields that the most complete payload of each name lacks, and the names without a payload. */
function lacks(table: Readonly<Record<string, string>>, payloads: readonly Payload[]): string[] {
  return Object.entries(table).flatMap(([name, fields]) => {
    const own = payloads
      .filter((payload) => namesOf(payload).includes(name))
      .map((payload) => missing(payload, fields));
    if (own.length === 0) return [`${name}: nothing was told`];
    const [fewest] = own.sort((a, b) => a.length - b.length);
    return fewest!.map((path) => `${name}: ${path}`);
  });
}

const payloadsIn = ({ hooks, system }: SentPayloads, more: SentPayloads) => ({
  hooks: [...hooks, ...more.hooks].map(({ payload }) => payload),
  system: [...system, ...more.system].map(({ payload }) => payload),
});

/** Payloads of events that no API call triggers. */
const samples: Payload[] = [];

async function reactionToCommit(projectId: number): Promise<Payload> {
  const { db } = app.deps;
  const { id } = await db
    .selectFrom('notes')
    .select('id')
    .where('noteable_type', '=', 'Commit')
    .executeTakeFirstOrThrow();
  const at = clock.now().toISOString();
  const on = { awardable_type: 'Note', awardable_id: id, project_id: projectId } as const;
  await db
    .insertInto('award_emoji')
    .values({ ...on, name: 'star', user_id: 1, created_at: at, updated_at: at })
    .execute();
  return (await sampleEvent(app.deps, { projectId }, 'emoji', 1)).payload;
}

const CONFIG = 'ship: {script: ship, environment: {name: prod, deployment_tier: production}}';

async function inProject(): Promise<void> {
  const { user, token } = await app.make.user();
  const project = await app.make.project({ visibility: 'public' });
  const place = `/projects/${project.id}`;
  const post = async (rest: string, json: object, status = 201) =>
    expectStatus<Record<string, unknown>>(await app.post(`${place}${rest}`, { json }), status);
  const put = async (rest: string, json: object) => expectStatus(await app.put(`${place}${rest}`, { json }), 200);
  await post('/members', { user_id: user.id, access_level: 30 });
  await put(`/members/${user.id}`, { access_level: 40 });
  const { id: sha } = await commitFiles(app, project.id, { 'a.txt': 'a' });
  await post('/repository/tags', { tag_name: 'v1', ref: 'main', message: 'First' });
  await post('/labels', { name: 'bug', color: '#112233' });
  const input = { labels: 'bug', assignee_ids: [user.id] };
  await post('/issues', { title: 'One', ...input });
  await put('/issues/1', { title: 'Two' });
  await post('/issues', { title: 'Down', issue_type: 'incident', ...input });
  await post('/access_tokens', { name: 'bot', scopes: ['api'], access_level: 30, expires_at: '2027-01-01' });
  samples.push((await sampleEvent(app.deps, { projectId: project.id }, 'resource_access_token', 1)).payload);
  const note = await post('/issues/1/notes', { body: 'A word' });
  await post('/issues/1/award_emoji', { name: 'star' });
  await post(`/issues/1/notes/${note.id}/award_emoji`, { name: 'star' });
  await commitFiles(app, project.id, { 'b.txt': 'b' }, { branch: 'change', start_branch: 'main' });
  const branches = { source_branch: 'change', target_branch: 'main' };
  const { iid } = await post('/merge_requests', { title: 'Change', ...branches, reviewer_ids: [user.id], ...input });
  await commitFiles(app, project.id, { 'c.txt': 'c' }, { branch: 'change' });
  await app.drain();
  await post(`/merge_requests/${iid}/notes`, { body: 'A word' });
  await post(`/merge_requests/${iid}/award_emoji`, { name: 'star' });
  await post(`/repository/commits/${sha}/comments`, { note: 'A word' });
  samples.push(await reactionToCommit(project.id));
  const snippet = await post('/snippets', {
    title: 'S',
    visibility: 'public',
    files: [{ file_path: 'x', content: 'x' }],
  });
  await post(`/snippets/${snippet.id}/notes`, { body: 'A word' });
  await post(`/snippets/${snippet.id}/award_emoji`, { name: 'star' });
  await post('/milestones', { title: 'v1' });
  await post('/feature_flags', { name: 'new_cart' });
  await put('/feature_flags/new_cart', { active: false });
  const links = [{ name: 'x', url: 'https://example.org/x' }];
  await post('/releases', { tag_name: 'v1', description: 'First', assets: { links } });
  await commitToWiki(app, { type: 'project', id: project.id }, [page('home.md', 'Home')]);
  await post('/wikis', { title: 'More', content: 'More' });
  await commitFiles(app, project.id, { '.gitlab-ci.yml': CONFIG });
  await app.drain();
  await (await runner.take()).finish();
  await post('/pipeline', { ref: 'main', variables: [{ key: 'A', value: '1' }] });
  await app.drain();
  expectStatus(await app.delete(`${place}/members/${user.id}`), 204);
  expectStatus(await app.post(`${place}/access_requests`, { token }), 201);
  expectStatus(await app.delete(`${place}/access_requests/${user.id}`), 204);
  await put('', { description: 'More' });
  await put('', { path: 'moved' });
  const group = await app.make.group();
  await put('/transfer', { namespace: group.id });
}

async function aroundIt(): Promise<void> {
  const parent = await app.make.group({ visibility: 'public' });
  const sub = { name: 'Sub', path: 'sub', parent_id: parent.id };
  const { id } = expectStatus<{ id: number }>(await app.post('/groups', { json: sub }), 201);
  expectStatus(await app.put(`/groups/${id}`, { json: { path: 'below' } }), 200);
  expectStatus(await app.delete(`/groups/${id}`), 202);
  const inGroup = { path: 'app', namespace_id: parent.id };
  const made = expectStatus<{ id: number }>(await app.post('/projects', { json: inGroup }), 201);
  expectStatus(await app.delete(`/projects/${made.id}`), 202);
  const { user, token } = await app.make.user();
  const members = `/groups/${parent.id}/members`;
  expectStatus(await app.post(members, { json: { user_id: user.id, access_level: 10 } }), 201);
  expectStatus(await app.put(`${members}/${user.id}`, { json: { access_level: 30 } }), 200);
  expectStatus(await app.delete(`${members}/${user.id}`), 204);
  expectStatus(await app.post(`/groups/${parent.id}/access_requests`, { token }), 201);
  expectStatus(await app.delete(`/groups/${parent.id}/access_requests/${user.id}`), 204);
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDa52hdAkE28rsrE1XVPwt5BcOWMVmRsRVXDTRyIzKla';
  const added = expectStatus<{ id: number }>(await app.post('/user/keys', { json: { title: 'Mine', key } }), 201);
  expectStatus(await app.delete(`/user/keys/${added.id}`), 204);
  const json = { username: 'ada', name: 'Ada', email: 'ada@example.org', password: 'a long secret word' };
  const account = { json: { ...json, skip_confirmation: true } };
  const ada = expectStatus<{ id: number }>(await app.post('/users', account), 201);
  expectStatus(await app.put(`/users/${ada.id}`, { json: { username: 'lovelace' } }), 200);
  expectStatus(await app.post(`/users/${ada.id}/block`), 201);
  const body = { grant_type: 'password', username: 'lovelace', password: json.password };
  await app.post('/oauth/token', { token: null, json: body });
  expectStatus(await app.delete(`/users/${ada.id}`), 204);
}

test('messages of every kind have every field that is documented', async () => {
  const inside = await sentPayloadsOf(app, inProject, true);
  const around = await sentPayloadsOf(app, aroundIt, true);
  const payloads = payloadsIn(inside, around);
  assert.deepEqual(lacks(OF_HOOKS, [...payloads.hooks, ...samples]), []);
  assert.deepEqual(lacks(OF_SYSTEM_HOOKS, payloads.system), []);
});

test('each trigger with a flag has a sample that its builder accepts', async () => {
  const { id: projectId } = await app.deps.db
    .selectFrom('projects')
    .select('id')
    .orderBy('id')
    .executeTakeFirstOrThrow();
  const token = { name: 'd', scopes: ['read_repository'] };
  expectStatus(await app.post(`/projects/${projectId}/deploy_tokens`, { json: token }), 201);
  const group = await app.make.group();
  await app.make.project({ namespace: group });
  const { user } = await app.make.user();
  const member = { user_id: user.id, access_level: 30 };
  expectStatus(await app.post(`/groups/${group.id}/members`, { json: member }), 201);
  const below = { name: 'Below', path: 'under', parent_id: group.id };
  expectStatus(await app.post('/groups', { json: below }), 201);
  for (const trigger of TRIGGERS) {
    const { flag, hooks, header } = HOOK_EVENTS[trigger];
    if (hooks === undefined || (flag.project === undefined && flag.group === undefined)) continue;
    const owner = flag.project === undefined ? { groupId: group.id } : { projectId };
    const sample = await sampleEvent(app.deps, owner, trigger, 1);
    assert.deepEqual([sample.trigger, sample.header], [trigger, header]);
    assert.equal(typeof (sample.payload.object_kind ?? sample.payload.event_name), 'string', trigger);
  }
});
