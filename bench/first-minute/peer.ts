import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Asker } from '../cold/ask.ts';
import type { Questions } from '../cold/questions.ts';
import { timedGit } from '../git.ts';
import { REFS } from './push.ts';

const PORT = 18_796;
const URL_BASE = `http://127.0.0.1:${PORT}`;
const [USER, PASSWORD] = ['peer', 'bench-password-of-the-peer'];
const READY_MS = 60_000;
const [CONNECTIONS, SECONDS] = [8, 6];

/** Answers a second of another program at once after the same push. */
export interface PeerRates {
  file: number;
  raw: number;
  commit: number;
}

const configuration = (folder: string): string => `RUN_USER = ${process.env.USER ?? 'root'}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${PORT}
EXTERNAL_URL = ${URL_BASE}/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
TYPE = sqlite3
PATH = ${join(folder, 'peer.db')}
[repository]
ROOT = ${join(folder, 'repositories')}
[security]
INSTALL_LOCK = true
SECRET_KEY = bench-secret-of-the-peer
[log]
ROOT_PATH = ${join(folder, 'log')}
`;

async function post(path: string, body: object, authorization: string): Promise<{ sha1?: string }> {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(`${URL_BASE}/api/v1/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (response.status !== 201) throw new Error(`the peer answered POST ${path} with ${response.status}`);
  return (await response.json()) as { sha1?: string };
}

/** The address that the peer has for `files/<path>?ref=<commit>` and `commits/<commit>` of the questions. */
const translated = (kind: keyof PeerRates, question: string): string => {
  const [, path = '', ref = ''] = /^files\/(.*?)(?:\/raw)?\?ref=(.*)$/.exec(question) ?? [];
  const plain = path.split('%2F').join('/');
  if (kind === 'file') return `contents/${plain}?ref=${ref}`;
  return kind === 'raw' ? `raw/${ref}/${plain}` : question;
};

/**
 * Pushes the same to a Gogs whose binary `BENCH_PEER` names and asks it the same kinds; null where none is named.
 * @param folder what it keeps; made anew
 * @throws Error where it does not start or refuses something
 */
export async function askPeer(source: string, folder: string, questions: Questions): Promise<PeerRates | null> {
  const program = process.env.BENCH_PEER;
  if (program === undefined) return null;
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const config = join(folder, 'app.ini');
  await writeFile(config, configuration(folder));
  const child = spawn(program, ['web', '--config', config], { stdio: 'ignore' });
  const closed = once(child, 'exit');
  try {
    for (
      const started = performance.now();
      !(await fetch(URL_BASE).then(
        (r) => r.ok,
        () => false,
      ));
      await sleep(100)
    ) {
      if (child.exitCode !== null || performance.now() - started > READY_MS) throw new Error('the peer does not start');
    }
    const account = ['--name', USER, '--password', PASSWORD, '--email', 'peer@example.org', '--admin'];
    const made = spawnSync(program, ['admin', 'create-user', '--config', config, ...account]);
    if (made.status !== 0) throw new Error(`the peer made no user: ${made.stderr}`);
    const basic = `Basic ${Buffer.from(`${USER}:${PASSWORD}`).toString('base64')}`;
    const { sha1 } = await post(`users/${USER}/tokens`, { name: 'bench' }, basic);
    const authorization = `token ${sha1}`;
    await post('user/repos', { name: 'large', private: true }, authorization);
    const remote = `${URL_BASE.replace('://', `://${USER}:${PASSWORD}@`)}/${USER}/large.git`;
    await timedGit(['--git-dir', source, 'push', '--quiet', remote, ...REFS]);
    const asker = new Asker(`${URL_BASE}/api/v1/repos/${USER}/large/`, CONNECTIONS, { Authorization: authorization });
    const rateOf = async (kind: keyof PeerRates): Promise<number> => {
      const started = performance.now();
      let answers = 0;
      const loop = async () => {
        while (performance.now() - started < SECONDS * 1_000) {
          const { status } = await asker.ask(translated(kind, questions.next(kind)));
          if (status !== 200) throw new Error(`the peer answered a question of ${kind} with ${status}`);
          answers += 1;
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, loop));
      return (answers / (performance.now() - started)) * 1_000;
    };
    return { file: await rateOf('file'), raw: await rateOf('raw'), commit: await rateOf('commit') };
  } finally {
    child.kill();
    await closed;
  }
}
