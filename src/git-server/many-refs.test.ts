import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, ROOT_TOKEN, type TestApp } from '../../test/support/app.ts';
import { mustGit } from '../../test/support/git-client.ts';
import { GitUser } from '../../test/support/git-user.ts';
import { noSsh, SshPlace } from '../../test/support/ssh-user.ts';
import { encodePacket } from '../git/transport/packet-line.ts';

const TOO_MANY = 'A push can change at most 20000 refs. Push them in several parts.';

let app: TestApp;
let user: GitUser;
let statements = 0;
before(async () => {
  app = await buildTestApp({
    onQuery: () => {
      statements += 1;
    },
  });
  user = await GitUser.of(app);
});
after(() => app.close());

const branches = (count: number) => Array.from({ length: count }, (_, n) => `refs/heads/many/${n}`);

describe('a push of many refs', () => {
  test('costs few statements, then and afterwards, whatever becomes of the branches', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    const address = user.address(project);
    await user.ok(dir, 'push', '--quiet', address, 'main');
    await app.drain();
    const moved = async (options: readonly string[], specs: readonly string[]) => {
      const before = statements;
      await user.ok(dir, 'push', '--quiet', ...options, address, ...specs);
      await app.drain();
      return statements - before;
    };
    const names = branches(600);
    const [few, many] = [names.slice(0, 20), names.slice(20)];
    const cost = {
      create: [
        await moved(
          [],
          few.map((name) => `main:${name}`),
        ),
        await moved(
          [],
          many.map((name) => `main:${name}`),
        ),
      ],
      move: [0, 0],
      remove: [0, 0],
    };
    await user.commit(dir, 'more.txt', 'x\n');
    cost.move = [
      await moved(
        [],
        few.map((name) => `main:${name}`),
      ),
      await moved(
        [],
        many.map((name) => `main:${name}`),
      ),
    ];
    cost.remove = [
      await moved(
        [],
        few.map((name) => `:${name}`),
      ),
      await moved(
        [],
        many.map((name) => `:${name}`),
      ),
    ];
    for (const [what, [small, large]] of Object.entries(cost)) {
      assert.ok(large! <= small! + 60, `${what}: ${small} statements for 20 refs, ${large} for 580`);
    }
    assert.equal((await user.ok(dir, 'ls-remote', address, 'refs/heads/many/*')).trim(), '');
  });

  test('that is too large is refused over HTTP before anything behind its commands was sent', async () => {
    const project = await app.make.project();
    const dir = await user.tree();
    const head = await mustGit(dir, ['rev-parse', 'HEAD']);
    const names = branches(20_001);
    const sent = (await answered(project, names, head)).toString('latin1');
    assert.ok(sent.includes(TOO_MANY), sent.slice(0, 500));
    assert.match(sent, /unpack A push can change/);
    assert.equal((await user.ok(dir, 'ls-remote', user.address(project))).trim(), '');
  });

  test('that is too large is refused over SSH', { skip: noSsh }, async () => {
    const place = await SshPlace.of(app);
    app.onClose(() => place.close());
    const project = await app.make.project();
    const { maintainer } = await app.make.members(project);
    const key = await place.keyOf(maintainer);
    const dir = await user.tree();
    const head = await mustGit(dir, ['rev-parse', 'HEAD']);
    const lines = branches(20_001)
      .toSorted()
      .map((name) => `${head} ${name}\n`);
    appendFileSync(join(dir, '.git/packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${lines.join('')}`);
    const to = [...place.with(key), 'push', '--quiet', place.address(project)];
    const shown = await user.fails(dir, ...to, 'refs/heads/many/*:refs/heads/many/*');
    assert.ok(shown.includes(`remote: ${TOO_MANY}`), shown.slice(0, 500));
    assert.equal((await user.ok(dir, 'ls-remote', user.address(project))).trim(), '');
    await user.ok(dir, ...to, 'main');
  });
});

/** What the server answers to the commands of a push of which nothing more comes. */
function answered(project: { full_path: string }, names: readonly string[], head: string): Promise<Buffer> {
  const capabilities = '\0report-status-v2 side-band-64k object-format=sha1 agent=test';
  const packets = names.map((ref, index) =>
    encodePacket(`${'0'.repeat(40)} ${head} ${ref}${index === 0 ? capabilities : ''}`),
  );
  const url = new URL(`${user.address(project)}/git-receive-pack`);
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: url.hostname, port: url.port, path: url.pathname, method: 'POST', auth: `root:${ROOT_TOKEN}` },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', reject);
        response.on('end', () => {
          resolve(Buffer.concat(parts));
          asked.destroy();
        });
      },
    );
    asked.setHeader('content-type', 'application/x-git-receive-pack-request');
    asked.on('error', reject);
    asked.write(Buffer.concat(packets));
  });
}
