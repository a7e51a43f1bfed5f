import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../test/support/app.ts';
import type { TestUser } from '../../test/support/factories.ts';
import { GitUser } from '../../test/support/git-user.ts';
import type { Caller } from '../access/caller.ts';
import { callerOfToken } from '../access/token-caller.ts';
import { ApiError } from '../core/core.errors.ts';
import { authorizeGit } from './git-server.access.ts';
import { serve } from './git-server.serve.ts';

/*
 * Git without HTTP: what an SSH server would do, over a bare connection. `ssh` is a program of the test that connects,
 * sends a line with the command and the variable GIT_PROTOCOL, passes bytes both ways, and ends with the exit code
 * that it finds in a file.
 */

let app: TestApp;
let user: GitUser;
let server: Server;
/** Who calls, found elsewhere: by a key, say. */
let caller: Caller;
before(async () => {
  app = await buildTestApp();
  user = await GitUser.of(app);
  server = createServer({ allowHalfOpen: true }, (socket) => void answer(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const script = join(user.folder, 'ssh');
  writeFileSync(
    script,
    `#!${process.execPath}
const socket = require('node:net').connect({ port: ${port}, host: '127.0.0.1', allowHalfOpen: true });
socket.write(JSON.stringify({ command: process.argv.at(-1), protocol: process.env.GIT_PROTOCOL }) + '\\n');
process.stdin.pipe(socket);
socket.pipe(process.stdout);
socket.on('end', () => process.exit(Number(require('node:fs').readFileSync('${join(user.folder, 'code')}', 'utf8'))));
`,
  );
  chmodSync(script, 0o700);
});
after(async () => {
  server.close();
  await app.close();
});

async function answer(socket: Socket): Promise<void> {
  const chunk = await new Promise<Buffer>((resolve) => socket.once('data', resolve));
  const end = chunk.indexOf(10);
  socket.pause();
  if (end + 1 < chunk.length) socket.unshift(chunk.subarray(end + 1));
  const { command, protocol } = JSON.parse(chunk.subarray(0, end).toString()) as { command: string; protocol?: string };
  const [, service, path] = /^git-(upload-pack|receive-pack) '\/(.+)\.git'$/.exec(command) ?? [];
  const pushes = service === 'receive-pack';
  try {
    const access = await authorizeGit(app.deps, caller, path!, pushes ? 'write' : 'read', { creates: pushes });
    const client = { address: '127.0.0.1', correlationId: 'ssh-1', protocol, stateless: false };
    const session = await serve(app.deps, access, pushes ? 'receive-pack' : 'upload-pack', socket, client);
    session.output.pipe(socket, { end: false });
    await finished(session.output, { writable: false });
    writeFileSync(join(user.folder, 'code'), String((await session.done).code));
    socket.end();
  } catch (error) {
    assert.ok(error instanceof ApiError);
    // An error packet: git shows its text and gives up.
    const text = `ERR ${error.message}\n`;
    writeFileSync(join(user.folder, 'code'), '1');
    socket.end((text.length + 4).toString(16).padStart(4, '0') + text);
  }
}

const ssh = () => ['-c', `core.sshCommand=${join(user.folder, 'ssh')}`, '-c', 'ssh.variant=ssh'];
const addressOf = (project: { full_path: string }) => `ssh://git@127.0.0.1/${project.full_path}.git`;
const as = async ({ token }: TestUser) => {
  caller = (await callerOfToken(app.deps, token, '127.0.0.1'))!;
};

test('one connection serves clones and pushes with every protocol version, and follows up what a push asks for', async () => {
  const project = await app.make.project();
  const { developer } = await app.make.members(project);
  await as(developer);
  const dir = await user.tree();
  await user.ok(dir, ...ssh(), 'push', '--quiet', addressOf(project), 'main:refs/heads/first');
  await user.commit(dir, 'more', 'x\n');
  const options = [
    '-o',
    'merge_request.create',
    '-o',
    'merge_request.target=first',
    '-o',
    'merge_request.title=Over it',
  ];
  const shown = await user.ok(dir, ...ssh(), 'push', ...options, addressOf(project), 'main:refs/heads/second');
  assert.match(shown, /remote: View merge request for second:/);
  const made = expectStatus<{ title: string }[]>(await app.get(`/projects/${project.id}/merge_requests`), 200);
  assert.deepEqual(
    made.map(({ title }) => title),
    ['Over it'],
  );
  for (const version of [0, 1, 2]) {
    const copy = `copy-${version}`;
    const protocol = ['-c', `protocol.version=${version}`];
    await user.ok(user.folder, ...ssh(), ...protocol, 'clone', '--quiet', '-b', 'second', addressOf(project), copy);
    assert.equal(await user.ok(join(user.folder, copy), 'rev-list', '--count', 'HEAD'), '2\n');
  }
});

test('who may not is told so in text, and a refused push ends with an exit code', async () => {
  const project = await app.make.project();
  const { developer, reporter, stranger } = await app.make.members(project);
  const dir = await user.tree();
  await user.ok(dir, 'push', '--quiet', user.address(project), 'main');
  await as(stranger);
  assert.match(
    await user.fails(dir, ...ssh(), 'ls-remote', addressOf(project)),
    /could not be found or you don't have/,
  );
  await as(reporter);
  await user.ok(dir, ...ssh(), 'ls-remote', addressOf(project));
  assert.match(
    await user.fails(dir, ...ssh(), 'push', addressOf(project), 'main:x'),
    /You are not allowed to push code to this project\./,
  );
  await as(developer);
  await user.commit(dir, 'more', 'x\n');
  const refused = await user.fails(dir, ...ssh(), 'push', addressOf(project), 'main');
  assert.match(refused, /remote: Stithy: You are not allowed to push code to protected branches on this project\./);
});

test('a push makes the project that is not there', async () => {
  const owner = await app.make.user();
  await as(owner);
  const dir = await user.tree();
  const path = { full_path: `${owner.user.username}/made-by-a-push` };
  const shown = await user.ok(dir, ...ssh(), 'push', addressOf(path), 'main');
  assert.match(shown, /remote: The private project .+\/made-by-a-push was successfully created\./);
});
