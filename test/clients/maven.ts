/**
 * Publishes and resolves packages with the unmodified mvn. Its local repository is the argument: what it takes of plugins from
 * elsewhere stays there, what is published here is removed from it.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TestRunner } from './runner.ts';
import { api, folder, must, run, runTests, token, url } from './support.ts';

const [local = ''] = process.argv.slice(2);
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';

interface Repository {
  url: string;
  /** What stands in the `server` of the settings. */
  server: string;
}

const byHeader = (name: string, secret: string) =>
  `<configuration><httpHeaders><property><name>${name}</name><value>${secret}</value></property></httpHeaders></configuration>`;
const byPassword = (name: string, secret: string) => `<username>${name}</username><password>${secret}</password>`;
const asRoot = byHeader('Private-Token', token);

const ofProject = (id: number, server = asRoot): Repository => ({
  url: `${url}/api/v4/projects/${id}/packages/maven`,
  server,
});

interface Artifact {
  group: string;
  name: string;
  version: string;
}

let made = 0;

function write(path: string, text: string): void {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, text);
}

const model = ({ group, name, version }: Artifact, rest: string) =>
  `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
  <groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version>
  <properties><project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>${rest}</project>\n`;

/** Runs mvn in a folder of a project. */
function mvn(dir: string, { server }: Repository, goal: string): ReturnType<typeof run> {
  const settings = join(dir, 'settings.xml');
  write(settings, `<settings><servers><server><id>stithy</id>${server}</server></servers></settings>\n`);
  const args = ['-B', '-q', '-s', settings, `-Dmaven.repo.local=${local}`, '-Dmaven.test.skip=true', goal];
  return run(dir, 'mvn', args, { MAVEN_OPTS: '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC' });
}

/** A jar with a text in it, published by `mvn deploy`. */
async function deploy(artifact: Artifact, to: Repository, text: string): Promise<{ ok: boolean; text: string }> {
  made += 1;
  const dir = join(folder, `published-${made}`);
  const repository = `<id>stithy</id><url>${to.url}</url>`;
  const management = `<distributionManagement><repository>${repository}</repository><snapshotRepository>${repository}</snapshotRepository></distributionManagement>`;
  write(join(dir, 'pom.xml'), model(artifact, management));
  write(join(dir, 'src/main/resources/greeting.txt'), text);
  const ran = await mvn(dir, to, 'deploy');
  forget(artifact);
  return ran;
}

/** Has mvn get everything of the artifact from the server again. */
const forget = ({ group, name }: Artifact) =>
  rmSync(join(local, ...group.split('.'), name), { recursive: true, force: true });

/** Resolves artifacts as dependencies. @returns the texts in their jars; what mvn says where it cannot */
async function resolve(artifacts: readonly Artifact[], from: Repository): Promise<string[]> {
  made += 1;
  const dir = join(folder, `resolved-${made}`);
  const policy = '<enabled>true</enabled><updatePolicy>always</updatePolicy><checksumPolicy>fail</checksumPolicy>';
  const dependencies = artifacts.map(
    ({ group, name, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`,
  );
  const rest = `<repositories><repository><id>stithy</id><url>${from.url}</url><releases>${policy}</releases><snapshots>${policy}</snapshots></repository></repositories>
  <dependencies>${dependencies.join('')}</dependencies>`;
  write(join(dir, 'pom.xml'), model({ group: 'org.stithy.clients', name: 'user', version: '1' }, rest));
  for (const each of artifacts) forget(each);
  const { ok, text } = await mvn(dir, from, COPY);
  if (!ok) return [text];
  const jars = join(dir, 'target/dependency');
  const texts: string[] = [];
  for (const jar of readdirSync(jars).sort()) texts.push(await must(jars, 'unzip', ['-p', jar, 'greeting.txt']));
  return texts;
}

const artifact = (name: string, version = '1.0'): Artifact => ({ group: 'org.stithy.clients', name, version });
const newProject = (path: string, namespace_id?: number) =>
  api<{ id: number; path_with_namespace: string }>('POST', '/projects', { path, namespace_id });
const newGroup = (path: string) => api<{ id: number }>('POST', '/groups', { path, name: path });

/** A file of the repository as it is. */
const read = async ({ url: at }: Repository, path: string): Promise<string> =>
  (await fetch(`${at}/${path}`, { headers: { 'private-token': token } })).text();

interface Published {
  id: number;
  version: string | null;
}

const published = (projectId: number) => api<Published[]>('GET', `/projects/${projectId}/packages?package_type=maven`);

/** Deletes a version of the package of a project, and waits until its metadata do not name it any more. */
async function remove(projectId: number, version: string): Promise<void> {
  const row = (await published(projectId)).find((each) => each.version === version);
  const path = `${url}/api/v4/projects/${projectId}/packages/${row?.id}`;
  const deleted = await fetch(path, { method: 'DELETE', headers: { 'private-token': token } });
  assert.equal(deleted.status, 204, await deleted.text());
  const metadata = () => read(ofProject(projectId), 'org/stithy/clients/released/maven-metadata.xml');
  await until(async () => !(await metadata()).includes(`<version>${version}</version>`));
}

/** Waits for what happens after an answer. */
async function until(come: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 600_000;
  while (!(await come())) {
    assert.ok(Date.now() < deadline, 'it has not come');
    await wait(50);
  }
}

await runTests('maven', {
  'publishes a release and resolves it from its project': async () => {
    const { id } = await newProject('released');
    for (const version of ['1.0', '1.1']) {
      const { ok, text } = await deploy(artifact('released', version), ofProject(id), `version ${version}`);
      assert.ok(ok, text);
    }
    assert.deepEqual(await resolve([artifact('released', '[1.0,2.0)')], ofProject(id)), ['version 1.1']);
    const metadata = await read(ofProject(id), 'org/stithy/clients/released/maven-metadata.xml');
    assert.match(metadata, /<release>1\.1<\/release>/);
    await remove(id, '1.1');
    assert.deepEqual(await resolve([artifact('released', '[1.0,2.0)')], ofProject(id)), ['version 1.0']);
  },
  'publishes snapshots, of which the last is resolved': async () => {
    const { id } = await newProject('snapshots');
    const snapshot = artifact('snapshots', '2.0-SNAPSHOT');
    for (const text of ['first', 'second']) {
      const ran = await deploy(snapshot, ofProject(id), text);
      assert.ok(ran.ok, ran.text);
      assert.deepEqual(await resolve([snapshot], ofProject(id)), [text]);
    }
    const metadata = await read(ofProject(id), 'org/stithy/clients/snapshots/2.0-SNAPSHOT/maven-metadata.xml');
    assert.match(metadata, /<buildNumber>2<\/buildNumber>/);
  },
  'resolves from a group, of whichever project it is': async () => {
    const group = await newGroup('maven-group');
    for (const name of ['one', 'two']) {
      const { id } = await newProject(name, group.id);
      const { ok, text } = await deploy(artifact(name), ofProject(id, byPassword('Private-Token', token)), name);
      assert.ok(ok, text);
    }
    const deployToken = await api<{ username: string; token: string }>('POST', `/groups/${group.id}/deploy_tokens`, {
      name: 'reading',
      scopes: ['read_package_registry'],
    });
    for (const server of [
      byHeader('Deploy-Token', deployToken.token),
      byPassword(deployToken.username, deployToken.token),
    ]) {
      const from = { url: `${url}/api/v4/groups/${group.id}/-/packages/maven`, server };
      assert.deepEqual(await resolve([artifact('one'), artifact('two')], from), ['one', 'two']);
    }
  },
  'resolves from the instance what is called as its project': async () => {
    const { id, path_with_namespace } = await newProject('instance');
    const [group = '', name = ''] = path_with_namespace.split('/');
    const called = { group, name, version: '1.0' };
    const { ok, text } = await deploy(called, ofProject(id), 'of the instance');
    assert.ok(ok, text);
    const from = { url: `${url}/api/v4/packages/maven`, server: byPassword('anybody', token) };
    assert.deepEqual(await resolve([called], from), ['of the instance']);
  },
  'publishes with the token of a job, and its pipeline is known': async () => {
    const { id } = await newProject('built');
    await api('POST', `/projects/${id}/repository/commits`, {
      branch: 'main',
      commit_message: 'Build',
      actions: [{ action: 'create', file_path: '.gitlab-ci.yml', content: 'publish:\n  script: mvn deploy\n' }],
    });
    const runner = await TestRunner.of(id);
    await until(async () => (await api<unknown[]>('GET', `/projects/${id}/jobs?scope=pending`)).length > 0);
    const job = await runner.take();
    for (const [version, server] of [
      ['1.0', byHeader('Job-Token', job.token)],
      ['1.1', byPassword('gitlab-ci-token', job.token)],
    ] as const) {
      const { ok, text } = await deploy(artifact('built', version), ofProject(id, server), version);
      assert.ok(ok, text);
    }
    assert.deepEqual(await resolve([artifact('built')], ofProject(id, byHeader('Job-Token', job.token))), ['1.0']);
    await runner.finish(job, 'success', 'published\n');
    const row = (await published(id)).find(({ version }) => version === '1.1');
    const pipelines = await api<unknown[]>('GET', `/projects/${id}/packages/${row?.id}/pipelines`);
    assert.equal(pipelines.length, 1);
  },
  'is told why it may not': async () => {
    const { id } = await newProject('closed');
    for (const server of ['', byPassword('x', 'glpat-none')]) {
      const { ok, text } = await deploy(artifact('closed'), ofProject(id, server), 'x');
      assert.ok(!ok);
      assert.match(text, /401|Unauthorized|authentication failed/i);
    }
    assert.match((await resolve([artifact('closed')], ofProject(id))).join(), /Could not find artifact/);
    assert.ok(!existsSync(join(local, 'org/stithy/clients/closed/1.0/closed-1.0.jar')));
  },
});
