import type { Static } from 'typebox';
import type { UserCaller } from '../../../access/caller.ts';
import { pluck } from '../../../core/pluck.ts';
import { rowsById } from '../../../db/rows-by-id.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Todo as TodoRow } from '../../../db/tables/todos.table.ts';
import type { Deps } from '../../../deps.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { presentCommit, projectUrl } from '../../code/index.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { fullNames } from '../../spaces/index.ts';
import { presentIssues } from '../issues/issues.views.ts';
import { presentMergeRequests } from '../merge-requests/views/merge-requests.views.ts';
import type { Todo } from './todos.responses.ts';

type TodoJson = Static<typeof Todo>;

/** Targets of to-do items, with title and web URL, by `<type>:<id or sha>`. */
type Targets = Map<string, { target: TodoJson['target']; title: string; url: string }>;

const keyOf = ({ target_type, target_id, commit_id }: TodoRow): string => `${target_type}:${target_id ?? commit_id}`;

const idsOf = (todos: readonly TodoRow[], type: TodoRow['target_type']): number[] => [
  ...new Set(todos.flatMap(({ target_type, target_id }) => (target_type === type ? (target_id ?? []) : []))),
];

async function loadTargets(
  deps: Deps,
  caller: UserCaller,
  todos: readonly TodoRow[],
  projects: ReadonlyMap<number, Project>,
): Promise<Targets> {
  const { db } = deps;
  const targets: Targets = new Map();
  const issueIds = idsOf(todos, 'Issue');
  if (issueIds.length > 0) {
    const rows = await db.selectFrom('issues').selectAll().where('id', 'in', issueIds).execute();
    for (const target of await presentIssues(deps, caller, rows)) {
      targets.set(`Issue:${target.id}`, { target, title: target.title, url: target.web_url });
    }
  }
  const mergeRequestIds = idsOf(todos, 'MergeRequest');
  if (mergeRequestIds.length > 0) {
    const rows = await db.selectFrom('merge_requests').selectAll().where('id', 'in', mergeRequestIds).execute();
    for (const target of await presentMergeRequests(deps, rows)) {
      targets.set(`MergeRequest:${target.id}`, { target, title: target.title, url: target.web_url });
    }
  }
  for (const todo of todos) {
    const project = projects.get(todo.project_id);
    if (todo.commit_id === null || project === undefined) continue;
    const commit = await repositoryOf(deps, project).objects.commit(todo.commit_id);
    if (commit === null) continue;
    const target = presentCommit(commit, projectUrl(deps, project));
    targets.set(keyOf(todo), { target, title: target.title, url: target.web_url });
  }
  return targets;
}

async function loadProjects({ db }: Deps, todos: readonly TodoRow[]) {
  const projects = await rowsById(db, 'projects', pluck(todos, 'project_id'));
  const namespaces = await rowsById(db, 'namespaces', pluck([...projects.values()], 'namespace_id'));
  return { projects, names: await fullNames(db, [...namespaces.values()]) };
}

/** Presents to-do items of the caller, in a fixed number of queries; leaves out those with deleted targets. */
export async function presentTodos(deps: Deps, caller: UserCaller, todos: readonly TodoRow[]): Promise<TodoJson[]> {
  if (todos.length === 0) return [];
  const { projects, names } = await loadProjects(deps, todos);
  const targets = await loadTargets(deps, caller, todos, projects);
  const authors = await usersById(deps.db, pluck(todos, 'author_id'));
  const notes = await rowsById(deps.db, 'notes', pluck(todos, 'note_id'), ['note']);
  return todos.flatMap((todo) => {
    const project = projects.get(todo.project_id);
    const about = targets.get(keyOf(todo));
    const author = authors.get(todo.author_id);
    if (project === undefined || about === undefined || author === undefined) return [];
    return {
      id: todo.id,
      project: {
        id: project.id,
        description: project.description,
        name: project.name,
        name_with_namespace: `${names.get(project.namespace_id) ?? ''} / ${project.name}`,
        path: project.path,
        path_with_namespace: project.full_path,
        created_at: project.created_at,
      },
      author: userBasic(deps, author),
      action_name: todo.action,
      target_type: todo.target_type,
      target: about.target,
      target_url: todo.note_id === null ? about.url : `${about.url}#note_${todo.note_id}`,
      body: notes.get(todo.note_id ?? 0)?.note ?? about.title,
      state: todo.state,
      created_at: todo.created_at,
      updated_at: todo.updated_at,
    };
  });
}
