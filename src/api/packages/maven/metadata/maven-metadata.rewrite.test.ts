import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../../test/support/app.ts';
import { beforeTransaction } from '../../../../../test/support/meanwhile.ts';
import type { Project } from '../../../../db/tables/projects.table.ts';
import { destroyPackages } from '../../../../packages/package-registry.destroy.ts';
import { rewriteMetadata } from './maven-metadata.rewrite.ts';

let app: TestApp;
let project: Project;
before(async () => {
  app = await buildTestApp();
  project = await app.make.project();
});
after(() => app.close());

const at = (path: string) => `/projects/${project.id}/packages/maven/${path}`;
const put = async (path: string, body: string) =>
  expectStatus(await app.put(at(path), { body, headers: { 'content-type': 'application/octet-stream' } }), 200);
const metadata = (...versions: string[]) =>
  `<metadata><versioning><latest>${versions.at(-1)}</latest><versions>${versions.map((v) => `<version>${v}</version>`).join('')}</versions></versioning></metadata>`;
const named = (text: string) => [...text.matchAll(/<version>(.*?)<\/version>/g)].map(([, version]) => version);

async function publish(artifact: string, ...versions: string[]): Promise<void> {
  for (const version of versions) await put(`com/ex/${artifact}/${version}/${artifact}-${version}.jar`, version);
  await put(`com/ex/${artifact}/maven-metadata.xml`, metadata(...versions));
}

async function destroy(artifact: string, version: string | null): Promise<void> {
  const { db } = app.deps;
  const root = await db.selectFrom('users').selectAll().where('id', '=', 1).executeTakeFirstOrThrow();
  const caller = { user: root, admin: true, scopes: null, credential: { kind: 'password' }, sudoBy: null } as const;
  const { id } = await db
    .selectFrom('packages')
    .select('id')
    .where('name', '=', `com/ex/${artifact}`)
    .where('version_key', '=', version ?? '')
    .where('status', '=', 'default')
    .executeTakeFirstOrThrow();
  await destroyPackages(app.deps, { caller, projectId: project.id }, [id]);
}

describe('the metadata of an artifact', () => {
  test('follow its versions', async () => {
    await publish('app', '1.0', '2.0');
    await destroy('app', '2.0');
    await app.drain();
    const got = await app.get(at('com/ex/app/maven-metadata.xml'));
    assert.deepEqual(named(got.body), ['1.0']);
    assert.match(got.body, /<latest>1\.0<\/latest>/);
    for (const kind of ['md5', 'sha1', 'sha256', 'sha512']) {
      const checksum = await app.get(at(`com/ex/app/maven-metadata.xml.${kind}`));
      assert.equal(checksum.body, createHash(kind).update(got.body).digest('hex'));
    }
    await destroy('app', '1.0');
    await app.drain();
    expectStatus(await app.get(at('com/ex/app/maven-metadata.xml')), 404);
  });

  test('go with the plugin from those of its group', async () => {
    const plugin = (id: string) => `<plugin><prefix>${id}</prefix><artifactId>${id}</artifactId></plugin>`;
    await publish('one-plugin', '1.0', '2.0');
    await put(
      'com/ex/maven-metadata.xml',
      `<metadata><plugins>${plugin('one-plugin')}${plugin('two')}</plugins></metadata>`,
    );
    await destroy('one-plugin', '1.0');
    await app.drain();
    assert.match((await app.get(at('com/ex/maven-metadata.xml'))).body, /one-plugin/);
    await destroy('one-plugin', '2.0');
    await app.drain();
    const { body } = await app.get(at('com/ex/maven-metadata.xml'));
    assert.match(body, /<artifactId>two</);
    assert.doesNotMatch(body, /one-plugin/);
  });

  test('stay as they are where they cannot be read, or are gone themselves', async () => {
    await publish('odd', '1.0', '2.0');
    await put('com/ex/odd/maven-metadata.xml', '<metadata>');
    await destroy('odd', '1.0');
    await app.drain();
    assert.equal((await app.get(at('com/ex/odd/maven-metadata.xml'))).body, '<metadata>');
    await destroy('odd', null);
    await destroy('odd', '2.0');
    await app.drain();
  });

  test('take no notice of what has changed but once', async () => {
    await publish('twice', '1.0', '2.0');
    await destroy('twice', '1.0');
    await app.drain();
    const files = () =>
      app.deps.db
        .selectFrom('package_files')
        .innerJoin('packages', 'packages.id', 'package_files.package_id')
        .select('package_files.id')
        .where('packages.name', '=', 'com/ex/twice')
        .execute();
    const before = (await files()).length;
    await rewriteMetadata(app.deps, project.id, 'com/ex/twice');
    assert.equal((await files()).length, before);
  });

  test('that a tool uploads meanwhile are what is looked at', async () => {
    await publish('race', '1.0', '2.0');
    await destroy('race', '1.0');
    await app.deps.db.deleteFrom('jobs').execute();
    beforeTransaction(app, () => put('com/ex/race/maven-metadata.xml', metadata('1.0', '2.0', '3.0')));
    await put('com/ex/race/3.0/race-3.0.jar', '3.0');
    beforeTransaction(app, () => put('com/ex/race/maven-metadata.xml', metadata('1.0', '2.0', '3.0')));
    await rewriteMetadata(app.deps, project.id, 'com/ex/race');
    assert.deepEqual(named((await app.get(at('com/ex/race/maven-metadata.xml'))).body), ['2.0', '3.0']);
  });

  test('keep versions that a tool publishes meanwhile', async () => {
    await publish('late', '1.0', '2.0');
    await destroy('late', '1.0');
    await app.deps.db.deleteFrom('jobs').execute();
    beforeTransaction(app, () => publish('late', '1.0', '2.0', '3.0').then(() => destroy('late', '1.0')));
    await rewriteMetadata(app.deps, project.id, 'com/ex/late');
    assert.deepEqual(named((await app.get(at('com/ex/late/maven-metadata.xml'))).body), ['2.0', '3.0']);
  });

  test('keep a plugin that is published again meanwhile', async () => {
    const group = '<metadata><plugins><plugin><artifactId>again</artifactId></plugin></plugins></metadata>';
    await publish('again', '1.0');
    await destroy('again', '1.0');
    await destroy('again', null);
    await put('com/ex/maven-metadata.xml', group);
    await app.deps.db.deleteFrom('jobs').execute();
    beforeTransaction(app, async () => {
      await publish('again', '2.0');
      await put('com/ex/maven-metadata.xml', group);
    });
    await rewriteMetadata(app.deps, project.id, 'com/ex/again');
    assert.equal((await app.get(at('com/ex/maven-metadata.xml'))).body, group);
  });
});
