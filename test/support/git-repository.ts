import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Repository, RepositoryPool } from '../../src/git/repository/index.ts';
import { outputOf } from './fork-server.ts';
import { WITHOUT_UPKEEP } from './git-client.ts';
import { headOf } from './ref-files.ts';

const START = 1_700_000_000;

export interface CommitFields {
  author?: string;
  email?: string;
  /** Seconds since 1970; each commit is a minute after the one before where it is left out. */
  time?: number;
}

/** A repository with a work tree that real git writes, and the view that the code under test has of it. */
export class GitRepository {
  readonly dir = mkdtempSync(join(tmpdir(), 'git-repository-'));
  readonly repo: Repository;
  readonly #pool = new RepositoryPool();
  #time = START;

  constructor(...initArguments: string[]) {
    this.git('init', '--quiet', '--initial-branch=main', ...initArguments);
    this.repo = this.#pool.get(this.dir, join(this.dir, '.git'));
  }

  /** The same repository under another id, so that no cache knows it. */
  fresh(name: string): Repository {
    return this.#pool.get(`${this.dir}#${name}`, join(this.dir, '.git'));
  }

  /** Runs git in the work tree and gives what it prints as bytes. */
  bytes(args: readonly string[], options: { input?: string | Buffer; env?: Record<string, string> } = {}): Buffer {
    return outputOf('git', ['-c', 'core.quotePath=false', '-c', 'protocol.file.allow=always', ...args], {
      cwd: this.dir,
      input: options.input ?? '',
      env: {
        PATH: process.env.PATH,
        HOME: this.dir,
        LC_ALL: 'C.UTF-8',
        TZ: 'UTC',
        GIT_CONFIG_NOSYSTEM: '1',
        ...WITHOUT_UPKEEP,
        GIT_AUTHOR_NAME: 'Ada',
        GIT_AUTHOR_EMAIL: 'ada@example.com',
        GIT_COMMITTER_NAME: 'Ada',
        GIT_COMMITTER_EMAIL: 'ada@example.com',
        GIT_AUTHOR_DATE: `@${this.#time} +0000`,
        GIT_COMMITTER_DATE: `@${this.#time} +0000`,
        ...options.env,
      },
    });
  }

  /** Runs git in the work tree and gives what it prints, without the last newline. */
  git(...args: string[]): string {
    return this.bytes(args).toString('utf8').replace(/\n$/, '');
  }

  /** The printed lines; none for no output. */
  lines(...args: string[]): string[] {
    return this.git(...args)
      .split('\n')
      .filter((line) => line !== '');
  }

  write(path: string | Buffer, content: string | Buffer): void {
    const full = Buffer.concat([Buffer.from(`${this.dir}/`), Buffer.from(path)]);
    mkdirSync(dirname(full.toString('latin1')), { recursive: true });
    writeFileSync(full, content);
  }

  /** Commits all of the work tree and gives the commit's id. */
  commit(message: string, fields: CommitFields = {}): string {
    this.#time = fields.time ?? this.#time + 60;
    this.git('add', '--all');
    const env = {
      ...(fields.author === undefined ? {} : { GIT_AUTHOR_NAME: fields.author }),
      ...(fields.email === undefined ? {} : { GIT_AUTHOR_EMAIL: fields.email }),
    };
    const args = ['commit', '--quiet', '--allow-empty', '--cleanup=verbatim', '--file=-'];
    this.bytes(args, { input: message, env });
    return headOf(this.dir);
  }

  /** Merges a branch into the current one and gives the merge commit's id. */
  merge(branch: string, ...args: string[]): string {
    this.#time += 60;
    this.git('merge', '--quiet', '--no-ff', '--no-edit', ...args, branch);
    return headOf(this.dir);
  }

  oid(revision: string): string {
    return this.git('rev-parse', '--verify', '--end-of-options', revision);
  }

  async close(): Promise<void> {
    await this.#pool.close();
    rmSync(this.dir, { recursive: true, force: true });
  }
}
