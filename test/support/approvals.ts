import { expectStatus, type TestApp } from './app.ts';
import type { TestUser } from './factories.ts';
import { makeMergeRequest } from './merge-request.ts';
import { ProjectGit } from './project-git.ts';

/** What the summary of approvals tells, as far as tests ask. */
export interface Approvals {
  approved: boolean;
  approvals_left: number;
  approved_by: { user: { id: number } }[];
}

/** A project with people, and an open merge request of `side` into `main` by its Developer, for tests of pushes. */
export async function reviewedProject(app: TestApp, files: Readonly<Record<string, string>> = {}) {
  const project = await app.make.project();
  const people = await app.make.members(project);
  const git = new ProjectGit(app, project);
  const base = git.commit('main', { 'a.txt': 'one\n', ...files });
  git.commit('side', { 'b.txt': 'one\n' }, { start: base });
  const mergeRequest = await makeMergeRequest(app, project, {
    source_branch: 'side',
    author_id: people.developer.user.id,
  });
  const path = `/projects/${project.id}/merge_requests/${mergeRequest.iid}`;
  const as = (who: TestUser | undefined) => (who === undefined ? {} : { token: who.token });
  return {
    project,
    people,
    git,
    mergeRequest,
    path,
    approve: (who: TestUser, json: object = {}) => app.post(`${path}/approve`, { ...as(who), json }),
    unapprove: (who: TestUser) => app.post(`${path}/unapprove`, as(who)),
    /** Commits files to `side` (or another branch) through the API. */
    push: (changes: Readonly<Record<string, string>>, who?: TestUser, branch = 'side') =>
      app.post(`/projects/${project.id}/repository/commits`, {
        ...as(who),
        json: {
          branch,
          commit_message: 'change',
          actions: Object.entries(changes).map(([file_path, content]) => ({
            action: git.run(['ls-tree', '--name-only', branch, '--', file_path]) === '' ? 'create' : 'update',
            file_path,
            content,
          })),
        },
      }),
    configure: async (json: object) => expectStatus(await app.post(`/projects/${project.id}/approvals`, { json }), 201),
    approvals: async () => expectStatus<Approvals>(await app.get(`${path}/approvals`), 200),
    approvedBy: async () => {
      const { approved_by } = expectStatus<Approvals>(await app.get(`${path}/approvals`), 200);
      return approved_by.map(({ user }) => user.id);
    },
  };
}
