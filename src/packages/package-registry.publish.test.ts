import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, type TestApp, TestClock } from '../../test/support/app.ts';
import { holdJob } from '../../test/support/artifacts.ts';
import { ANONYMOUS, type Caller } from '../access/caller.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { User } from '../db/tables/users.table.ts';
import { destroyPackages } from './package-registry.destroy.ts';
import { addFile, type Publication, publish } from './package-registry.publish.ts';
import { FileTooLarge, type ReceivedFile, receiveFile } from './receive.ts';

let app: TestApp;
let clock: TestClock;
let project: Project;
let staff: Awaited<ReturnType<TestApp['make']['members']>>;
before(async () => {
  // Blobs have the times of the file system.
  clock = new TestClock(new Date());
  app = await buildTestApp({ clock });
  project = await app.make.project();
  staff = await app.make.members(project);
});
after(() => app.close());

const as = (user: User): Caller => ({ ...ANONYMOUS, user, scopes: ['api'] });
const receive = (content: string) => receiveFile(app.deps, 'generic', Readable.from([Buffer.from(content)]));
const publication = (name: string, files: ReceivedFile[], more: Partial<Publication> = {}): Publication => ({
  caller: as(staff.developer.user),
  projectId: project.id,
  type: 'generic',
  name,
  version: '1.0',
  files,
  ...more,
});
const put = async (name: string, content: string, more: Partial<Publication> = {}) => {
  const file = await receive(content);
  return publish(app.deps, publication(name, [file], more), (publishing) => addFile(app.deps, publishing, file, 'f'));
};
const versions = (name: string) =>
  app.deps.db.selectFrom('packages').selectAll().where('name', '=', name).orderBy('id').execute();
const filesOf = (packageId: number) =>
  app.deps.db.selectFrom('package_files').selectAll().where('package_id', '=', packageId).execute();
const sizeOf = async () => {
  await app.drain();
  const { body } = await app.get(`/projects/${project.id}`, { query: { statistics: true } });
  return (JSON.parse(body) as { statistics: Record<string, number> }).statistics;
};

describe('publishing', () => {
  test('makes one version, however many publish it at once', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, (_, n) => put('at-once', `content ${n}`)));
    const [one, ...others] = await versions('at-once');
    assert.deepEqual(others, []);
    assert.equal(new Set(made.map(({ package_id }) => package_id)).size, 1);
    assert.equal((await filesOf(one!.id)).length, 12);
  });

  test('changes the time of a version, however soon it is published again', async () => {
    const times: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      await put('same-instant', `content ${count}`);
      times.push((await versions('same-instant'))[0]!.updated_at);
    }
    assert.deepEqual([...new Set(times)].sort(), times);
    clock.advance(5);
    await put('same-instant', 'later');
    assert.equal((await versions('same-instant'))[0]!.updated_at, clock.now().toISOString());
  });

  test('and deleting at once leave either all or nothing of a version', async () => {
    for (let round = 0; round < 8; round += 1) {
      const name = `fought-over-${round}`;
      const { package_id } = await put(name, 'first');
      const deletion = { caller: as(staff.owner.user), projectId: project.id };
      const [, added] = await Promise.all([destroyPackages(app.deps, deletion, [package_id]), put(name, 'second')]);
      await app.drain();
      const left = await versions(name);
      const stayed = added.package_id !== package_id;
      assert.equal(left.length, stayed ? 1 : 0, 'the file came before the deletion, or into a version of its own');
      for (const { id, status } of left) {
        assert.equal(status, 'default');
        assert.equal((await filesOf(id)).length, 1);
      }
    }
  });

  test('leaves nothing where it fails', async () => {
    const file = await receive('of no use');
    const failing = publish(app.deps, publication('failing', [file]), async (publishing) => {
      await addFile(app.deps, publishing, file, 'f');
      throw new Error('the registry refuses');
    });
    await assert.rejects(failing, /the registry refuses/);
    assert.deepEqual(await versions('failing'), []);
    assert.notEqual(await app.deps.blobs.stat(file.sha256), null);
    clock.advance(7_200_000);
    await app.drain();
    assert.equal(await app.deps.blobs.stat(file.sha256), null);
  });

  test('keeps bytes that another file has, too', async () => {
    const { package_id } = await put('shared', 'the same bytes');
    const file = await receive('the same bytes');
    const stranger = publication('shared', [file], { caller: as(staff.stranger.user) });
    await assert.rejects(
      publish(app.deps, stranger, async () => {}),
      { status: 404 },
    );
    clock.advance(7_200_000);
    await app.drain();
    assert.equal((await filesOf(package_id)).length, 1);
    assert.notEqual(await app.deps.blobs.stat(file.sha256), null);
  });

  test('takes the rights that are left when the bytes have come', async () => {
    const file = await receive('late');
    const { user } = await app.make.user();
    await app.make.member({ project }, user, 30);
    const late = publication('late', [file], { caller: as(user) });
    await app.deps.db.deleteFrom('members').where('user_id', '=', user.id).execute();
    await assert.rejects(
      publish(app.deps, late, async () => {}),
      { status: 404 },
    );
    await app.deps.db.updateTable('projects').set({ archived: 1 }).where('id', '=', project.id).execute();
    await assert.rejects(put('late', 'archived'), { status: 403 });
    await app.deps.db.updateTable('projects').set({ archived: 0 }).where('id', '=', project.id).execute();
    assert.deepEqual(await versions('late'), []);
  });

  test('remembers the pipeline of the job that publishes, once', async () => {
    const { job, pipeline } = await holdJob(app, project, { columns: { user_id: staff.developer.user.id } });
    const credential = { kind: 'job_token', jobId: job.id, projectId: project.id } as const;
    const caller = { ...as(staff.developer.user), credential };
    const { package_id } = await put('built', 'a', { caller });
    await put('built', 'b', { caller });
    const rows = await app.deps.db
      .selectFrom('package_pipelines')
      .selectAll()
      .where('package_id', '=', package_id)
      .execute();
    assert.equal(rows.length, 3, 'the version, and two files');
    assert.ok(rows.every(({ pipeline_id }) => pipeline_id === pipeline.id));
  });

  test('by deploy tokens names no creator', async () => {
    const row = await app.deps.db
      .insertInto('deploy_tokens')
      .values({
        name: 'd',
        username: 'd',
        digest: 'd',
        scopes: '["write_package_registry"]',
        expires_at: null,
        created_at: '',
        creator_id: null,
        source_type: 'project',
        source_id: project.id,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const caller: Caller = {
      ...ANONYMOUS,
      scopes: ['write_package_registry'],
      credential: { kind: 'deploy_token', token: row },
    };
    await put('deployed', 'x', { caller });
    const [one] = await versions('deployed');
    assert.equal(one!.creator_id, null);
    await app.deps.db.updateTable('deploy_tokens').set({ revoked: 1 }).where('id', '=', row.id).execute();
    await assert.rejects(put('deployed', 'y', { caller }), { status: 401 });
  });

  test('is part of the size of the project until it is deleted', async () => {
    const before = await sizeOf();
    const { package_id } = await put('sized', 'x'.repeat(1_000));
    const with1000 = await sizeOf();
    assert.equal(with1000.packages_size, before.packages_size! + 1_000);
    assert.equal(with1000.storage_size, before.storage_size! + 1_000);
    await destroyPackages(app.deps, { caller: as(staff.owner.user), projectId: project.id }, [package_id]);
    assert.equal((await sizeOf()).packages_size, before.packages_size);
  });
});

describe('a file that comes', () => {
  test('is refused when it is too large, and not kept', async () => {
    const bytes = () => Readable.from([Buffer.alloc(600), Buffer.alloc(600)]);
    await assert.rejects(receiveFile(app.deps, 'helm', bytes(), 1_000), FileTooLarge);
    const { size, sha512 } = await receiveFile(app.deps, 'helm', bytes(), 1_200);
    assert.equal(size, 1_200);
    assert.match(sha512, /^[0-9a-f]{128}$/);
  });
});
