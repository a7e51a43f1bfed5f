/**
 * Lets clients in other languages, unmodified and from their own registries, work with the server on both databases:
 * `npm run test:clients`, or `node test/clients/run.ts [--sqlite | --postgres] [client ...]` with beginnings of their names.
 * With `--report` docs/compatibility.md is written; `--published FILE --of VERSION` compares with an OpenAPI document of the
 * platform in it, and without `--report` writes that part alone.
 * A client whose tools are not on this machine is skipped. Folders are named after the versions, so that a second run is quick.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { emptyDatabase } from '../support/databases.ts';
import { startPostgres } from '../support/runner/postgres.ts';
import { startServer } from '../support/server-process.ts';
import { unpackDebian } from './debian.ts';
import { writePublished } from './published.ts';
import { recipes } from './recipes.ts';
import { PAGE, Report } from './report.ts';
import { type Client, cache, installNode, installPython, Missing, onPath, tool } from './tools.ts';

const TOKEN = 'glpat-clients-test-token-0000';
const PYTHON_GITLAB = '8.6.0';
const GITLABFORM = '3.16.5';
const CONAN = '2.34.0';
const CONAN_1 = '1.66.0';
const GO_CLIENT = 'v1.46.0';
const GIT_LFS = 'v3.7.1';
const HELM = 'v3.22.0';
const TWINE = '7.0.0';
const UV = '0.13.9';
/** Of the release of Debian whose package it is. */
const GLAB = '1.53';
const GLAB_RELEASE = 'trixie';
/** Of the commit that the registry of modules keeps; its releases have no versions there. */
const GITLAB_RUNNER = 'v1.11.1-0.20260903214710-fc1f1862bd91';
const SEMANTIC_RELEASE = '25.0.9';
const SEMANTIC_RELEASE_GITLAB = '13.3.3';
const RENOVATE = '44.121.2';
/** Of node, where Renovate runs on no other. */
const RENOVATE_NODE = '24';
const RELEASE_IT = '20.2.1';
const DANGER = '14.0.7';
const YARN = '1.22.22';
const PNPM = '10.20.0';
const UNLEASH = '6.12.1';
const UNLEASH_SPECIFICATION = '6.1.0';
/** A client that hangs is ended; a machine that is busy with others needs long. */
const RUN_MS = 1_800_000;

const here = import.meta.dirname;

const python: Client = {
  name: `python-gitlab ${PYTHON_GITLAB}`,
  settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' },
  prepare: async () => [
    join(await installPython('python-gitlab', PYTHON_GITLAB), 'python'),
    join(here, 'python_gitlab.py'),
  ],
};

const pythonDelayed: Client = {
  name: `python-gitlab ${PYTHON_GITLAB} where deletion waits`,
  settings: { STITHY_DELETION_DELAY_DAYS: '7' },
  prepare: async () => [...(await python.prepare()), 'delayed_'],
};

const form: Client = {
  name: `gitlabform ${GITLABFORM}`,
  prepare: async () => {
    const bin = await installPython('gitlabform', GITLABFORM);
    return [process.execPath, join(here, 'gitlabform.ts'), join(bin, 'gitlabform')];
  },
};

/** Builds a Go program of this folder, of which client-go is a module. @returns the program */
async function buildGo(file: string): Promise<string> {
  const folder = join(cache, `client-go-${GO_CLIENT}-${file}`);
  await mkdir(folder, { recursive: true });
  await copyFile(join(here, file), join(folder, 'main.go'));
  if (!existsSync(join(folder, 'go.sum'))) {
    await writeFile(join(folder, 'go.mod'), 'module clients\n\ngo 1.24\n');
    tool('go', ['get', `gitlab.com/gitlab-org/api/client-go@${GO_CLIENT}`], folder);
  }
  tool('go', ['build', '-o', 'client', '.'], folder);
  return join(folder, 'client');
}

const go: Client = {
  name: `client-go ${GO_CLIENT}`,
  prepare: async () => [await buildGo('go_client.go')],
};

const DIALECTS =
  'it cannot decode what [the specification types otherwise](operating.md#dialects); with `STITHY_DIALECT=gitlab` it can';

/** Has client-go decode all answers of a server that speaks a dialect. */
const goDecode = (dialect: string): Client => ({
  name: `client-go ${GO_CLIENT} decoding dialect ${dialect}`,
  ...(dialect === 'specification' ? { differs: DIALECTS } : {}),
  settings: { STITHY_DIALECT: dialect, STITHY_ALLOW_LOCAL_NETWORK: 'true' },
  prepare: async () => [process.execPath, join(here, 'go_decode.ts'), await buildGo('go_decode.go')],
});

const conan: Client = {
  name: `conan ${CONAN}`,
  prepare: async () => [process.execPath, join(here, 'conan.ts'), join(await installPython('conan', CONAN), 'conan')],
};

const conan1: Client = {
  name: `conan ${CONAN_1}`,
  prepare: async () => [
    process.execPath,
    join(here, 'conan_1.ts'),
    join(await installPython('conan', CONAN_1), 'conan'),
  ],
};

const goProxy: Client = {
  name: 'go proxy',
  prepare: async () => {
    tool('go', ['version']);
    tool('openssl', ['version']);
    return [process.execPath, join(here, 'go_proxy.ts')];
  },
};

const lfs: Client = {
  name: `git-lfs ${GIT_LFS}`,
  settings: { STITHY_SSH_PORT: '0' },
  prepare: async () => {
    const folder = join(cache, `git-lfs-${GIT_LFS}`);
    await mkdir(folder, { recursive: true });
    if (!existsSync(join(folder, 'git-lfs'))) {
      tool('go', ['install', `github.com/git-lfs/git-lfs/v3@${GIT_LFS}`], folder, { GOBIN: folder });
    }
    return [process.execPath, join(here, 'git_lfs.ts'), join(folder, 'git-lfs')];
  },
};

const release: Client = {
  name: `semantic-release ${SEMANTIC_RELEASE} with @semantic-release/gitlab ${SEMANTIC_RELEASE_GITLAB}`,
  prepare: async () => {
    const packages = [`semantic-release@${SEMANTIC_RELEASE}`, `@semantic-release/gitlab@${SEMANTIC_RELEASE_GITLAB}`];
    const folder = await installNode(`semantic-release-${SEMANTIC_RELEASE}-${SEMANTIC_RELEASE_GITLAB}`, packages);
    return [process.execPath, join(here, 'semantic_release.ts'), folder];
  },
};

/** A program of the registry of npm, with which a program of this folder works. */
const fromNpm = (name: string, version: string, file: string): Client => ({
  name: `${name} ${version}`,
  settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' },
  prepare: async () => [
    process.execPath,
    join(here, file),
    await installNode(`${name}-${version}`, [`${name}@${version}`]),
  ],
});
const renovate: Client = {
  name: `renovate ${RENOVATE}`,
  settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' },
  prepare: async () => {
    const node = `node-${process.platform}-${process.arch}`;
    const folder = await installNode(`renovate-${RENOVATE}`, [`renovate@${RENOVATE}`, `${node}@${RENOVATE_NODE}`]);
    return [process.execPath, join(here, 'renovate.ts'), folder, join(folder, 'node_modules', node, 'bin/node')];
  },
};
const releaseIt = fromNpm('release-it', RELEASE_IT, 'release_it.ts');
const danger = fromNpm('danger', DANGER, 'danger.ts');

const npm: Client = {
  name: 'npm',
  prepare: async () => {
    tool('npm', ['--version']);
    return [process.execPath, join(here, 'npm.ts')];
  },
};

/** A program of its registry that speaks to registries as npm does. */
const npmLike = (name: string, version: string, program: string): Client => ({
  name: `${name} ${version}`,
  prepare: async () => {
    const folder = await installNode(`${name}-${version}`, [`${name}@${version}`]);
    return [process.execPath, join(here, 'npm_like.ts'), name, join(folder, 'node_modules', name, program)];
  },
});
const yarn = npmLike('yarn', YARN, 'bin/yarn.js');
const pnpm = npmLike('pnpm', PNPM, 'bin/pnpm.cjs');

const unleash: Client = {
  name: `unleash-client ${UNLEASH}`,
  prepare: async () => {
    const packages = [`unleash-client@${UNLEASH}`, `@unleash/client-specification@${UNLEASH_SPECIFICATION}`];
    const folder = await installNode(`unleash-client-${UNLEASH}`, packages);
    return [process.execPath, join(here, 'unleash.ts'), folder];
  },
};

/** Works with glab by one of the programs of this folder. */
const withGlab = (name: string, file: string): Client => ({
  name,
  prepare: async () => {
    const folder = join(cache, `glab-${GLAB}`);
    const program = join(folder, 'usr/bin/glab');
    await mkdir(folder, { recursive: true });
    if (!existsSync(program)) await unpackDebian('glab', GLAB_RELEASE, folder);
    return [process.execPath, join(here, file), program];
  },
});

const glab = withGlab(`glab ${GLAB}`, 'glab.ts');
const glabRelease = withGlab(`glab ${GLAB} releases`, 'glab_release.ts');

/** Builds the runner out of its module. Its own nested module is not part of that, and is had by its name. */
async function buildRunner(): Promise<string> {
  const folder = join(cache, `gitlab-runner-${GITLAB_RUNNER}`);
  const built = join(folder, 'gitlab-runner');
  if (existsSync(built)) return built;
  const module = `gitlab.com/gitlab-org/gitlab-runner@${GITLAB_RUNNER}`;
  await mkdir(folder, { recursive: true });
  tool('go', ['mod', 'download', module], folder);
  const { stdout } = spawnSync('go', ['mod', 'download', '-json', module], { cwd: folder, encoding: 'utf8' });
  const source = join(folder, 'source');
  await rm(source, { recursive: true, force: true });
  await cp((JSON.parse(stdout) as { Dir: string }).Dir, source, { recursive: true });
  tool('chmod', ['-R', 'u+w', source]);
  tool('go', ['mod', 'edit', '-dropreplace', 'gitlab.com/gitlab-org/gitlab-runner/helpers/runner_wrapper/api'], source);
  tool('go', ['build', '-mod=mod', '-o', built, '.'], source);
  return built;
}

const runner: Client = {
  name: 'gitlab-runner',
  prepare: async () => [
    process.execPath,
    join(here, 'gitlab_runner.ts'),
    onPath('gitlab-runner') ?? (await buildRunner()),
  ],
};

const pypi: Client = {
  name: `twine ${TWINE}, pip and uv ${UV}`,
  prepare: async () => {
    const bin = await installPython('twine', TWINE, [`uv==${UV}`, 'setuptools', 'wheel']);
    return [process.execPath, join(here, 'pypi.ts'), bin];
  },
};

const maven: Client = {
  name: 'maven',
  prepare: async () => {
    if (onPath('mvn') === undefined) throw new Missing('mvn is not on this machine');
    const local = join(cache, 'maven');
    await mkdir(local, { recursive: true });
    return [process.execPath, join(here, 'maven.ts'), local];
  },
};

const terraform: Client = {
  name: 'terraform',
  prepare: async () => {
    if (onPath('terraform') === undefined) throw new Missing('terraform is not on this machine');
    return [process.execPath, join(here, 'terraform.ts')];
  },
};

const helm: Client = {
  name: `helm ${HELM}`,
  prepare: async () => {
    const folder = join(cache, `helm-${HELM}`);
    const program = join(folder, 'helm');
    await mkdir(folder, { recursive: true });
    if (!existsSync(program)) tool('go', ['install', `helm.sh/helm/v3/cmd/helm@${HELM}`], folder, { GOBIN: folder });
    return [process.execPath, join(here, 'helm.ts'), program];
  },
};

const nuget: Client = {
  name: 'nuget',
  prepare: async () => {
    const program = onPath('nuget');
    if (program === undefined) throw new Missing('nuget is not on this machine (apt-get install nuget)');
    if (onPath('script') === undefined) throw new Missing('script is not on this machine');
    return [process.execPath, join(here, 'nuget.ts'), program];
  },
};

const ssh: Client = {
  name: 'ssh',
  settings: { STITHY_ALLOW_LOCAL_NETWORK: 'true' },
  prepare: async () => {
    const program = [onPath('sshd') ?? '', '/usr/sbin/sshd'].find((file) => existsSync(file));
    if (program === undefined || onPath('ssh') === undefined) throw new Missing('OpenSSH is not on this machine');
    if (process.getuid?.() === 0 && !existsSync('/run/sshd')) throw new Missing('sshd needs the folder /run/sshd');
    return [process.execPath, join(here, 'ssh.ts'), program];
  },
};

const composer: Client = {
  name: 'composer',
  prepare: async () => {
    const program = onPath('composer');
    if (program === undefined) throw new Missing('composer is not on this machine');
    return [process.execPath, join(here, 'composer.ts'), program];
  },
};

interface Counts {
  passed: number;
  failed: number;
  output: string;
}

/** Runs the tests of a client. @returns how many passed and failed */
async function runTests([command = '', ...args]: string[], env: Record<string, string>): Promise<Counts> {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: RUN_MS,
    env: { PATH: process.env.PATH ?? '', ...env },
  });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  await once(child, 'close');
  const counts = /^RESULT (\d+) (\d+)$/m.exec(text);
  process.stdout.write(text.replace(/^RESULT.*\n/m, ''));
  const [passed, failed] = counts === null ? [0, 1] : [Number(counts[1]), Number(counts[2])];
  return { passed, failed, output: counts === null ? `${text}\nthe client itself: failed\n` : text };
}

/** Runs a client's tests against a new server. */
async function runClient(client: Client, command: string[]): Promise<Counts> {
  const dataDir = await mkdtemp(join(tmpdir(), 'stithy-clients-'));
  const database = await emptyDatabase();
  const engine: Record<string, string> = database.url === null ? {} : { STITHY_DATABASE_URL: database.url };
  const settings = { ...client.settings, ...engine, STITHY_ROOT_TOKEN: TOKEN };
  try {
    const server = await startServer({ dataDir, settings });
    try {
      const own = { HOME: dataDir, STITHY_URL: server.url, STITHY_TOKEN: TOKEN, ...client.settings };
      return await runTests(command, own);
    } finally {
      await server.stop();
    }
  } finally {
    await database.drop();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

const totals = { passed: 0, failed: 0, skipped: 0 };
const report = new Report();

/** Runs the clients on the database that `emptyDatabase` makes. */
async function runAll(database: string, chosen: readonly { client: Client; command: string[] }[]): Promise<void> {
  process.stdout.write(`On ${database}\n`);
  for (const { client, command } of chosen) {
    const { passed, failed, output } = client.startsServers
      ? await runTests(command, { HOME: tmpdir() })
      : await runClient(client, command);
    report.add(client.name, database, output);
    totals.passed += passed;
    totals.failed += failed;
  }
}

const { values, positionals: wanted } = parseArgs({
  options: {
    sqlite: { type: 'boolean', default: false },
    postgres: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false },
    published: { type: 'string' },
    of: { type: 'string' },
  },
  allowPositionals: true,
});
const published =
  values.published === undefined ? null : { file: values.published, version: values.of ?? 'that is not told' };
if (published !== null && !values.report) {
  writePublished(PAGE, published.file, published.version);
  process.exit();
}
const both = values.sqlite === values.postgres;
const ready: { client: Client; command: string[] }[] = [];
for (const client of [
  python,
  pythonDelayed,
  form,
  go,
  goDecode('specification'),
  goDecode('gitlab'),
  goProxy,
  conan,
  conan1,
  lfs,
  release,
  renovate,
  releaseIt,
  danger,
  glab,
  glabRelease,
  runner,
  pypi,
  helm,
  composer,
  maven,
  npm,
  yarn,
  pnpm,
  nuget,
  terraform,
  unleash,
  ssh,
  ...recipes,
]) {
  if (wanted.length > 0 && !wanted.some((word) => client.name.startsWith(word))) continue;
  try {
    ready.push({ client, command: await client.prepare() });
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    totals.skipped += 1;
    report.skip(client.name);
    process.stdout.write(`${client.name}: skipped: ${error.message}\n`);
  }
}
if (both || values.sqlite) {
  await runAll('SQLite', ready);
}
if (both || values.postgres) {
  const postgres = await startPostgres();
  process.env.STITHY_TEST_POSTGRES = postgres.url;
  try {
    await runAll(
      'PostgreSQL',
      ready.filter(({ client }) => !client.startsServers),
    );
  } finally {
    await postgres.stop();
  }
}
if (values.report) {
  const differences = new Map(ready.flatMap(({ client }) => (client.differs ? [[client.name, client.differs]] : [])));
  report.write(differences, published);
}
const { passed, failed, skipped } = totals;
process.stdout.write(`${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}\n`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
