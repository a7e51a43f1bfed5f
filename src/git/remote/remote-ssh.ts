import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { privateFolder } from '../process/index.ts';
import type { RemoteSource } from './remote-source.ts';

/** Settings for git to use the machine's SSH client. */
export interface SshSession {
  /** Address for git. */
  url: string;
  env: Record<string, string>;
  /** Lines for `known_hosts`, if the host was unknown. */
  newHostKeys(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Older than any running command. */
const LEFT_OVER_MS = 24 * 3_600_000;
/** Default user name. */
const DEFAULT_USER = 'git';

/** Options that override the machine's SSH configuration: a single connection without any other feature. */
const FIXED = [
  'ProxyCommand=none',
  'ProxyJump=none',
  'PermitLocalCommand=no',
  'ForwardAgent=no',
  'ForwardX11=no',
  'ClearAllForwardings=yes',
  'ControlPath=none',
  'ControlMaster=no',
  'IdentitiesOnly=yes',
  'IdentityAgent=none',
  'GSSAPIAuthentication=no',
  'HostbasedAuthentication=no',
  'CanonicalizeHostname=no',
  'GlobalKnownHostsFile=/dev/null',
  'UpdateHostKeys=no',
  'HashKnownHosts=no',
  'CheckHostIP=no',
  'StrictHostKeyChecking=accept-new',
  'NumberOfPasswordPrompts=1',
  'ConnectTimeout=30',
  'ServerAliveInterval=30',
  'ServerAliveCountMax=4',
  'LogLevel=ERROR',
];

/** Every word is built here from validated parts without quotes. */
const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/**
 * Prepares an SSH connection. Key and password are stored in a private folder that is removed with the session, since
 * the client accepts them in no other way that is hidden from other users of the machine.
 * @param gitDir the repository that is fetched to or pushed from, if there is one
 */
export async function sshSession(source: RemoteSource, gitDir?: string): Promise<SshSession> {
  const url = new URL(source.url);
  const folder = privateFolder(gitDir);
  await removeLeftOver(dirname(folder));
  const file = (name: string) => join(folder, name);
  const write = (name: string, text: string, mode = 0o600) => writeFile(file(name), text, { mode });
  const known = source.hostKeys ?? '';
  await write('known_hosts', known);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const options = [...FIXED, `UserKnownHostsFile=${file('known_hosts')}`, `HostKeyAlias=${host}`];
  const [address] = source.addresses;
  options.push(`HostName=${address ?? host}`);
  const env: Record<string, string> = { GIT_SSH_VARIANT: 'ssh' };
  const identity: string[] = [];
  if (source.privateKey !== undefined) {
    await write('key', source.privateKey);
    identity.push('-i', file('key'));
    options.push('BatchMode=yes', 'PreferredAuthentications=publickey', 'PasswordAuthentication=no');
  } else {
    await write('password', `${source.user?.password ?? ''}\n`);
    await write('askpass', `#!/bin/sh\ncat ${quoted(file('password'))}\n`, 0o700);
    Object.assign(env, { SSH_ASKPASS: file('askpass'), SSH_ASKPASS_REQUIRE: 'force', DISPLAY: 'none:0' });
    options.push('PubkeyAuthentication=no', 'PreferredAuthentications=password,keyboard-interactive');
  }
  const words = ['ssh', '-F', '/dev/null', ...identity, ...options.flatMap((option) => ['-o', option])];
  env.GIT_SSH_COMMAND = words.map(quoted).join(' ');
  const user = source.user?.name || DEFAULT_USER;
  return {
    url: `ssh://${encodeURIComponent(user)}@${url.host}${url.pathname}`,
    env,
    newHostKeys: async () => {
      const now = await readFile(file('known_hosts'), 'utf8').catch(() => known);
      return now === known ? undefined : now;
    },
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Removes folders of killed processes. */
async function removeLeftOver(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs > LEFT_OVER_MS) await rm(path, { recursive: true, force: true });
  }
}
