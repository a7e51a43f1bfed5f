import type { Namespace } from '../../src/db/tables/namespaces.table.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import type { Route } from '../../src/http/http.route.ts';
import type { TestApp } from '../support/app.ts';
import type { TestUser } from '../support/factories.ts';
import { makeMergeRequest } from '../support/merge-request.ts';
import { makePackage } from '../support/packages.ts';
import { makePipeline } from '../support/pipelines.ts';
import { ProjectGit } from '../support/project-git.ts';
import { Rows } from '../support/rows.ts';

/** Levels of those who belong to the group of the scene; the author is a Reporter who wrote all there is. */
export const LEVELS = {
  guest: 10,
  planner: 15,
  reporter: 20,
  author: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
} as const;
export type Role = keyof typeof LEVELS | 'anonymous' | 'stranger' | 'administrator';

/** A group with a project in it, people of every role, and one of everything that routes are about, all by `author`. */
export interface Scene {
  group: Namespace;
  project: Project;
  people: Record<keyof typeof LEVELS, TestUser>;
  /** Tokens; null for anonymous callers, absent for the administrator. */
  tokens: Record<Role, string | null | undefined>;
  /** What stands for a parameter of a path. */
  value(path: string, name: string): string | number;
}

/** The path of a route, below the API, filled with what there is in the scene. */
export const addressIn = ({ value }: Scene, { options: { path } }: Route): string =>
  path.replace(/[:*](\w+)/g, (_all, name: string) => encodeURIComponent(value(path, name)));

/** @param parent group above that of the scene; none for a top-level one */
export async function makeScene(app: TestApp, visibility: 'private' | 'public', parent?: Namespace): Promise<Scene> {
  const group = await app.make.group({ visibility, ...(parent === undefined ? {} : { parent }) });
  const project = await app.make.project({ namespace: group, visibility });
  const people = {} as Record<keyof typeof LEVELS, TestUser>;
  for (const [role, level] of Object.entries(LEVELS) as [keyof typeof LEVELS, number][]) {
    people[role] = await app.make.user();
    await app.make.member({ group }, people[role].user, level);
  }
  const stranger = await app.make.user();
  const { id: authorId } = people.author.user;
  const git = new ProjectGit(app, project);
  const sha = git.commit('main', { 'a.txt': '1\n' });
  git.commit('topic', { 'b.txt': '1\n' });
  const mergeRequest = await makeMergeRequest(app, project, { source_branch: 'topic', author_id: authorId });
  const rows = new Rows(app.deps);
  const issue = await rows.issue(project.id, { author_id: authorId, iid: 1 });
  const snippet = await rows.snippet(project.id, 'private', authorId);
  const thread = { author_id: authorId, type: 'DiscussionNote' } as const;
  const things = {
    issues: { type: 'Issue', id: issue.id, key: issue.iid },
    merge_requests: { type: 'MergeRequest', id: mergeRequest.id, key: mergeRequest.iid },
    snippets: { type: 'Snippet', id: snippet.id, key: snippet.id },
  } as const;
  const made: Record<string, { key: number; note: number; discussion: string; award: number; noteAward: number }> = {};
  for (const [segment, { type, id, key }] of Object.entries(things)) {
    const note = await rows.note({ type, id, projectId: project.id }, thread);
    made[segment] = {
      key,
      note: note.id,
      discussion: note.discussion_id,
      award: await award(app, project.id, type, id, authorId),
      noteAward: await award(app, project.id, 'Note', note.id, authorId),
    };
  }
  const onCommit = await rows.note(
    { type: 'Issue', id: 0, projectId: project.id },
    { ...thread, noteable_type: 'Commit', noteable_id: null, commit_id: sha },
  );
  const draft = await app.deps.db
    .insertInto('draft_notes')
    .values({
      merge_request_id: mergeRequest.id,
      author_id: authorId,
      note: 'x',
      created_at: issue.created_at,
      updated_at: issue.created_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const schedule = await app.deps.db
    .insertInto('ci_pipeline_schedules')
    .values({
      project_id: project.id,
      owner_id: authorId,
      description: 'x',
      ref: 'refs/heads/topic',
      cron: '0 4 * * *',
      cron_timezone: 'UTC',
      created_at: issue.created_at,
      updated_at: issue.created_at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const dated = { created_at: issue.created_at, updated_at: issue.updated_at };
  const trigger = await app.deps.db
    .insertInto('ci_triggers')
    .values({
      project_id: project.id,
      owner_id: authorId,
      description: 'x',
      token: 'x',
      digest: `of ${project.id}`,
      ...dated,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const environment = await app.deps.db
    .insertInto('environments')
    .values({
      project_id: project.id,
      name: 'x',
      slug: 'x',
      tier: 'other',
      state: 'stopped',
      auto_stop_setting: 'always',
      ...dated,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const deployment = await app.deps.db
    .insertInto('deployments')
    .values({
      iid: 1,
      project_id: project.id,
      environment_id: environment.id,
      ref: 'main',
      sha,
      status: 'failed',
      ...dated,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  const ownSnippet = await rows.snippet(null, 'public', 1);
  const { pipeline, jobs } = await makePipeline(app, project, { columns: { user_id: authorId } });
  const runner = async (runner_type: 'instance_type' | 'project_type') => {
    const row = { runner_type, digest: `${runner_type} of ${project.id}`, short_token: 'x', tag_list: '[]', ...dated };
    const made = await app.deps.db
      .insertInto('ci_runners')
      .values({ ...row, registration: 'user', access_level: 'not_protected' })
      .returning('id')
      .executeTakeFirstOrThrow();
    return made.id;
  };
  const [serverRunner, projectRunner] = [await runner('instance_type'), await runner('project_type')];
  const packageName = `@${group.path}/app`;
  await makePackage(app.deps, project.id, { type: 'npm', name: packageName });
  const value = (path: string, name: string): string | number => {
    const segment = /\/(issues|merge_requests|snippets)\//.exec(path)?.[1];
    const thing = segment === undefined ? undefined : made[segment];
    const commit = path.includes('/repository/commits/');
    if (path === '/snippets/:id') return ownSnippet.id;
    if (name === 'id') {
      const [, place] = /^(?:\/-|\/uploads\/-\/system)?\/(project|group)s?\//.exec(path) ?? [];
      return place === 'project' ? project.id : place === 'group' ? group.id : 1;
    }
    if (name === 'noteable_id') return commit ? sha : thing!.key;
    if (name === 'note_id') return commit ? onCommit.id : thing!.note;
    if (name === 'discussion_id') return commit ? onCommit.discussion_id : thing!.discussion;
    if (name === 'award_id') return path.includes('/notes/') ? thing!.noteAward : thing!.award;
    if (name === 'package_name') return packageName;
    if (name === 'package_username') return project.full_path.replaceAll('/', '+');
    if (name === 'pipeline_id') return pipeline.id;
    if (name === 'job_id') return jobs.test!.id;
    if (name === 'draft_note_id') return draft.id;
    if (name === 'trigger_id') return trigger.id;
    if (name === 'environment_id') return environment.id;
    if (name === 'deployment_id') return deployment.id;
    if (name === 'runner_id') return path.startsWith('/runners') ? serverRunner : projectRunner;
    if (name === 'pipeline_schedule_id') return schedule.id;
    if (['issue_iid', 'merge_request_iid', 'snippet_id'].includes(name)) return thing!.key;
    return name === 'sha' ? sha : 1;
  };
  const tokens = Object.fromEntries(Object.entries(people).map(([role, { token }]) => [role, token]));
  return {
    group,
    project,
    people,
    tokens: { ...tokens, anonymous: null, stranger: stranger.token, administrator: undefined } as Scene['tokens'],
    value,
  };
}

async function award(app: TestApp, projectId: number, type: string, id: number, userId: number): Promise<number> {
  const now = new Date().toISOString();
  const row = await app.deps.db
    .insertInto('award_emoji')
    .values({
      awardable_type: type as 'Issue',
      awardable_id: id,
      user_id: userId,
      project_id: projectId,
      name: 'thumbsup',
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}
