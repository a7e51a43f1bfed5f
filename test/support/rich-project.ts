import type { Project } from '../../src/db/tables/projects.table.ts';
import { expectStatus, type TestApp } from './app.ts';
import { lfsContent, lfsOf, putLfs } from './lfs.ts';
import { makeMergeRequest } from './merge-request.ts';
import { multipart } from './multipart.ts';
import { makePipeline } from './pipelines.ts';
import { ProjectGit } from './project-git.ts';
import { commitToWiki, page } from './wikis.ts';

type Json = Record<string, unknown>;

/** A project below a group with something of every kind that is exported, by three people. */
export async function richProject(app: TestApp, path = 'rich'): Promise<Project> {
  const group = await app.make.group({ path });
  const project = await app.make.project({ namespace: group, path: 'tool' });
  const [ann, bea] = [await app.make.user(), await app.make.user()];
  await app.make.member({ project }, ann.user, 40);
  await app.make.member({ project }, bea.user, 30);
  const place = `/projects/${project.id}`;
  const post = async (rest: string, json: Json, token?: string, status = 201) =>
    expectStatus<Json>(await app.post(`${place}${rest}`, { json, ...(token === undefined ? {} : { token }) }), status);
  expectStatus(await app.put(place, { json: { description: 'Tools' } }), 200);
  const git = new ProjectGit(app, project);
  const big = lfsContent('a large file');
  await putLfs(app, project, big);
  const base = git.commit('main', { 'a.txt': 'a\nb\n', 'big.bin': big.text });
  const head = git.commit('change', { 'b.txt': 'b' }, { start: base });

  expectStatus(await app.post(`/groups/${group.id}/labels`, { json: { name: 'wide', color: '#112233' } }), 201);
  expectStatus(await app.post(`/groups/${group.id}/milestones`, { json: { title: 'together' } }), 201);
  await post('/labels', { name: 'own', color: '#445566', description: 'Größe ☃', priority: 3 });
  const milestone = await post('/milestones', { title: 'v1', due_date: '2026-12-24', description: 'First' });
  await post('/badges', { link_url: 'https://example.org/', image_url: 'https://example.org/b.svg', name: 'b' });
  await post('/protected_branches', { name: 'main' });
  await post('/protected_branches', { name: 'stable-*', push_access_level: 40, merge_access_level: 30 });
  await post('/protected_tags', { name: 'v*', create_access_level: 30 });
  await post('/push_rule', { commit_message_regex: 'JIRA-\\d+', deny_delete_tag: true, max_file_size: 7 });
  const protectedIds = expectStatus<{ id: number; name: string }[]>(await app.get(`${place}/protected_branches`), 200);
  const protected_branch_ids = protectedIds.flatMap(({ id, name }) => (name === 'stable-*' ? [id] : []));
  const rule = { name: 'Two eyes', approvals_required: 1, user_ids: [ann.user.id], protected_branch_ids };
  await post('/approval_rules', rule);
  await post('/pipeline_schedules', { description: 'Nightly', ref: 'main', cron: '0 4 * * *', cron_timezone: 'UTC' });

  const list = await post('/feature_flags_user_lists', { name: 'Testers', user_xids: 'ann,bea' });
  const scopes = [{ environment_scope: 'production' }, { environment_scope: 'review/*' }];
  await post('/feature_flags', {
    name: 'new_cart',
    description: 'Größe ☃',
    strategies: [
      { name: 'svcUserList', parameters: {}, user_list_id: list.id, scopes },
      { name: 'flexibleRollout', parameters: { groupId: 'default', rollout: '50', stickiness: 'userId' } },
    ],
  });
  await post('/feature_flags', { name: 'old_cart', active: false });

  const file = multipart({}, { field: 'file', name: 'a.txt', bytes: Buffer.from('of the upload') });
  const upload = expectStatus<Json>(await app.post(`${place}/uploads`, file), 201);
  const issue = { title: 'Größe ☃', description: `see ${upload.markdown}`, labels: 'wide,own', weight: 3 };
  const attributes = { assignee_ids: [bea.user.id], confidential: true, milestone_id: milestone.id };
  await post('/issues', { ...issue, ...attributes, due_date: '2026-12-24' }, ann.token);
  await post('/issues', { title: 'Second', iid: 7 });
  await post('/issues/1/links', { target_project_id: project.id, target_issue_iid: 7, link_type: 'blocks' });
  const note = await post('/issues/1/notes', { body: `A word, and ${upload.markdown}` }, bea.token);
  await post('/issues/1/notes', { body: 'Inside', internal: true });
  await post(`/issues/1/notes/${note.id}/award_emoji`, { name: 'rocket' }, ann.token);
  await post('/issues/1/award_emoji', { name: 'thumbsup' }, ann.token);
  await post('/issues/1/award_emoji', { name: 'thumbsup' }, bea.token);
  await post('/issues/1/add_spent_time', { duration: '2h', summary: 'looked' }, bea.token);
  expectStatus(await app.put(`${place}/issues/1`, { token: ann.token, json: { remove_labels: 'own' } }), 200);
  expectStatus(await app.put(`${place}/issues/1`, { token: ann.token, json: { state_event: 'close' } }), 200);

  const request = { source_branch: 'change', title: 'Change', author_id: bea.user.id };
  const { iid, id: merge_request_id } = await makeMergeRequest(app, project, request);
  await post(`/merge_requests/${iid}/notes`, { body: 'Good' }, ann.token);
  expectStatus(
    await app.put(`${place}/merge_requests/${iid}`, {
      json: { reviewer_ids: [ann.user.id], labels: 'own', approvals_before_merge: 2 },
    }),
    200,
  );
  await post(`/merge_requests/${iid}/approve`, {}, ann.token);
  const own = { name: 'Only here', approvals_required: 2, user_ids: [ann.user.id] };
  await post(`/merge_requests/${iid}/approval_rules`, own);

  await post(`/repository/commits/${base}/comments`, { note: 'On it' }, bea.token);
  await post('/releases', { tag_name: 'v1', ref: 'main', description: 'First', milestones: ['v1'] });
  await post('/releases/v1/assets/links', { name: 'x', url: 'https://example.org/x', link_type: 'runbook' });
  await makePipeline(app, project, {
    columns: { sha: base, ref: 'main', status: 'failed', user_id: ann.user.id, name: 'Nightly' },
    jobs: [
      { name: 'compile', stage: 'build', status: 'success' },
      { name: 'unit', stage: 'test', status: 'failed' },
    ],
  });
  await makePipeline(app, project, {
    columns: { sha: head, ref: `refs/merge-requests/${iid}/head`, source: 'merge_request_event', merge_request_id },
    jobs: [{ name: 'slow', status: 'success' }],
  });
  await post(`/statuses/${base}`, { state: 'success', name: 'outside', target_url: 'https://ci.example.org/1' });
  await commitToWiki(app, { type: 'project', id: project.id }, [
    page('home.md', 'Größe ☃'),
    page('deep/er.md', 'Deep'),
  ]);
  const files = [
    { file_path: 'one.rb', content: "puts 'one'" },
    { file_path: 'b/two.txt', content: 'Größe ☃' },
  ];
  const snippet = await post(
    '/snippets',
    { title: 'Two files', description: 'Both', visibility: 'private', files },
    ann.token,
  );
  await post(`/snippets/${snippet.id}/notes`, { body: 'Nice' }, bea.token);
  await post(`/snippets/${snippet.id}/award_emoji`, { name: 'thumbsup' }, bea.token);
  await app.drain();
  return project;
}

/** What is of one server alone. */
const OWN =
  /^(?:id|details_path|edit_path|eligible_approvers|first_contribution|is_project_label|.*_ids?|.*_url|.*_urls|.*_url_to_repo|url|_links|links|references|web_path|path_with_namespace|username|avatar_url|full_path|path|short_id|created_by|owner|next_run_at|active|runner|user|ref_protected|project|lock_version|imported.*|evidences|commit_path|tag_path|assets|_.*|updated_at|queued_duration|subscribed|can_.*|diff_stats|merge_user|detailed_merge_status|merge_status|prepared_at|user_can_.*|approvals_left|approved|archived|user_has_approved|position|coverage|commands_changes|allow_merge_.*|epic.*|expires_at)$/;

/** The same without what is of one server alone: people are who they were. */
function shown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => {
      if (OWN.test(key)) return [];
      if (key === 'name' && typeof each === 'string') return [[key, each.replace(/^Placeholder /, '')]];
      return [[key, shown(each)]];
    }),
  );
}

/** Lists of a project that are compared, by their paths below it. */
const LISTS = [
  'labels',
  'milestones',
  'badges',
  'protected_branches',
  'protected_tags',
  'push_rule',
  'approval_rules',
  'pipeline_schedules',
  'feature_flags',
  'feature_flags?scope=enabled',
  'feature_flags_user_lists',
  'issues?sort=asc',
  'issues/1/notes',
  'issues/1/links',
  'issues/1/award_emoji',
  'issues/1/resource_label_events',
  'issues/1/resource_milestone_events',
  'issues/1/resource_state_events',
  'issues/1/time_stats',
  'merge_requests',
  'merge_requests/1/notes',
  'merge_requests/1/approvals',
  'merge_requests/1/reviewers',
  'merge_requests/1/approval_rules',
  'merge_requests/1/pipelines',
  'merge_requests/1/changes',
  'releases',
  'releases/v1/assets/links',
  'pipelines?sort=asc',
  'jobs?include_retried=true',
  'snippets',
  'wikis?with_content=true',
  'repository/branches',
  'repository/tags',
];

/** Everything that the API shows of a project, to be compared with that of its copy. */
export async function shownProject(app: TestApp, id: unknown): Promise<Json> {
  const place = `/projects/${id}`;
  const lists: Json = {};
  for (const list of LISTS) {
    const [path, query = ''] = list.split('?');
    const answer = await app.get(`${place}/${path}`, {
      query: { per_page: '100', ...Object.fromEntries(new URLSearchParams(query)) },
    });
    lists[list] = shown(expectStatus(answer, 200));
  }
  const commits = expectStatus<Json[]>(await app.get(`${place}/repository/commits`), 200);
  for (const commit of commits) {
    const of = `${place}/repository/commits/${commit.id}`;
    lists[`comments ${commit.id}`] = shown(expectStatus(await app.get(`${of}/comments`), 200));
    lists[`statuses ${commit.id}`] = shown(expectStatus(await app.get(`${of}/statuses`), 200));
  }
  for (const { id: snippet } of expectStatus<Json[]>(await app.get(`${place}/snippets`), 200)) {
    const of = `${place}/snippets/${snippet}`;
    for (const list of ['notes', 'award_emoji'])
      lists[`snippet ${list}`] = shown(expectStatus(await app.get(`${of}/${list}`), 200));
    for (const path of ['one.rb', 'b/two.txt'])
      lists[`snippet ${path}`] = (await app.get(`${of}/files/main/${encodeURIComponent(path)}/raw`)).body;
  }
  lists.lfs = await lfsOf(app, Number(id));
  const project = expectStatus<Json>(await app.get(place), 200);
  const same = ['description', 'default_branch', 'merge_method', 'issues_access_level', 'wiki_access_level', 'topics'];
  lists.project = Object.fromEntries(same.map((key) => [key, project[key]]));
  return lists;
}
