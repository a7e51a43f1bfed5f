import assert from 'node:assert/strict';
import { chmodSync, chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient, type Call } from '../../support/api-client.ts';
import { cloneUrl, mustGit, runGitClient } from '../../support/git-client.ts';
import type { Experiment, Lab } from '../experiment.ts';
import { ROOT_TOKEN } from '../lab.ts';
import { commitFile, type MadeProject, must, projectWithWork, recordsOf, repositoryDir } from '../projects.ts';
import { stithy } from '../stithy.ts';
import { readiness, until } from '../until.ts';

/** A user that may do nothing in particular; root may do everything. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const AS_NOBODY = isRoot ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--'] : [];

/** Sets the modes of a folder and all folders in it. */
function chmodFolders(dir: string, mode: number): void {
  chmodSync(dir, 0o700);
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isDirectory()) chmodFolders(join(dir, entry.name), mode);
  }
  chmodSync(dir, mode);
}

const commitBody = (name: string) => ({
  branch: 'main',
  commit_message: name,
  actions: [{ action: 'create', file_path: name, content: name }],
});

/** Sends requests of which each must succeed or say that files cannot be used. @returns how many said so */
async function askAll(call: Call, { at, fullPath }: MadeProject, name: string): Promise<number> {
  const message = `The server cannot read or write files of ${fullPath}: an administrator can run stithy doctor.`;
  let count = 0;
  for (const [method, path, body] of [
    ['GET', '/repository/branches'],
    ['GET', '/repository/commits'],
    ['GET', '/repository/tree?ref=topic'],
    ['GET', '/repository/files/b.txt?ref=topic'],
    ['GET', '/merge_requests'],
    ['GET', '/issues'],
    ['POST', '/repository/commits', commitBody(name)],
    ['POST', '/repository/branches', { branch: name, ref: 'main' }],
    ['POST', '/repository/tags', { tag_name: `t-${name}`, ref: 'main', message: 'annotated' }],
  ] as const) {
    const { status, text } = await call(method, `${at}${path}`, body);
    if (status < 300) continue;
    assert.deepEqual([status, JSON.parse(text).message], [500, message], `${name}: ${method} ${path}`);
    count += 1;
  }
  return count;
}

async function push(lab: Lab, url: string, { fullPath }: MadeProject, name: string): Promise<number> {
  const clone = join(lab.folder, `clone-${name}`);
  const cloned = await runGitClient(lab.folder, ['clone', '--quiet', cloneUrl(url, fullPath, ROOT_TOKEN), clone]);
  if (cloned.code !== 0) return cloned.code;
  await mustGit(clone, ['commit', '--quiet', '--allow-empty', '-m', name]);
  return (await runGitClient(clone, ['push', '--quiet', 'origin', `HEAD:refs/heads/pushed-${name}`])).code;
}

async function withoutRights(lab: Lab, dataDir: string, database: Record<string, string>): Promise<void> {
  const server = await lab.start(dataDir, database, AS_NOBODY);
  const call = apiClient(server.url, ROOT_TOKEN);
  const [project, other] = [await projectWithWork(call, 'p'), await projectWithWork(call, 'other')];
  const dir = await repositoryDir(recordsOf(dataDir, database), dataDir, project);
  const doctor = () => stithy(['doctor'], { STITHY_DATA_DIR: dataDir, ...database }, AS_NOBODY);
  for (const [name, mode] of [
    ['unwritable', 0o500],
    ['unreadable', 0o000],
  ] as const) {
    chmodFolders(dir, mode);
    const count = await askAll(call, project, name);
    assert.ok(count > 0, `nothing told of an ${name} repository`);
    assert.notEqual(await push(lab, server.url, project, name), 0);
    if (name === 'unreadable') {
      const { stderr } = await runGitClient(lab.folder, [
        'ls-remote',
        cloneUrl(server.url, project.fullPath, ROOT_TOKEN),
      ]);
      assert.ok(stderr.includes(`The server cannot read or write files of ${project.fullPath}`), stderr);
    }
    await commitFile(call, other.at, 'main', name);
    for (const path of ['/projects', '/merge_requests?scope=all', '/events']) await must(call, 'GET', path);
    const { code, stdout } = await doctor();
    assert.equal(code, 1, stdout);
    assert.ok(stdout.includes(project.fullPath) && !stdout.includes(other.fullPath), stdout);
    chmodFolders(dir, 0o700);
    assert.equal(await askAll(call, project, `after-${name}`), 0);
    assert.equal(await push(lab, server.url, project, `after-${name}`), 0);
    lab.say(`an ${name} repository: ${count} answers name the project, so does the doctor, and all is well afterwards`);
  }
  const storage = join(dataDir, 'repositories');
  for (const folder of [storage, dataDir]) {
    chmodFolders(folder, 0o500);
    await until('readiness tells it', async () => (await readiness(server.url)) === 503);
    const made = await call('POST', '/projects', { path: 'fresh', initialize_with_readme: true });
    assert.equal(made.status, 500);
    assert.match(JSON.parse(made.text).message, /^The server cannot read or write its files: an administrator can run/);
    await must(call, 'GET', `${project.at}/repository/branches`);
    chmodFolders(folder, 0o700);
    await until('readiness is true again', async () => (await readiness(server.url)) === 200);
  }
  await must(call, 'POST', '/projects', { path: 'fresh', initialize_with_readme: true });
  lab.say(
    'an unwritable storage, then an unwritable data folder: readiness 503, reads go on, and all is well afterwards',
  );
  assert.equal(await server.stop(), 0);
  const { code, stdout } = await doctor();
  assert.equal(code, 0, stdout);
  for (const mode of [0o500, 0o000]) {
    chmodSync(dataDir, mode);
    const { code, stderr } = await stithy(['serve'], { STITHY_DATA_DIR: dataDir, ...database }, AS_NOBODY);
    chmodSync(dataDir, 0o700);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^stithy: [^\n]+\n$/);
    lab.say(`a start on a data folder of mode ${mode.toString(8)}: ${stderr.trim()}`);
  }
}

/** A server whose user may not use some of its files says which, and goes on with the others. */
export default {
  title: 'repositories, storage and data folder that the user of the server may not write, or not even read',
  run: async (lab) => {
    const probe = await stithy(['--version'], {}, AS_NOBODY);
    if (probe.code !== 0) {
      lab.say(`left out: no other user can run the program here (${probe.stderr.trim()})`);
      return;
    }
    const dataDir = join(lab.folder, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    if (isRoot) {
      chmodSync(lab.folder, 0o755);
      chownSync(dataDir, NOBODY, NOBODY);
    }
    try {
      await withoutRights(lab, dataDir, await lab.newDatabase());
    } finally {
      chmodFolders(dataDir, 0o700);
    }
  },
} satisfies Experiment;
