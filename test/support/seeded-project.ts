import type { TestContext } from 'node:test';
import type { Visibility } from '../../src/core/access-levels.ts';
import type { Project } from '../../src/db/tables/projects.table.ts';
import type { TestApp } from './app.ts';
import { type GitFixture, gitFixture } from './git-fixture.ts';

export interface SeededProject {
  project: Project;
  git: GitFixture;
  /** Head of main; its parent; and a commit beside main that is not merged. */
  head: string;
  base: string;
  side: string;
  /** `/projects/<id>/repository` */
  path: string;
}

/** A project with two commits on `main` and the branch `side`, which has one that main has not; nothing is protected. */
export async function seededProject(
  app: TestApp,
  t: TestContext,
  options: { visibility?: Visibility } = {},
): Promise<SeededProject> {
  const project = await app.make.project(options);
  const { repository_storage: storage, disk_path: diskPath } = project;
  const git = gitFixture(t, { dir: app.deps.storages.dirOf({ storage, diskPath }) });
  const base = git.commit({ 'a.txt': 'one\n' }, [], 'first\n');
  const head = git.commit({ 'a.txt': 'two\n' }, [base], 'second\n\nChange: yes\n');
  const side = git.commit({ 'a.txt': 'three\n' }, [base], 'aside\n');
  git.git(['update-ref', 'refs/heads/main', head]);
  git.git(['update-ref', 'refs/heads/side', side]);
  return { project, git, head, base, side, path: `/projects/${project.id}/repository` };
}
