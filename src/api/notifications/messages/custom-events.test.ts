import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { expectStatus } from '../../../../test/support/app.ts';
import type { TestUser } from '../../../../test/support/factories.ts';
import { addressees, MailedApp } from '../../../../test/support/mails.ts';
import { Pipelines } from '../../../../test/support/pipeline-states.ts';
import { makePipeline } from '../../../../test/support/pipelines.ts';
import { ProjectGit } from '../../../../test/support/project-git.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import {
  CUSTOM_EVENTS,
  type CustomEvent,
  ON_BY_DEFAULT,
  PREMIUM_EVENTS,
} from '../notification-settings/notification-settings.levels.ts';

/** There are no epics. */
const EVENTS = [...Object.keys(CUSTOM_EVENTS), ...Object.keys(PREMIUM_EVENTS)].filter(
  (name) => name !== 'new_epic',
) as Exclude<CustomEvent, 'new_epic'>[];

let mailed: MailedApp;
let project: Project;
let git: ProjectGit;
let author: TestUser;
let robot: TestUser;
/** One for each event, who wants mails of that event alone. */
const wanting = new Map<CustomEvent, TestUser>();
let count = 0;
before(async () => {
  mailed = await MailedApp.open();
  project = await mailed.app.make.project({ path: 'forge', visibility: 'public' });
  git = new ProjectGit(mailed.app, project);
  git.commit('main', { 'a.txt': 'one\n' });
  [author, robot] = [await member(), await member()];
  await mailed.app.deps.db
    .updateTable('users')
    .set({ kind: 'service_account' })
    .where('id', '=', robot.user.id)
    .execute();
  const off = Object.fromEntries(ON_BY_DEFAULT.map((name) => [name, false]));
  for (const name of EVENTS) {
    const user = await member();
    await mailed.setLevel(user, 'custom', '', { ...off, [name]: true });
    wanting.set(name, user);
  }
  // Enters the work that recurs.
  await mailed.app.deps.jobs.maintain();
});
after(() => mailed.close());

async function member(): Promise<TestUser> {
  const made = await mailed.app.make.user();
  await mailed.app.make.member({ project }, made.user, 40);
  return made;
}

interface Made {
  iid: number;
}
const at = (kind: 'issues' | 'merge_requests', { iid }: Made) => `/projects/${project.id}/${kind}/${iid}`;
const post = async <T = Made>(path: string, json: object = {}) =>
  expectStatus<T>(await mailed.app.post(path, { token: author.token, json }), 201);
const put = async (path: string, json: object = {}) =>
  expectStatus(await mailed.app.put(path, { token: author.token, json }), 200);
const open = (json: object = {}) => post(`/projects/${project.id}/issues`, { title: 'Leak', ...json });
async function propose(json: object = {}): Promise<Made> {
  count += 1;
  const source_branch = `change-${count}`;
  git.commit(source_branch, { [`${source_branch}.txt`]: 'x\n' }, { start: git.run(['rev-parse', 'main']) });
  const made = await post(`/projects/${project.id}/merge_requests`, {
    ...{ source_branch, target_branch: 'main', title: 'Change' },
    ...json,
  });
  await mailed.app.drain();
  return made;
}
const idOf = (name: CustomEvent) => wanting.get(name)!.user.id;

/** Who of those who want one event alone was mailed, by that event. */
async function mailedEventsOf(work: () => Promise<unknown>): Promise<CustomEvent[]> {
  const mails = addressees(await mailed.sentBy(work));
  return EVENTS.filter((name) => mails.includes(wanting.get(name)!.user.email));
}

async function run(user: TestUser, ref: string, end: 'failed' | 'success'): Promise<void> {
  const columns = { user_id: user.user.id, ref };
  const { pipeline } = await makePipeline(mailed.app, project, { jobs: [{ name: 'build' }], columns, process: true });
  await new Pipelines(mailed.app).run(pipeline.id, 'build', end === 'failed' ? 'script_failure' : null);
}
/** A pipeline of whoever wants the event, behind those that ended so on the same branch. */
const ran =
  (name: CustomEvent, ends: readonly ('failed' | 'success')[], user = () => wanting.get(name)!) =>
  async () => {
    for (const end of ends.slice(0, -1)) await run(user(), name, end);
    return () => run(user(), name, ends.at(-1)!);
  };

/** How each event comes to pass: what goes before, which gives what is told of. */
const CAUSES: Record<Exclude<CustomEvent, 'new_epic'>, () => Promise<() => Promise<unknown>>> = {
  new_issue: async () => open,
  new_note: async () => {
    const issue = await open();
    return () => post(`${at('issues', issue)}/notes`, { body: 'Well' });
  },
  close_issue: async () => {
    const issue = await open();
    return () => put(at('issues', issue), { state_event: 'close' });
  },
  reopen_issue: async () => {
    const issue = await open();
    await put(at('issues', issue), { state_event: 'close' });
    return () => put(at('issues', issue), { state_event: 'reopen' });
  },
  reassign_issue: async () => {
    const issue = await open();
    return () => put(at('issues', issue), { assignee_ids: [author.user.id] });
  },
  issue_due: async () => {
    const day = new Date(mailed.clock.now().getTime() + 2 * 86_400_000).toISOString().slice(0, 10);
    await open({ due_date: day });
    return async () => mailed.clock.advance(86_400_000);
  },
  new_merge_request: async () => propose,
  push_to_merge_request: async () => {
    await propose();
    const actions = [{ action: 'create', file_path: 'more.txt', content: 'more\n' }];
    const json = { branch: `change-${count}`, commit_message: 'More', actions };
    return () => post(`/projects/${project.id}/repository/commits`, json);
  },
  close_merge_request: async () => {
    const request = await propose();
    return () => put(at('merge_requests', request), { state_event: 'close' });
  },
  reopen_merge_request: async () => {
    const request = await propose();
    await put(at('merge_requests', request), { state_event: 'close' });
    return () => put(at('merge_requests', request), { state_event: 'reopen' });
  },
  reassign_merge_request: async () => {
    const request = await propose();
    return () => put(at('merge_requests', request), { assignee_ids: [author.user.id] });
  },
  change_reviewer_merge_request: async () => {
    const request = await propose();
    return () => put(at('merge_requests', request), { reviewer_ids: [author.user.id] });
  },
  merge_merge_request: async () => {
    const request = await propose();
    return () => put(`${at('merge_requests', request)}/merge`);
  },
  merge_when_pipeline_succeeds: async () => {
    const request = await propose({ title: 'Draft: Change' });
    return () => put(`${at('merge_requests', request)}/merge`, { auto_merge: true });
  },
  approver: async () => {
    const rule = { name: 'Security', approvals_required: 1, user_ids: [idOf('approver')] };
    await post(`/projects/${project.id}/approval_rules`, rule);
    return propose;
  },
  failed_pipeline: ran('failed_pipeline', ['failed']),
  fixed_pipeline: ran('fixed_pipeline', ['failed', 'success']),
  success_pipeline: ran('success_pipeline', ['success', 'success']),
  service_account_failed_pipeline: ran('service_account_failed_pipeline', ['failed'], () => robot),
  service_account_fixed_pipeline: ran('service_account_fixed_pipeline', ['failed', 'success'], () => robot),
  service_account_success_pipeline: ran('service_account_success_pipeline', ['success', 'success'], () => robot),
  new_release: async () => () => post(`/projects/${project.id}/releases`, { tag_name: 'v1', ref: 'main' }),
  moved_project: async () => {
    const group = await mailed.app.make.group({ path: 'elsewhere' });
    return () => mailed.app.put(`/projects/${project.id}/transfer`, { json: { namespace: group.id } });
  },
};

/** Who is told as well: a merge request that somebody may approve is also a new one. */
const AS_WELL: Partial<Record<CustomEvent, readonly CustomEvent[]>> = {
  approver: ['new_merge_request'],
  // Whoever wants successes is told of the first one, too.
  service_account_fixed_pipeline: ['service_account_success_pipeline'],
};

for (const name of EVENTS) {
  test(`${name} is mailed to whoever wants that alone`, async () => {
    const work = await CAUSES[name]();
    const expected = [name, ...(AS_WELL[name] ?? [])];
    assert.deepEqual((await mailedEventsOf(work)).sort(), expected.sort());
  });
}
