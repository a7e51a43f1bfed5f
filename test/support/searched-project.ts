import type { Visibility } from '../../src/core/access-levels.ts';
import { timestamp } from '../../src/core/clock.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import { expectStatus, ROOT_TOKEN, type TestApp } from './app.ts';
import { makeMergeRequest } from './merge-request.ts';
import { ProjectGit } from './project-git.ts';
import { Rows } from './rows.ts';
import { commitToWiki, page } from './wikis.ts';

/** Callers of searches, from the fewest rights to the most. */
export const SEARCHING_ROLES = [
  'stranger',
  'guest',
  'planner',
  'reporter',
  'developer',
  'maintainer',
  'owner',
  'administrator',
] as const;
export type SearchingRole = (typeof SEARCHING_ROLES)[number];

/** A project in which each scope of a search finds one thing by its word. */
export interface SearchedProject {
  project: Project;
  group: number;
  token(role: SearchingRole): string;
}

/**
 * Makes a project, in a group of its visibility, in which each scope finds one thing by its word: mostly `kernel`, notes by
 * what they are on.
 */
export async function searchedProject(
  app: TestApp,
  visibility: Visibility,
  columns: Partial<Project> = {},
): Promise<SearchedProject> {
  const group = await app.make.group({ visibility });
  const project = await app.make.project({ visibility, namespace: group });
  const people = await app.make.members(project);
  const rows = new Rows(app.deps);
  const { id: projectId } = project;
  const sha = new ProjectGit(app, project).commit('main', { 'a.txt': 'kernel\n' }, { message: 'kernel' });
  const issue = await rows.issue(projectId, { title: 'kernel' });
  const hidden = await rows.issue(projectId, { title: 'hidden', confidential: 1 });
  const mergeRequest = await makeMergeRequest(app, project, { title: 'kernel' });
  const snippet = await rows.snippet(projectId, 'public');
  const on = (type: 'Issue' | 'MergeRequest' | 'Snippet', { id }: { id: number }) => ({ type, id, projectId });
  await rows.note(on('Issue', issue), { note: 'on-issue' });
  await rows.note(on('Issue', issue), { note: 'internal', internal: 1 });
  await rows.note(on('Issue', issue), { note: 'automatic', system: 1 });
  await rows.note(on('Issue', hidden), { note: 'on-hidden' });
  await rows.note(on('MergeRequest', mergeRequest), { note: 'on-change' });
  await rows.note(on('Snippet', snippet), { note: 'on-snippet' });
  const note = { project_id: projectId, noteable_type: 'Commit' as const, noteable_id: null, commit_id: sha };
  const now = timestamp(app.deps.clock);
  await app.deps.db
    .insertInto('notes')
    .values({ ...note, discussion_id: sha, author_id: 1, note: 'on-commit', created_at: now, updated_at: now })
    .execute();
  expectStatus(await app.post(`/projects/${projectId}/milestones`, { json: { title: 'kernel' } }), 201);
  await commitToWiki(app, { type: 'project', id: projectId }, [page('Home.md', 'kernel')]);
  await commitToWiki(app, { type: 'group', id: group.id }, [page('Home.md', 'group-kernel')]);
  await app.deps.db
    .updateTable('projects')
    .set({ description: 'kernel', ...columns })
    .where('id', '=', projectId)
    .execute();
  await app.deps.db.updateTable('snippets').set({ title: 'kernel' }).where('id', '=', snippet.id).execute();
  return {
    project,
    group: group.id,
    token: (role) => (role === 'administrator' ? ROOT_TOKEN : people[role].token),
  };
}
