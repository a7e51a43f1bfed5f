import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, type TestContext, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { withLfsObjects } from '../src/api/code/repositories/lfs-archive.ts';
import { isResourceExhaustion } from '../src/core/resource-exhaustion.ts';
import { runGit, startChild, startSpawner } from '../src/git/process/index.ts';
import { Spawner } from '../src/git/process/spawner/spawner.ts';
import { spawnerPid } from '../src/git/process/spawner/start-child.ts';
import { importRepository } from '../src/git/remote/index.ts';
import { maintain, RepositoryPool } from '../src/git/repository/index.ts';
import { buildTestApp, ROOT_TOKEN, type TestApp } from './support/app.ts';
import { failingStarts } from './support/failing-starts.ts';
import { temporaryFolder } from './support/git-fixture.ts';
import { seededProject } from './support/seeded-project.ts';
import { tarEntry } from './support/tar.ts';

const CODES = ['EMFILE', 'EAGAIN', 'ENOMEM'] as const;

let app: TestApp;
const strays: unknown[] = [];
const stray = (reason: unknown) => strays.push(reason);
before(async () => {
  process.on('unhandledRejection', stray);
  app = await buildTestApp();
});
after(async () => {
  await app.close();
  process.off('unhandledRejection', stray);
});

/** Does something while no child starts, and sees to it that no failure is left to nobody. */
async function whileNoneStarts(t: TestContext, code: (typeof CODES)[number], work: () => Promise<void>): Promise<void> {
  const again = failingStarts(code);
  t.after(again);
  try {
    await work();
    await wait(20);
  } finally {
    again();
  }
  assert.deepEqual(strays, []);
}

for (const code of CODES) {
  test(`where children cannot be started for ${code} requests are 503, and succeed afterwards`, async (t) => {
    const { project, git, head, path } = await seededProject(app, t);
    const text = Array.from({ length: 40 }, (_, line) => `line ${line} of it\n`).join('');
    const before = git.commit({ 'old.txt': text }, [head], 'before\n');
    const moved = git.commit({ 'new.txt': `${text}more\n` }, [before], 'moved\n');
    git.git(['update-ref', 'refs/heads/main', moved]);
    const basic = { authorization: `Basic ${Buffer.from(`root:${ROOT_TOKEN}`).toString('base64')}` };
    const url = await app.listen();
    const ask = async () => {
      const answers = await Promise.all([
        app.get(`${path}/files/new.txt/blame?ref=main`, { token: ROOT_TOKEN }),
        app.get(`${path}/compare?from=${before}&to=${moved}`, { token: ROOT_TOKEN }),
        app.get(`${path}/commits/${moved}/diff`, { token: ROOT_TOKEN }),
        app.get(`${path}/archive.tar.gz`, { token: ROOT_TOKEN }),
        app.get(`${path}/archive.zip`, { token: ROOT_TOKEN }),
        ...['upload-pack', 'receive-pack'].map((service) =>
          fetch(`${url}/${project.full_path}.git/info/refs?service=git-${service}`, { headers: basic }),
        ),
      ]);
      return answers.map((answer) => ('statusCode' in answer ? answer.statusCode : answer.status));
    };
    await whileNoneStarts(t, code, async () => {
      const statuses = await ask();
      assert.deepEqual(
        statuses.filter((status) => status !== 503),
        [],
        statuses.join(),
      );
    });
    assert.deepEqual(new Set(await ask()), new Set([200]));
  });

  test(`work that nobody asked for by HTTP tells that it may succeed later, for ${code}`, async (t) => {
    const { git } = await seededProject(app, t);
    const pool = new RepositoryPool();
    t.after(() => pool.close());
    const repo = pool.get('r', git.dir);
    const busy = { name: 'GitError', code: 'busy' };
    await whileNoneStarts(t, code, async () => {
      await assert.rejects(runGit(['version']), busy);
      await assert.rejects(maintain(repo), busy);
      const options = { defaultBranch: 'main', maxBytes: 1_000_000 };
      for (const url of ['http://127.0.0.1:9/a.git', 'ssh://git@127.0.0.1:9/a.git']) {
        const source = { url, addresses: ['127.0.0.1'] };
        await assert.rejects(importRepository(source, `${temporaryFolder(t)}/made.git`, options), busy);
      }
      const archive = withLfsObjects(
        Readable.from([tarEntry('a.txt', 'a'), Buffer.alloc(1024)]),
        'tar.bz2',
        async () => null,
      );
      await assert.rejects(buffer(archive), isResourceExhaustion);
      await assert.rejects(Spawner.start(() => {}));
    });
    await maintain(repo);
  });

  test(`the process that starts git comes to be once there is room, after ${code}`, async (t) => {
    let stop = () => {};
    await whileNoneStarts(t, code, async () => {
      stop = startSpawner(() => {});
      await wait(50);
      assert.equal(spawnerPid(), null);
      assert.throws(() => startChild({ command: '/bin/true', args: [], cwd: '/', env: {}, pipes: 3 }));
    });
    while (spawnerPid() === null) await wait(20);
    stop();
    // Nothing is left of the change.
    const child = spawn('/bin/true');
    await new Promise((resolve) => child.once('exit', resolve));
  });
}
