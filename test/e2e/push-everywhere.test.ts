import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { apiClient } from '../support/api-client.ts';
import { ROOT_TOKEN } from '../support/app.ts';
import { outputOf } from '../support/fork-server.ts';
import { mustGit, runGitClient } from '../support/git-client.ts';
import { temporaryFolder } from '../support/git-fixture.ts';
import { type ServerProcess, startServer } from '../support/server-process.ts';
import { SmtpReceiver } from '../support/smtp-receiver.ts';
import { noSsh, publicKey, sshKeygen } from '../support/ssh-user.ts';

interface Call {
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

/** Receives HTTP; until it is opened it takes calls and answers none. */
class Receiver {
  /** Paths that were called, answered or not. */
  readonly asked: string[] = [];
  readonly answered: Call[] = [];
  open = false;
  readonly #server = createServer((request, response) => void this.#take(request, response));

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      return;
    }
    const path = request.url!;
    this.asked.push(path);
    if (!this.open) return;
    this.answered.push({ path, headers: request.headers, body: Buffer.concat(pieces).toString() });
    response.end('ok');
  }

  at(path: string): Call[] {
    return this.answered.filter((call) => call.path === path);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function until(what: string, done: () => boolean): Promise<void> {
  for (let round = 0; round < 1_200 && !done(); round += 1) await wait(50);
  assert.ok(done(), what);
}

test('what is pushed over SSH by a certificate arrives everywhere once, in order, after SIGKILL', {
  skip: noSsh,
}, async (t) => {
  const folder = await temporaryFolder(t);
  const receiver = new Receiver();
  const web = await receiver.listen();
  let takesMail = false;
  const mail = await SmtpReceiver.listen({
    onRcptTo: (_to, _session, callback) => {
      if (takesMail) callback();
    },
  });
  const settings = {
    STITHY_ROOT_TOKEN: ROOT_TOKEN,
    STITHY_SSH_PORT: '0',
    STITHY_SMTP_URL: mail.url,
    STITHY_ALLOW_LOCAL_NETWORK: 'true',
    STITHY_EXTERNAL_URL: 'https://forge.example.com',
  };
  const start = () => startServer({ dataDir: join(folder, 'data'), settings });
  let server: ServerProcess = await start();
  try {
    const make = async (method: string, path: string, json: object) => {
      const { status, text } = await apiClient(server.url, ROOT_TOKEN)(method, path, json);
      assert.ok(status === 200 || status === 201, `${method} ${path}: ${status} ${text}`);
      return JSON.parse(text) as { id: number };
    };
    const group = await make('POST', '/groups', { name: 'team', path: 'team' });
    const project = await make('POST', '/projects', { name: 'forge', namespace_id: group.id });
    const person = { name: 'Ann', username: 'ann', email: 'ann@example.org', password: 'correct horse battery' };
    const ann = await make('POST', '/users', { ...person, skip_confirmation: true });
    await make('POST', `/groups/${group.id}/members`, { user_id: ann.id, access_level: 40 });
    const authority = sshKeygen(folder, 'authority', '-t', 'ed25519');
    await make('POST', `/groups/${group.id}/ssh_certificates`, { title: 'CA', key: publicKey(authority) });
    await make('POST', `/groups/${group.id}/push_rule`, { commit_message_regex: 'Ticket [0-9]+' });
    await make('POST', `/groups/${group.id}/hooks`, { url: `${web}/hook`, push_events: true });
    await make('PUT', `/groups/${group.id}/integrations/slack`, { webhook: `${web}/slack`, push_events: true });
    await make('PUT', `/projects/${project.id}/integrations/emails-on-push`, { recipients: 'list@example.org' });

    const key = sshKeygen(folder, 'key', '-t', 'ed25519');
    outputOf('ssh-keygen', ['-q', '-s', authority, '-I', 'ann', '-n', 'git', '-V', '+1d', `${key}.pub`]);
    const port = /SSH: +ssh:\/\/git@[^:]+:(\d+)/.exec(server.greeting)![1]!;
    const ssh = ['ssh', '-F', '/dev/null', '-i', key, '-p', port, '-o', `CertificateFile=${key}-cert.pub`]
      .concat('-o', 'IdentitiesOnly=yes', '-o', 'IdentityAgent=none', '-o', 'BatchMode=yes', '-o', 'LogLevel=ERROR')
      .concat('-o', 'StrictHostKeyChecking=no', '-o', 'UserKnownHostsFile=/dev/null')
      .join(' ');
    const tree = join(folder, 'tree');
    await mustGit(folder, ['init', '--quiet', '--initial-branch=main', tree]);
    const commit = async (message: string) => {
      await mustGit(tree, ['commit', '--quiet', '--allow-empty', '--message', message]);
      return mustGit(tree, ['rev-parse', 'HEAD']);
    };
    const words = ['-c', `core.sshCommand=${ssh}`, 'push', '--quiet', 'ssh://git@127.0.0.1/team/forge.git', 'main'];
    await commit('No number');
    const refused = await runGitClient(tree, words);
    assert.notEqual(refused.code, 0);
    assert.match(refused.stderr, /does not follow the pattern 'Ticket \[0-9\]\+'/);
    await mustGit(tree, ['commit', '--quiet', '--amend', '--allow-empty', '--message', 'Ticket 1']);
    const pushed = [await mustGit(tree, ['rev-parse', 'HEAD'])];
    await mustGit(tree, words);
    pushed.push(await commit('Ticket 2'));
    await mustGit(tree, words);

    await until('hook and chat were called', () => ['/hook', '/slack'].every((path) => receiver.asked.includes(path)));
    await server.kill();
    assert.deepEqual([receiver.answered.length, mail.mails.length], [0, 0]);
    receiver.open = true;
    takesMail = true;
    server = await start();

    const listed = () => mail.mails.filter(({ to }) => to.includes('list@example.org'));
    const arrived = () => [receiver.at('/hook').length, receiver.at('/slack').length, listed().length];
    await until('all of it arrived', () => arrived().every((count) => count >= pushed.length));
    // What comes after them has come: nothing of these two is on its way any more.
    await make('POST', `/projects/${project.id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Ticket 3',
      actions: [{ action: 'create', file_path: 'a', content: 'a' }],
    });
    await until('the next one arrived', () => arrived().every((count) => count >= pushed.length + 1));
    assert.deepEqual(arrived(), [3, 3, 3]);
    const hooked = receiver.at('/hook').map(({ body }) => (JSON.parse(body) as { after: string }).after);
    assert.deepEqual(hooked.slice(0, 2), pushed);
    const keys = receiver.at('/hook').map(({ headers }) => headers['idempotency-key']);
    assert.equal(new Set(keys).size, 3);
    const chat = receiver
      .at('/slack')
      .map(({ body }) => /new branch|Ticket \d/.exec(decodeURIComponent(body.replaceAll('+', ' ')))?.[0]);
    assert.deepEqual(chat, ['new branch', 'Ticket 2', 'Ticket 3']);
    assert.equal(new Set(listed().map(({ headers }) => headers['message-id'])).size, 3);
  } finally {
    await server.kill();
    receiver.close();
    await mail.close();
  }
});
