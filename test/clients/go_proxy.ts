/** Lets the go command get modules from the packages of projects; address and token come from the environment. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const { hostname, port } = new URL(url);
const cert = join(folder, 'cert.pem');

/** The go command sends what it has in `.netrc` over TLS alone: this stands in front of the server. */
async function startTls() {
  const key = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  await must(folder, 'openssl', [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert],
    ...subject,
  ]);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (socket) => {
    const there = connect(Number(port), hostname);
    for (const end of [socket, there]) end.on('error', () => [socket, there].map((each) => each.destroy()));
    socket.pipe(there).pipe(socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

const tls = await startTls();
const tlsUrl = `https://localhost:${(tls.address() as AddressInfo).port}`;

interface Module {
  id: number;
  module: string;
}

let count = 0;
/** A project with two versions of a module and one of a module in a folder. */
async function publish(visibility: 'private' | 'public'): Promise<Module> {
  count += 1;
  const path = `Go-${count}`;
  const { id } = await api<{ id: number }>('POST', '/projects', { path, visibility });
  const module = `${hostname}/root/${path}`;
  const commit = (files: Record<string, string>) =>
    api('POST', `/projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Go',
      actions: Object.entries(files).map(([file_path, content]) => ({ action: 'create', file_path, content })),
    });
  const tag = (tag_name: string) => api('POST', `/projects/${id}/repository/tags`, { tag_name, ref: 'main' });
  await commit({
    'go.mod': `module ${module}\n\ngo 1.24\n`,
    'hello.go': 'package hello\n\nfunc Hello() string { return "hello" }\n',
    LICENSE: 'MIT\n',
    'sub/go.mod': `module ${module}/sub\n\ngo 1.24\n`,
    'sub/sub.go': 'package sub\n\nconst Name = "sub"\n',
  });
  for (const name of ['v1.0.0', 'v1.1.0', 'sub/v0.1.0']) await tag(name);
  return { id, module };
}

/** A folder in which the go command knows the proxy of a project alone. */
function workspace({ id, module }: Module, base: string, secret: string | null) {
  const dir = join(folder, `work-${count}-${secret === null ? 'open' : 'known'}`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'go.mod'), 'module example.com/app\n\ngo 1.24\n');
  const netrc = join(dir, '.netrc');
  if (secret !== null) {
    writeFileSync(netrc, `machine ${new URL(base).host} login anybody password ${secret}\n`);
    chmodSync(netrc, 0o600);
  }
  const env = {
    GOPROXY: `${base}/api/v4/projects/${id}/packages/go`,
    GONOSUMDB: module,
    GOFLAGS: '-modcacherw',
    GOTOOLCHAIN: 'local',
    GOPATH: join(dir, 'gopath'),
    GOCACHE: join(folder, 'gocache'),
    HOME: dir,
    NETRC: netrc,
    SSL_CERT_FILE: cert,
  };
  return {
    dir,
    go: (...args: string[]) => must(dir, 'go', args, env),
    tries: (...args: string[]) => run(dir, 'go', args, env),
  };
}

const use = (module: string) =>
  `package main\n\nimport (\n\t"fmt"\n\n\thello "${module}"\n\t"${module}/sub"\n)\n\nfunc main() { fmt.Println(hello.Hello(), sub.Name) }\n`;

await runTests('go', {
  'gets and builds modules of a public project': async () => {
    const made = await publish('public');
    const { dir, go, tries } = workspace(made, url, null);
    assert.match(await go('list', '-m', '-versions', made.module), /v1\.0\.0 v1\.1\.0/);
    writeFileSync(join(dir, 'main.go'), use(made.module));
    await go('get', `${made.module}@v1.0.0`, `${made.module}/sub`);
    assert.equal(await go('run', '.'), 'hello sub\n');
    assert.match(readFileSync(join(dir, 'go.mod'), 'utf8'), /\/sub v0\.1\.0/);
    await go('get', '-u', made.module);
    assert.match(readFileSync(join(dir, 'go.mod'), 'utf8'), /v1\.1\.0/);
    await go('mod', 'verify');
    assert.ok(!existsSync(join(dir, 'gopath/pkg/mod', `${made.module.replace('Go', '!go')}@v1.1.0`, 'sub')));
    assert.ok(!(await tries('get', `${made.module}@v9.0.0`)).ok);
  },
  'gets a commit by its version': async () => {
    const made = await publish('public');
    const { dir, go } = workspace(made, url, null);
    const [{ id, committed_date }] = await api<[{ id: string; committed_date: string }]>(
      'GET',
      `/projects/${made.id}/repository/commits`,
    );
    const time = new Date(committed_date).toISOString().replace(/\D/g, '').slice(0, 14);
    const version = `v1.1.1-0.${time}-${id.slice(0, 12)}`;
    const { Version } = JSON.parse(await go('mod', 'download', '-json', `${made.module}@${version}`)) as {
      Version: string;
    };
    assert.equal(Version, version);
    assert.ok(existsSync(dir));
  },
  'gets modules of a private project with .netrc, and not without': async () => {
    const made = await publish('private');
    const { go } = workspace(made, tlsUrl, token);
    await go('mod', 'download', `${made.module}@v1.1.0`);
    const { ok, text } = await workspace(made, tlsUrl, null).tries('mod', 'download', `${made.module}@v1.1.0`);
    assert.ok(!ok);
    assert.match(text, /401/);
  },
});
tls.close();
