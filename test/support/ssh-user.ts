import { execFile } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SshLimits } from '../../src/git-server/ssh/ssh-server.limits.ts';
import { type SshServer, serveSsh } from '../../src/git-server/ssh/ssh-server.server.ts';
import { expectStatus, type TestApp } from './app.ts';
import type { TestUser } from './factories.ts';
import { outputOf } from './fork-server.ts';
import { GitUser } from './git-user.ts';

/** Why tests with the real SSH client do not run here; false where it is there. */
export const noSsh: string | false = (() => {
  try {
    outputOf('ssh', ['-V']);
    return false;
  } catch {
    return 'ssh of OpenSSH is not installed here';
  }
})();

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Makes a pair of keys with the real program. @returns path of the private half */
export function sshKeygen(folder: string, name: string, ...options: string[]): string {
  const path = join(folder, name);
  outputOf('ssh-keygen', ['-q', '-N', '', '-C', name, '-f', path, ...options]);
  return path;
}

/** The public half of a pair of keys, as a line. */
export const publicKey = (path: string): string => readFileSync(`${path}.pub`, 'utf8').trim();

/** A server of git over SSH, and people who come to it with the real client. */
export class SshPlace {
  readonly git: GitUser;
  readonly server: SshServer;
  readonly #app: TestApp;
  #keys = 0;

  private constructor(app: TestApp, git: GitUser, server: SshServer) {
    this.#app = app;
    this.git = git;
    this.server = server;
  }

  static async of(app: TestApp, limits?: SshLimits): Promise<SshPlace> {
    const git = await GitUser.of(app);
    const server = await serveSsh(app.deps, '127.0.0.1', 0, limits);
    app.deps.config.sshPort = server.port;
    return new SshPlace(app, git, server);
  }

  /** Makes a pair of keys. @returns path of the private half */
  newKey(...options: string[]): string {
    this.#keys += 1;
    return sshKeygen(this.git.folder, `key-${this.#keys}`, ...(options.length === 0 ? ['-t', 'ed25519'] : options));
  }

  /** Gives a user a key. @returns path of its private half */
  async keyOf({ token }: TestUser, ...options: string[]): Promise<string> {
    const path = this.newKey(...options);
    expectStatus(await this.#app.post('/user/keys', { token, json: { title: 'k', key: publicKey(path) } }), 201);
    return path;
  }

  /** Words of a command line that connect with a key, and with nothing that the machine knows. */
  words(key: string, ...options: string[]): string[] {
    chmodSync(key, 0o600);
    const fixed = ['UserKnownHostsFile=/dev/null', 'StrictHostKeyChecking=no', 'IdentitiesOnly=yes', 'LogLevel=ERROR'];
    const more = ['IdentityAgent=none', 'BatchMode=yes', 'GlobalKnownHostsFile=/dev/null', 'SetEnv=IGNORED=1'];
    return [
      'ssh',
      '-F',
      '/dev/null',
      ...[...fixed, ...more].flatMap((option) => ['-o', option]),
      '-i',
      key,
      ...options,
    ];
  }

  /** Arguments by which git uses a key. */
  with(key: string, ...options: string[]): string[] {
    return ['-c', `core.sshCommand=${this.words(key, ...options).join(' ')}`];
  }

  /** Address of a repository. */
  address({ full_path }: { full_path: string }): string {
    return `ssh://git@127.0.0.1:${this.server.port}/${full_path}.git`;
  }

  /** Runs the client itself. @param command what the server shall do; none for a shell */
  ssh(key: string, command: string[], options: string[] = [], login = 'git'): Promise<Ran> {
    const [program, ...words] = this.words(key, '-p', String(this.server.port), ...options);
    return new Promise((resolve) => {
      const child = execFile(
        program!,
        [...words, `${login}@127.0.0.1`, ...command],
        { timeout: 60_000 },
        (error, stdout, stderr) => resolve({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr }),
      );
      child.stdin!.end();
    });
  }

  close(): void {
    this.server.close();
  }
}
