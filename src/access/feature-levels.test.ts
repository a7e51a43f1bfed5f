import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import { ProjectGit } from '../../test/support/project-git.ts';
import type { FeatureLevel, Project } from '../db/tables/projects.table.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const ROLES = ['anonymous', 'stranger', 'guest', 'planner', 'reporter', 'developer', 'maintainer', 'owner'] as const;
type Role = (typeof ROLES)[number];
const from = (role: Role): readonly Role[] => ROLES.slice(ROLES.indexOf(role));
const NOBODY: readonly Role[] = [];

type Part = 'issues' | 'merge_requests' | 'repository' | 'snippets' | 'builds';
/** Minimum role for a part restricted to members, in projects visible to everyone. */
const LEAST: Record<Part, Role> = {
  issues: 'guest',
  merge_requests: 'reporter',
  repository: 'reporter',
  snippets: 'guest',
  builds: 'guest',
};

interface Made {
  project: Project;
  group: number;
  sha: string;
  issue: number;
  change: number;
  token(role: Role): string | null;
}

/** Makes a project with content of every kind, in a group visible to everyone. */
async function make(columns: Partial<Project>, visibility: 'public' | 'private' = 'public'): Promise<Made> {
  const group = await app.make.group({ visibility });
  const project = await app.make.project({ visibility, namespace: group });
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { a: '1\n' });
  const sha = git.commit('topic', { b: '1\n' }, { start: base });
  const people = await app.make.members(project);
  const issue = expectStatus(await app.post(`/projects/${project.id}/issues`, { json: { title: 'needle' } }), 201);
  const json = { source_branch: 'topic', target_branch: 'main', title: 'needle', description: `Closes #${issue.iid}` };
  const change = expectStatus(await app.post(`/projects/${project.id}/merge_requests`, { json }), 201);
  const comment = { json: { body: 'said' } };
  expectStatus(await app.post(`/projects/${project.id}/merge_requests/${change.iid}/notes`, comment), 201);
  const snippet = { title: 'needle', visibility: 'public', files: [{ file_path: 'f', content: 'x' }] };
  expectStatus(await app.post(`/projects/${project.id}/snippets`, { json: snippet }), 201);
  expectStatus(await app.post(`/projects/${project.id}/statuses/${sha}`, { json: { state: 'success' } }), 201);
  expectStatus(
    await app.post(`/projects/${project.id}/repository/files/c`, {
      json: { branch: 'main', commit_message: 'pushed', content: 'x' },
    }),
    201,
  );
  await app.drain();
  await app.deps.db.updateTable('projects').set(columns).where('id', '=', project.id).execute();
  return {
    project,
    group: group.id,
    sha,
    issue: Number(issue.iid),
    change: Number(change.iid),
    token: (role) => (role === 'anonymous' ? null : people[role].token),
  };
}

type Read = (made: Made, token: string | null) => Promise<boolean>;
const ok =
  (path: (made: Made) => string): Read =>
  async (made, token) => {
    const { statusCode, body } = await app.get(path(made), { token });
    assert.ok([200, 401, 403, 404].includes(statusCode), `${statusCode} ${body}`);
    return statusCode === 200;
  };
/** Whether a list contains an item that `fits`; false if the list is refused. */
const holds =
  (path: (made: Made) => string, fits: (entry: Record<string, unknown>, made: Made) => boolean = () => true): Read =>
  async (made, token) => {
    const answer = await app.get(path(made), { token });
    if (answer.statusCode !== 200) return false;
    return expectStatus<Record<string, unknown>[]>(answer, 200).some((entry) => fits(entry, made));
  };
const ofProject = ({ project_id }: Record<string, unknown>, { project }: Made) => project_id === project.id;
const at = ({ project }: Made) => `/projects/${project.id}`;

/** Requests that show content of a part. */
const READS: Record<Part, Record<string, Read>> = {
  issues: {
    single: ok((made) => `${at(made)}/issues/${made.issue}`),
    'project list': holds((made) => `${at(made)}/issues`),
    'group list': holds((made) => `/groups/${made.group}/issues`, ofProject),
    'search filter': holds((made) => `${at(made)}/issues?search=needle`),
    notes: ok((made) => `${at(made)}/issues/${made.issue}/notes`),
    events: holds(
      (made) => `${at(made)}/events`,
      ({ target_type }) => target_type === 'Issue',
    ),
    'issues that a merge request closes': holds(
      (made) => `${at(made)}/merge_requests/${made.change}/closes_issues`,
      ofProject,
    ),
  },
  merge_requests: {
    single: ok((made) => `${at(made)}/merge_requests/${made.change}`),
    commits: ok((made) => `${at(made)}/merge_requests/${made.change}/commits`),
    changes: ok((made) => `${at(made)}/merge_requests/${made.change}/diffs`),
    versions: ok((made) => `${at(made)}/merge_requests/${made.change}/versions`),
    notes: ok((made) => `${at(made)}/merge_requests/${made.change}/notes`),
    discussions: ok((made) => `${at(made)}/merge_requests/${made.change}/discussions`),
    'project list': holds((made) => `${at(made)}/merge_requests`),
    'group list': holds((made) => `/groups/${made.group}/merge_requests`, ofProject),
    'search filter': holds((made) => `${at(made)}/merge_requests?search=needle`),
    events: holds(
      (made) => `${at(made)}/events`,
      ({ target_type }) => target_type === 'MergeRequest',
    ),
    'events of comments': holds(
      (made) => `${at(made)}/events`,
      ({ note }) => (note as { noteable_type?: string } | undefined)?.noteable_type === 'MergeRequest',
    ),
    'merge requests of an issue': holds((made) => `${at(made)}/issues/${made.issue}/related_merge_requests`),
    'merge requests that close an issue': holds((made) => `${at(made)}/issues/${made.issue}/closed_by`),
    'merge requests of a commit': holds((made) => `${at(made)}/repository/commits/${made.sha}/merge_requests`),
    'the number of an issue': async (made, token) => {
      const issue = await app.get(`${at(made)}/issues/${made.issue}`, { token });
      return expectStatus(issue, 200).merge_requests_count === 1;
    },
    'mentions on an issue': holds(
      (made) => `${at(made)}/issues/${made.issue}/notes`,
      ({ body }) => String(body).startsWith('mentioned in merge request'),
    ),
    'filter of projects': holds(
      (made) => `/groups/${made.group}/projects?with_merge_requests_enabled=true`,
      ({ id }, { project }) => id === project.id,
    ),
  },
  repository: {
    files: ok((made) => `${at(made)}/repository/files/a/raw`),
    tree: ok((made) => `${at(made)}/repository/tree`),
    commits: ok((made) => `${at(made)}/repository/commits`),
    branches: ok((made) => `${at(made)}/repository/branches`),
    tags: ok((made) => `${at(made)}/repository/tags`),
    archive: ok((made) => `${at(made)}/repository/archive.tar`),
    compare: ok((made) => `${at(made)}/repository/compare?from=main&to=topic`),
    contributors: ok((made) => `${at(made)}/repository/contributors`),
    'default branch': async (made, token) => {
      const { default_branch } = expectStatus(await app.get(at(made), { token }), 200);
      return default_branch === 'main';
    },
    events: holds(
      (made) => `${at(made)}/events`,
      ({ push_data }) => push_data !== undefined && push_data !== null,
    ),
  },
  snippets: {
    'project list': holds((made) => `${at(made)}/snippets`),
    events: holds(
      (made) => `${at(made)}/events`,
      ({ target_type }) => target_type === 'Snippet',
    ),
  },
  builds: {},
};
/** Requests that only users may send. */
const FOR_USERS: Partial<Record<Part, Record<string, Read>>> = {
  builds: { statuses: ok((made) => `${at(made)}/repository/commits/${made.sha}/statuses`) },
  issues: { 'instance list': holds(() => '/issues?scope=all&per_page=100', ofProject) },
  merge_requests: {
    'instance list': holds(() => '/merge_requests?scope=all&per_page=100', ofProject),
    'instance search': holds(() => '/merge_requests?scope=all&search=needle&per_page=100', ofProject),
  },
};

async function readers(read: Read, made: Made, roles: readonly Role[]): Promise<Role[]> {
  const readingRoles: Role[] = [];
  for (const role of roles) if (await read(made, made.token(role))) readingRoles.push(role);
  return readingRoles;
}

const columnsOf = (part: Part, level: FeatureLevel): Partial<Project> => ({ [`${part}_access_level`]: level });

for (const [part, reads] of Object.entries(READS) as [Part, Record<string, Read>][]) {
  for (const level of ['enabled', 'private', 'disabled'] as const) {
    describe(`in a public project whose ${part} are ${level}`, () => {
      let made: Made;
      before(async () => {
        made = await make(columnsOf(part, level));
      });
      const expected = level === 'enabled' ? ROLES : level === 'private' ? from(LEAST[part]) : NOBODY;
      for (const [name, read] of Object.entries({ ...reads, ...FOR_USERS[part] })) {
        test(`${name}: ${expected.length === 0 ? 'nobody' : `from ${expected[0]} on`}`, async () => {
          const roles = FOR_USERS[part]?.[name] === undefined ? ROLES : from('stranger');
          const expectedRoles = expected.filter((role) => roles.includes(role));
          assert.deepEqual(await readers(read, made, roles), expectedRoles);
        });
      }
    });
  }
}

describe('in a private project', () => {
  let made: Made;
  before(async () => {
    made = await make({ issues_access_level: 'enabled' }, 'private');
  });
  const least: Record<Part, Role> = { ...LEAST, builds: 'reporter' };
  for (const [part, reads] of Object.entries(READS) as [Part, Record<string, Read>][]) {
    for (const [name, read] of Object.entries({ ...reads, ...FOR_USERS[part] })) {
      // These requests need an existing project.
      if (['the number of an issue', 'default branch', 'filter of projects'].includes(name)) continue;
      test(`${part}, ${name}`, async () => {
        const both = name.includes('that a merge request closes') ? 'reporter' : least[part];
        const roles = FOR_USERS[part]?.[name] === undefined ? ROLES : from('stranger');
        assert.deepEqual(await readers(read, made, roles), [...from(both)]);
      });
    }
  }
});
