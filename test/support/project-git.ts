import { execFileSync } from 'node:child_process';
import type { Project } from '../../src/db/tables/projects.ts';
import { gitEnvironment } from '../../src/git/environment.ts';
import type { TestApp } from './app.ts';

/** Files of a commit by path: content, or null to remove one. */
export type Files = Readonly<Record<string, string | null>>;

/** The repository of a test project, written by the real git. */
export class ProjectGit {
  readonly dir: string;
  #time = 1_700_000_000;

  constructor(app: TestApp, project: Project) {
    this.dir = app.deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
  }

  /** Runs git; gives its standard output without the last line feed. */
  run(args: readonly string[], input: string | Buffer = '', env: Record<string, string> = {}): string {
    const date = `${this.#time} +0200`;
    const identity = {
      GIT_AUTHOR_NAME: 'Ada',
      GIT_AUTHOR_EMAIL: 'ada@example.com',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: 'Bob',
      GIT_COMMITTER_EMAIL: 'bob@example.com',
      GIT_COMMITTER_DATE: date,
    };
    return execFileSync('git', [`--git-dir=${this.dir}`, ...args], {
      input,
      env: gitEnvironment({ ...identity, ...env }),
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    })
      .toString()
      .replace(/\n$/, '');
  }

  /** Commits changes of files on top of a branch (made where there is none, from `start` when given); gives the id. */
  commit(branch: string, files: Files, options: { message?: string; start?: string; email?: string } = {}): string {
    this.#time += 60;
    const ref = `refs/heads/${branch}`;
    const parent = this.run(['for-each-ref', '--format=%(objectname)', ref]) || (options.start ?? '');
    const lines = [
      `commit ${ref}`,
      `author Ada <${options.email ?? 'ada@example.com'}> ${this.#time} +0200`,
      `committer Bob <bob@example.com> ${this.#time} +0200`,
      data(options.message ?? `commit on ${branch}\n`),
      ...(parent === '' ? [] : [`from ${parent}`]),
      ...Object.entries(files).flatMap(([path, content]) =>
        content === null ? [`D ${quote(path)}`] : [`M 100644 inline ${quote(path)}`, data(content)],
      ),
    ];
    this.run(['fast-import', '--quiet', '--force', '--date-format=raw'], `${lines.join('\n')}\n`);
    return this.run(['rev-parse', ref]);
  }

  /** Merges commits by taking the files of the first; gives the id of the merge, which `branch` points to. */
  merge(branch: string, parents: readonly string[], files: Files = {}): string {
    this.#time += 60;
    const ref = `refs/heads/${branch}`;
    const lines = [
      `commit ${ref}`,
      `committer Bob <bob@example.com> ${this.#time} +0200`,
      data('merge\n'),
      `from ${parents[0]}`,
      ...parents.slice(1).map((parent) => `merge ${parent}`),
      ...Object.entries(files).flatMap(([path, content]) => [`M 100644 inline ${quote(path)}`, data(content ?? '')]),
    ];
    this.run(['fast-import', '--quiet', '--force', '--date-format=raw'], `${lines.join('\n')}\n`);
    return this.run(['rev-parse', ref]);
  }
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}`;
const quote = (path: string): string =>
  `"${path.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
