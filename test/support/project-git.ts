import type { Project } from '../../src/db/tables/projects.table.ts';
import { gitEnvironment } from '../../src/git/process/index.ts';
import type { TestApp } from './app.ts';
import { data, quote } from './fast-import.ts';
import { outputOf } from './fork-server.ts';
import { LooseCommits } from './loose-commits.ts';
import { readRef } from './ref-files.ts';

/** Files of a commit by path: content, or null to remove one. */
export type Files = Readonly<Record<string, string | null>>;

/** Files of a commit that git-fast-import writes as loose objects; more become a pack. */
const UNPACKED = 50;

/** The repository of a test project, written by the real git, or as it writes. */
export class ProjectGit {
  readonly dir: string;
  readonly #loose: LooseCommits;
  #time = 1_700_000_000;

  constructor(app: TestApp, project: Project) {
    this.dir = app.deps.storages.dirOf({ storage: project.repository_storage, diskPath: project.disk_path });
    this.#loose = new LooseCommits(this.dir);
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
    const output = outputOf('git', [`--git-dir=${this.dir}`, ...args], {
      input,
      env: gitEnvironment({ ...identity, ...env }),
    });
    return output.toString().replace(/\n$/, '');
  }

  /** Commits changes of files on top of a branch (made where there is none, from `start` when given); gives the id. */
  commit(branch: string, files: Files, options: { message?: string; start?: string; email?: string } = {}): string {
    this.#time += 60;
    const ref = `refs/heads/${branch}`;
    const parent = readRef(this.dir, ref) ?? (options.start || undefined);
    const author = `author Ada <${options.email ?? 'ada@example.com'}> ${this.#time} +0200`;
    const committer = `committer Bob <bob@example.com> ${this.#time} +0200`;
    const message = options.message ?? `commit on ${branch}\n`;
    const rest = [author, committer, '', message].join('\n');
    const small = Object.keys(files).length <= UNPACKED;
    const loose = small
      ? this.#loose.write({ ref, parents: parent === undefined ? [] : [parent], files, rest })
      : undefined;
    if (loose !== undefined) return loose;
    return this.#import([
      `commit ${ref}`,
      'mark :1',
      author,
      committer,
      data(message),
      ...(parent === undefined ? [] : [`from ${parent}`]),
      ...Object.entries(files).flatMap(([path, content]) =>
        content === null ? [`D ${quote(path)}`] : [`M 100644 inline ${quote(path)}`, data(content)],
      ),
    ]);
  }

  /** Merges commits by taking the files of the first; gives the id of the merge, which `branch` points to. */
  merge(branch: string, parents: readonly string[], files: Files = {}): string {
    this.#time += 60;
    return this.#import([
      `commit refs/heads/${branch}`,
      'mark :1',
      `committer Bob <bob@example.com> ${this.#time} +0200`,
      data('merge\n'),
      `from ${parents[0]}`,
      ...parents.slice(1).map((parent) => `merge ${parent}`),
      ...Object.entries(files).flatMap(([path, content]) => [`M 100644 inline ${quote(path)}`, data(content ?? '')]),
    ]);
  }

  /** Makes what the commands for git-fast-import say; gives the id of the commit that they mark as the first. */
  #import(commands: readonly string[]): string {
    const input = `${commands.join('\n')}\nget-mark :1\n`;
    return this.run(['fast-import', '--quiet', '--force', '--date-format=raw'], input);
  }
}
