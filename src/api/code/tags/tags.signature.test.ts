import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { buildTestApp, expectStatus, type TestApp } from '../../../../test/support/app.ts';
import { outputOf } from '../../../../test/support/fork-server.ts';
import { temporaryFolder } from '../../../../test/support/git-fixture.ts';
import { seededProject } from '../../../../test/support/seeded-project.ts';
import type { TagJson } from './tags.inputs.ts';

let app: TestApp;
before(async () => {
  app = await buildTestApp();
});
after(() => app.close());

const message = (body: unknown) => (body as { message: string }).message;

test('GET /tags/:tag_name/signature tells of a signature, or that there is none', async (t) => {
  const { path, git, head } = await seededProject(app, t);
  git.git(['tag', 'light', head]);
  const signed = (armour: string) =>
    git.git(
      ['hash-object', '-t', 'tag', '-w', '--stdin'],
      `object ${head}\ntype commit\ntag x\ntagger A <a@example.com> 1700000000 +0000\n\nm\n-----BEGIN ${armour}-----\nabc\n-----END ${armour}-----\n`,
    );
  for (const [name, armour] of [
    ['pgp', 'PGP SIGNATURE'],
    ['ssh', 'SSH SIGNATURE'],
    ['x509', 'SIGNED MESSAGE'],
  ] as const) {
    git.git(['update-ref', `refs/tags/${name}`, signed(armour)]);
    const body = expectStatus(await app.get(`${path}/tags/${name}/signature`), 200);
    assert.equal(String(body.signature_type).toLowerCase(), name);
    assert.equal(expectStatus<TagJson>(await app.get(`${path}/tags/${name}`), 200).message, 'm');
  }
  const none = await app.get(`${path}/tags/light/signature`);
  assert.equal(message(expectStatus(none, 404)), '404 Signature Not Found');
  assert.equal(message(expectStatus(await app.get(`${path}/tags/none/signature`), 404)), '404 Tag Not Found');
});

test('GET /tags/:tag_name/signature checks an SSH signature by the keys that users have registered', async (t) => {
  const { path, git } = await seededProject(app, t);
  const file = join(temporaryFolder(t), 'key');
  outputOf('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', file]);
  const config = ['-c', 'gpg.format=ssh', '-c', `user.signingKey=${file}`];
  git.git([...config, 'tag', '-s', '-m', 'signed\n\nwith a body', 'good', 'main']);
  const text = git.git(['cat-file', 'tag', 'good']);
  const forged = git.git(['hash-object', '-t', 'tag', '-w', '--stdin'], `${text.replace('a body', 'nobody')}\n`);
  git.git(['update-ref', 'refs/tags/forged', forged]);
  const statusOf = async (name: string) =>
    expectStatus(await app.get(`${path}/tags/${name}/signature`), 200).verification_status;
  assert.equal(await statusOf('good'), 'unknown_key');
  const { user } = await app.make.user({ columns: { email: 'bob@example.com' } });
  const json = { title: 'Work', key: readFileSync(`${file}.pub`, 'utf8') };
  expectStatus(await app.post(`/users/${user.id}/keys`, { json }), 201);
  assert.equal(await statusOf('good'), 'verified');
  assert.equal(await statusOf('forged'), 'unverified');
});
