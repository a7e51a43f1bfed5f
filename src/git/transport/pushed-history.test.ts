import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { runGitClient } from '../../../test/support/git-client.ts';
import { type GitFixture, gitFixture } from '../../../test/support/git-fixture.ts';
import { turnsDuring } from '../../../test/support/turns.ts';
import { ObjectStore } from '../objects/index.ts';
import { PushedHistory } from './pushed-history.ts';
import { quarantineEnvironment } from './quarantine.ts';

/** What a push of commits leaves in quarantine. @param present ids that the server has, and all that they stand on */
function pushed(t: TestContext, client: GitFixture, present: readonly string[], arrived: readonly string[]) {
  const server = gitFixture(t);
  server.git(['fetch', '-q', client.dir, ...present.map((oid, at) => `${oid}:refs/heads/present-${at}`)]);
  const quarantine = join(server.dir, 'objects/incoming-1');
  mkdirSync(join(quarantine, 'pack'), { recursive: true });
  const revisions = [...arrived, ...present.map((oid) => `^${oid}`)];
  client.git(['pack-objects', '--revs', '-q', join(quarantine, 'pack/pack')], `${revisions.join('\n')}\n`);
  const env = quarantineEnvironment(server.repo, quarantine);
  const history = new PushedHistory(server.repo, env, present);
  t.after(() => history.close());
  return { server, env, history };
}

describe('the history of a push', () => {
  test('says of each pair what git says', async (t) => {
    const client = gitFixture(t);
    client.git(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
    const oids = new Map<string, string>();
    const make = (name: string, ...parents: string[]) => {
      const from = parents.map((parent) => oids.get(parent)!);
      oids.set(name, client.commit({ [name]: name }, from, name));
      return oids.get(name)!;
    };
    const present = [make('a'), make('b', 'a'), make('c', 'a')];
    const arrived = [
      make('d', 'b'),
      make('e', 'd'),
      make('f', 'c'),
      make('g', 'e', 'f'),
      make('h'),
      make('i', 'h', 'b'),
    ];
    const { server, env, history } = pushed(t, client, present, arrived);
    const none = '1'.repeat(40);
    for (const ancestor of [...present, none]) {
      for (const descendant of [...present, ...arrived, none]) {
        const args = ['merge-base', '--is-ancestor', ancestor, descendant];
        const { code } = await runGitClient(server.dir, args, '', env);
        assert.equal(await history.isAncestor(ancestor, descendant), code === 0, `${ancestor} of ${descendant}`);
      }
    }
  });

  test('is read once, however many refs are asked after, and others have their turn', async (t) => {
    const client = gitFixture(t);
    client.git(['config', 'uploadpack.allowAnySHA1InWant', 'true']);
    const lines = Array.from({ length: 3_000 }, (_, n) => {
      const start = `commit refs/heads/main\nmark :${n + 1}\n`;
      return `${start}committer A <a@example.com> ${1_700_000_000 + n} +0000\ndata 1\n${n % 10}\n`;
    });
    client.git(['fast-import', '--quiet'], lines.join(''));
    const chain = client.git(['rev-list', '--reverse', 'main']).split('\n');
    const [first, ...rest] = chain as [string, ...string[]];
    const { history } = pushed(t, client, [first], [chain.at(-1)!]);
    const reads = t.mock.method(ObjectStore.prototype, 'read');
    const turns = await turnsDuring(async () => {
      for (const oid of rest) assert.equal(await history.isAncestor(first, oid), true);
    });
    assert.ok(reads.mock.callCount() < 2 * chain.length, `${reads.mock.callCount()} reads`);
    assert.ok(turns > 5, `${turns} turns`);
  });
});
