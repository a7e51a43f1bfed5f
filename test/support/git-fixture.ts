import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gitEnvironment } from '../../src/git/process/index.ts';
import { spawnerPid } from '../../src/git/process/spawner/start-child.ts';
import { type Repository, RepositoryPool } from '../../src/git/repository/index.ts';
import { outputOf } from './fork-server.ts';
import { LooseCommits } from './loose-commits.ts';

export interface GitFixture {
  dir: string;
  repo: Repository;
  pool: RepositoryPool;
  /** Runs the real git in the repository; gives its standard output without the last line feed. */
  git(args: readonly string[], input?: string | Buffer): string;
  /** The same; gives its standard output as it is. */
  bytes(args: readonly string[], input?: string | Buffer): Buffer;
  /** Writes a commit of these files (paths to contents) as git does; gives its id. */
  commit(files: Readonly<Record<string, string>>, parents?: readonly string[], message?: string): string;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_AUTHOR_DATE: '1700000000 +0100',
  GIT_COMMITTER_NAME: 'Bob',
  GIT_COMMITTER_EMAIL: 'bob@example.com',
  GIT_COMMITTER_DATE: '1700000100 +0000',
};

/** What calls functions once a test is over. */
export interface Test {
  after(fn: () => unknown): unknown;
}

/** A temporary folder that is gone after the test. */
export function temporaryFolder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'stithy-test-'));
  t.after(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

/** A bare repository made by the real git, opened in a pool of its own; both are gone after the test. */
export function gitFixture(t: Test, options: { dir?: string; objectFormat?: string } = {}): GitFixture {
  const dir = options.dir ?? join(temporaryFolder(t), 'repo.git');
  const run = (args: readonly string[], input: string | Buffer = '', env: Record<string, string> = {}) =>
    outputOf('git', args, { input, env: gitEnvironment({ ...IDENTITY, ...env }) });
  if (options.dir === undefined) {
    run(['init', '-q', '--bare', '--initial-branch=main', `--object-format=${options.objectFormat ?? 'sha1'}`, dir]);
  }
  const pool = new RepositoryPool();
  t.after(() => pool.close());
  const bytes = (args: readonly string[], input: string | Buffer = '') => run([`--git-dir=${dir}`, ...args], input);
  const git = (args: readonly string[], input: string | Buffer = '') =>
    bytes(args, input).toString().replace(/\n$/, '');
  const loose = new LooseCommits(dir);
  let commits = 0;
  return {
    dir,
    pool,
    repo: pool.get(dir, dir),
    git,
    bytes,
    commit(files, parents = [], message = `commit ${commits}\n`) {
      commits += 1;
      const author = `author ${IDENTITY.GIT_AUTHOR_NAME} <${IDENTITY.GIT_AUTHOR_EMAIL}> ${IDENTITY.GIT_AUTHOR_DATE}`;
      const committer = `committer ${IDENTITY.GIT_COMMITTER_NAME} <${IDENTITY.GIT_COMMITTER_EMAIL}> ${IDENTITY.GIT_COMMITTER_DATE}`;
      return loose.write({ parents, whole: true, files, rest: [author, committer, '', message].join('\n') })!;
    },
  };
}

/** The process ids of the git children of this process, and of the one that starts some for it, that work on this repository. */
export function gitChildren(dir: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        const parent = /\) \S (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
        return words.includes(`--git-dir=${dir}`) && [process.pid, spawnerPid()].includes(Number(parent));
      } catch {
        return false;
      }
    });
}
