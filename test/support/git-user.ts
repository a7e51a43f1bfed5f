import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ROOT_TOKEN, type TestApp } from './app.ts';
import { cloneUrl, mustGit, runGitClient } from './git-client.ts';
import { headOf } from './ref-files.ts';

/** Somebody at a terminal with the real git client: work trees in a folder of their own, and what git shows. */
export class GitUser {
  readonly folder = mkdtempSync(join(tmpdir(), 'stithy-user-'));
  readonly #url: string;
  #trees = 0;

  private constructor(url: string) {
    this.#url = url;
  }

  /** Starts listening where the app does not yet. The folder goes when the app is closed. */
  static async of(app: TestApp): Promise<GitUser> {
    const user = new GitUser(await app.listen());
    app.onClose(() => rmSync(user.folder, { recursive: true, force: true }));
    return user;
  }

  /** Address of a repository with a token in it. */
  address(project: { full_path: string }, token = ROOT_TOKEN): string {
    return cloneUrl(this.#url, project.full_path, token);
  }

  /** A new work tree with one commit on `main`. */
  async tree(): Promise<string> {
    this.#trees += 1;
    const dir = join(this.folder, `tree-${this.#trees}`);
    await mustGit(this.folder, ['init', '--quiet', '--initial-branch=main', dir]);
    await this.commit(dir, 'README.md', '# Hello\n');
    return dir;
  }

  /** Writes a file and commits it. @returns the commit's id */
  async commit(dir: string, file: string, content: string): Promise<string> {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), content);
    await mustGit(dir, ['add', '--all']);
    await mustGit(dir, ['commit', '--quiet', '--message', `Change ${file}`]);
    return headOf(dir);
  }

  /** Runs git, which must succeed. @returns what it shows on both outputs */
  async ok(dir: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await runGitClient(dir, args);
    assert.equal(code, 0, `git ${args.join(' ')}: ${stderr}`);
    return `${stdout.toString('utf8')}${stderr}`;
  }

  /** Runs git, which must fail. @returns what it shows */
  async fails(dir: string, ...args: string[]): Promise<string> {
    const { code, stderr } = await runGitClient(dir, args);
    assert.notEqual(code, 0, `git ${args.join(' ')} was not refused`);
    return stderr;
  }
}
