/** Something of everything on a server, made through its API, so that what is asked afterwards is answered with more than nothing. */
import { randomBytes } from 'node:crypto';
import { api, token, url } from './support.ts';

type Made = Record<string, unknown> & { id: number; iid: number };

const post = (path: string, body: object) => api<Made>('POST', path, body);
const put = (path: string, body: object) => api<Made>('PUT', path, body);

const CI = `stages: [build, test]
build:
  script: make
  artifacts:
    paths: [out/]
test:
  stage: test
  when: manual
  environment: {name: production, url: https://app.example}
  script: make test
`;

/** A public key of SSH that nobody else has. */
function publicKey(): string {
  const parts = [Buffer.from('ssh-ed25519'), randomBytes(32)];
  const sized = parts.flatMap((part) => [Buffer.from([0, 0, 0, part.length]), part]);
  return `ssh-ed25519 ${Buffer.concat(sized).toString('base64')}`;
}

const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';

/** Sends a file as a form. */
async function upload(path: string): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([Buffer.from(PICTURE, 'base64')], { type: 'image/png' }), 'a.png');
  const response = await fetch(`${url}/api/v4${path}`, {
    method: 'POST',
    headers: { 'private-token': token },
    body: form,
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}

async function discuss(at: string): Promise<void> {
  const { id } = await post(`${at}/notes`, { body: 'A word' });
  await post(`${at}/notes/${id}/award_emoji`, { name: 'heart' });
  await post(`${at}/discussions`, { body: 'Look' });
  await post(`${at}/award_emoji`, { name: 'rocket' });
}

async function person(name: string): Promise<number> {
  const email = `${name}@example.org`;
  const { id } = await post('/users', {
    username: name,
    name,
    email,
    password: 'correct horse 9!',
    skip_confirmation: true,
  });
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await post(`/users/${id}/personal_access_tokens`, { name: 'p', scopes: ['api'], expires_at });
  await post(`/users/${id}/impersonation_tokens`, { name: 'i', scopes: ['api'] });
  await post(`/users/${id}/keys`, { title: 'k', key: publicKey(), expires_at });
  await post(`/users/${id}/emails`, { email: `${name}@example.net`, skip_confirmation: true });
  await put(`/users/${id}/custom_attributes/team`, { value: 'red' });
  return id;
}

async function groupThings(at: string, people: readonly number[]): Promise<void> {
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  for (const [index, user_id] of people.entries()) {
    await post(`${at}/members`, {
      user_id,
      access_level: index === 0 ? 30 : 40,
      ...(index === 0 ? { expires_at } : {}),
    });
  }
  await post(`${at}/labels`, { name: 'shared', color: '#112233', description: 'Of all' });
  await post(`${at}/milestones`, { title: 'together', due_date: '2026-12-24', start_date: '2026-12-01' });
  await post(`${at}/badges`, { link_url: 'https://x.example/', image_url: 'https://x.example/a', name: 'b' });
  await post(`${at}/variables`, { key: 'SHARED', value: 'something long' });
  await post(`${at}/hooks`, { url: 'https://hooks.example.org/', push_events: true });
  await post(`${at}/deploy_tokens`, { name: 'd', scopes: ['read_repository'], expires_at });
  await post(`${at}/access_tokens`, { name: 'a', scopes: ['api'], access_level: 30, expires_at });
  await post(`${at}/invitations`, { email: 'guest@example.net', access_level: 10, expires_at });
  await post(`${at}/push_rule`, { commit_message_regex: '.', max_file_size: 7 });
  await put(`${at}/custom_attributes/team`, { value: 'red' });
  await post(`${at}/wikis`, { title: 'home', content: 'Read' });
  await post(`${at}/member_roles`, { name: 'Reader', base_access_level: 10, read_code: true });
  await post(`${at}/export_relations`, {});
  await post(`${at}/ssh_certificates`, { title: 'CA', key: publicKey() });
}

async function commits(at: string): Promise<string> {
  const create = (file_path: string, content: string) => ({ action: 'create', file_path, content });
  const actions = [create('README.md', '# Read\n'), create('.gitlab-ci.yml', CI), create('src/a b.txt', 'one\ntwo\n')];
  const commit = await post(`${at}/repository/commits`, { branch: 'main', commit_message: 'First', actions });
  await post(`${at}/repository/commits`, {
    branch: 'feature',
    start_branch: 'main',
    commit_message: 'Change',
    actions: [create('more.txt', 'x\n'), { action: 'update', file_path: 'README.md', content: '# More\n' }],
  });
  await post(`${at}/repository/tags`, { tag_name: 'v1.0', ref: 'main', message: 'One' });
  await post(`${at}/repository/commits/${commit.id}/comments`, { note: 'fine' });
  await post(`${at}/statuses/${commit.id}`, {
    state: 'success',
    name: 'outside',
    target_url: 'https://ci.example.org/1',
    coverage: 82.5,
  });
  await post(`${at}/repository/commits/${commit.id}/discussions`, { body: 'Look' });
  return String(commit.id);
}

async function plans(at: string, project: number, people: readonly number[]): Promise<void> {
  await post(`${at}/labels`, { name: 'own', color: '#445566', priority: 3 });
  const milestone = await post(`${at}/milestones`, { title: 'v1', due_date: '2026-12-24', description: 'First' });
  for (const title of ['One', 'Two']) {
    const due_date = '2026-12-24';
    const issue = await post(`${at}/issues`, {
      title,
      due_date,
      labels: 'own,shared',
      milestone_id: milestone.id,
      assignee_ids: people,
      weight: 2,
      description: 'Text',
    });
    await discuss(`${at}/issues/${issue.iid}`);
  }
  await post(`${at}/issues/1/links`, { target_project_id: project, target_issue_iid: 2, link_type: 'blocks' });
  await post(`${at}/issues/1/add_spent_time`, { duration: '2h' });
  await post(`${at}/issues/1/time_estimate`, { duration: '3h' });
  await post(`${at}/issues/1/todo`, {});
  await put(`${at}/issues/2`, { labels: 'own', weight: 3, milestone_id: null, state_event: 'close' });
  const request = await post(`${at}/merge_requests`, {
    source_branch: 'feature',
    target_branch: 'main',
    title: 'Change',
    description: 'Closes #1',
    labels: 'own',
    assignee_ids: people,
    reviewer_ids: people,
    milestone_id: milestone.id,
  });
  const of = `${at}/merge_requests/${request.iid}`;
  await discuss(of);
  await post(`${of}/draft_notes`, { note: 'Later' });
  await post(`${of}/approval_rules`, { name: 'Only here', approvals_required: 1, user_ids: people });
  await post(`${of}/todo`, {});
  await post(`${of}/approve?sudo=bea`, {});
}

async function projectThings(at: string, people: readonly number[]): Promise<void> {
  const expires_at = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  await post(`${at}/protected_branches`, { name: 'stable-*', push_access_level: 40, merge_access_level: 30 });
  await post(`${at}/protected_tags`, { name: 'v*', create_access_level: 30 });
  await post(`${at}/push_rule`, { commit_message_regex: '.', max_file_size: 7 });
  const rule = { approvals_required: 1, user_ids: people };
  await post(`${at}/approval_rules`, { ...rule, name: 'All', applies_to_all_protected_branches: true });
  await post(`${at}/external_status_checks`, { name: 'Outside', external_url: 'https://checks.example.org/' });
  await post(`${at}/pipeline_schedules`, { description: 'Nightly', ref: 'main', cron: '0 4 * * *' });
  await post(`${at}/pipeline_schedules/1/variables`, { key: 'NIGHT', value: 'yes' });
  await post(`${at}/triggers`, { description: 'Outside' });
  await post(`${at}/variables`, { key: 'OWN', value: 'something_long', masked: true });
  await post(`${at}/hooks`, {
    url: 'https://hooks.example.org/',
    push_events: true,
    custom_headers: [{ key: 'A', value: 'b' }],
  });
  await post(`${at}/badges`, { link_url: 'https://x.example/', image_url: 'https://x.example/a', name: 'b' });
  await post(`${at}/deploy_tokens`, { name: 'd', scopes: ['read_repository'], expires_at });
  await post(`${at}/deploy_keys`, { title: 'k', key: publicKey(), can_push: true, expires_at });
  await post(`${at}/access_tokens`, { name: 'a', scopes: ['api'], access_level: 30, expires_at });
  await post(`${at}/invitations`, { email: 'guest@example.net', access_level: 10, expires_at });
  await put(`${at}/custom_attributes/team`, { value: 'red' });
  await put(`${at}/integrations/slack`, { webhook: 'https://chat.example.org/', username: 'bot', channel: 'all' });
  await post(`${at}/remote_mirrors`, { url: `${url}/group/none.git`, enabled: false });
  await post(`${at}/snippets`, { title: 's', visibility: 'public', files: [{ file_path: 'a.txt', content: 'text' }] });
  await discuss(`${at}/snippets/1`);
  await post(`${at}/wikis`, { title: 'home', content: 'Read' });
  await upload(`${at}/uploads`);
  const link = { name: 'x', url: 'https://example.org/x', link_type: 'runbook' };
  await post(`${at}/releases`, {
    tag_name: 'v1.0',
    name: 'One',
    description: 'First',
    milestones: ['v1'],
    assets: { links: [link] },
  });
  const list = await post(`${at}/feature_flags_user_lists`, { name: 'Testers', user_xids: 'ann,bea' });
  const strategies = [
    { name: 'svcUserList', user_list_id: list.id, scopes: [{ environment_scope: 'production' }] },
    { name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '50', stickiness: 'userId' } },
  ];
  await post(`${at}/feature_flags`, { name: 'new_cart', description: 'Cart', strategies });
  await post(`${at}/job_token_scope/allowlist`, { target_project_id: 2 });
  await post(`${at}/export_relations`, {});
}

async function serverThings(): Promise<void> {
  await post('/topics', { name: 'more', title: 'More' });
  await post('/applications', { name: 'a', redirect_uri: 'http://x.example/', scopes: 'api', confidential: true });
  await post('/broadcast_messages', { message: 'Good morning' });
  await post('/hooks', { url: 'https://hooks.example.org/' });
  await post('/admin/ci/variables', { key: 'ALL', value: 'something long' });
  await post('/service_accounts', { name: 'robot', username: 'robot' });
  await post('/user/keys', { title: 'k', key: publicKey() });
  await post('/user/emails', { email: 'root@example.net' });
  await post('/deploy_keys', { title: 'all', key: publicKey() });
  await post('/snippets', { title: 'mine', visibility: 'public', files: [{ file_path: 'a.txt', content: 'x' }] });
  await post('/user/runners', { runner_type: 'instance_type', description: 'all', tag_list: ['a'] });
  await post('/project_aliases', { project_id: 1, name: 'alias' });
  await post('/features/some_feature', { value: true });
}

/** Fills a new server; the administrator's token is in the environment. */
export async function fillServer(): Promise<void> {
  const people = [await person('ann'), await person('bea')];
  const group = await post('/groups', { name: 'Group', path: 'group', visibility: 'public', description: 'Of all' });
  await post('/groups', { name: 'Sub', path: 'sub', parent_id: group.id });
  const { id } = await post('/projects', {
    name: 'Tool',
    path: 'tool',
    namespace_id: group.id,
    visibility: 'public',
    topics: ['tools'],
  });
  await post('/projects', { name: 'Other', path: 'other', namespace_id: group.id });
  await groupThings(`/groups/${group.id}`, people);
  const at = `/projects/${id}`;
  await post(`${at}/members`, { user_id: people[1], access_level: 40 });
  await commits(at);
  await plans(at, id, people);
  await projectThings(at, people);
  await post(`${at}/fork`, { namespace_path: 'root', path: 'fork' });
  await serverThings();
}
