import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { npm, packPackage, pathWith } from '../support/installed-package.ts';
import { checkLintCase } from '../support/lint-case.ts';

/** Recipes for which nothing has to be brought from elsewhere; `npm run test:clients recipe` runs the others. */
const ROOT = resolve(import.meta.dirname, '../..');
const RECIPES = join(ROOT, 'recipes');
const TOKEN = 'glpat-known-beforehand';

/** An empty folder in which somebody installed the package, and their environment. */
let folder: string;
let env: Record<string, string>;

/** What README.md says about tests. */
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8').split('\n## In your tests\n')[1]!;
/** Blocks of a language, in their order. */
const blocksOf = (language: string): string[] =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, block]) => block!);

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stithy-recipes-'));
  const archive = await packPackage(folder);
  await mkdir(join(folder, 'tmp'));
  env = {
    PATH: pathWith(join(folder, 'node_modules/.bin')),
    HOME: folder,
    TMPDIR: join(folder, 'tmp'),
    npm_config_offline: 'true',
  };
  const { code, text } = await run(
    'bash',
    '-ec',
    changed(blocksOf('sh')[0]!, '--save-dev stithy ', `--save-dev ${archive} `),
  );
  assert.equal(code, 0, text);
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));

interface Ran {
  code: number;
  text: string;
}

/** Runs a command as a user does in their folder. */
function run(command: string, ...args: string[]): Promise<Ran> {
  return new Promise((done) => {
    execFile(command, args, { cwd: folder, env, timeout: 300_000 }, (error, stdout, stderr) =>
      done({ code: error === null ? 0 : Number(error.code ?? 1), text: `${stdout}${stderr}` }),
    );
  });
}

/** Runs a file of tests. @returns how many passed and failed */
async function countsOf(name: string, text: string): Promise<[passed: number, failed: number, text: string]> {
  await writeFile(join(folder, name), text);
  const ran = await run('node', '--test', '--test-reporter=tap', name);
  const count = (of: string) => Number(new RegExp(`^# ${of} (\\d+)$`, 'm').exec(ran.text)?.[1] ?? -1);
  assert.equal(ran.code === 0, count('fail') === 0, ran.text);
  const left = (await readdir(join(folder, 'tmp'))).filter((each) => each.startsWith('stithy-ephemeral-'));
  assert.deepEqual(left, [], 'a server was left behind');
  return [count('pass'), count('fail'), ran.text];
}

/** Replaces what must be there. */
function changed(text: string, from: string, to: string): string {
  assert.ok(text.includes(from), from);
  return text.replaceAll(from, to);
}

const recipe = (...path: string[]): Promise<string> => readFile(join(RECIPES, ...path), 'utf8');

test('a newcomer makes the failing test of the README pass, and starts a server', async () => {
  const [text = ''] = blocksOf('js');
  const name = /^\/\/ (.*)$/m.exec(text)![1]!;
  const [passed, failed, said] = await countsOf(name, text);
  assert.deepEqual([passed, failed], [0, 1]);
  assert.match(said, /4 !== 5/);
  const [, to = '', from = ''] = /Write `(.*?)` where the seed has `(.*?)`/.exec(readme)!;
  const seed = await readFile(join(folder, 'stithy.seed.yml'), 'utf8');
  await writeFile(join(folder, 'stithy.seed.yml'), changed(seed, from, to));
  assert.deepEqual((await countsOf(name, text)).slice(0, 2), [1, 0]);
  await writeFile(join(folder, 'stithy.seed.yml'), seed);
  const port = String(await freePort());
  const [, serve = '', reset = ''] = blocksOf('sh');
  const [program = '', ...args] = changed(serve, '8081', port).trim().split(/\s+/);
  // npx does not hand the signal on that ends the server here.
  assert.deepEqual([program, args[0]], ['npx', 'stithy']);
  const server = spawn('stithy', args.slice(1), { cwd: folder, env, stdio: 'ignore' });
  try {
    while (!(await isReady(port))) assert.equal(server.exitCode, null, 'the server ended');
    const command = changed(reset, '8081', port).trim();
    // Nothing else here needs curl.
    if ((await run('bash', '-c', 'command -v curl')).code !== 0) return;
    const ran = await run('bash', '-ec', `${command} --silent --fail --write-out '%{http_code}'`);
    assert.deepEqual(ran, { code: 0, text: '204' });
  } finally {
    server.kill();
    await once(server, 'exit');
  }
});

const isReady = (port: string): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/-/readiness`).then(
    ({ ok }) => ok,
    () => sleep(50, false),
  );

test('each test of node:test begins with the same server', async () => {
  const text = await recipe('node-test/issues.test.mjs');
  assert.deepEqual((await countsOf('issues.test.mjs', text)).slice(0, 2), [2, 0]);
  const wrong = changed(text, 'assert.equal(iid, 5)', 'assert.equal(iid, 6)');
  assert.deepEqual((await countsOf('issues.test.mjs', wrong)).slice(0, 2), [0, 2]);
});

test('the example of the page on tests runs as it is written', async () => {
  const page = await readFile(join(ROOT, 'docs/testing.md'), 'utf8');
  const text = /```js\n([^`]*stithy\/node-test(?:[^`]|`(?!``))*)```/.exec(page)![1]!;
  assert.deepEqual((await countsOf('page.test.mjs', text)).slice(0, 2), [2, 0]);
});

test('a program in TypeScript uses all of a server', async () => {
  const [passed, failed, text] = await countsOf('bench.test.mts', await recipe('typescript/bench.test.mts'));
  assert.equal(failed, 0, text);
  assert.ok(passed >= 6, text);
});

/** Compiles programs, by file name, as people with strict settings do. */
async function compile(programs: Readonly<Record<string, string>>, ...options: string[]): Promise<Ran> {
  for (const [name, text] of Object.entries(programs)) await writeFile(join(folder, name), text);
  const strict = [
    '--noEmit',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--noUncheckedIndexedAccess',
    '--pretty',
    'false',
  ];
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')];
  return run(join(ROOT, 'node_modules/.bin/tsc'), ...strict, ...types, ...options, ...Object.keys(programs));
}

const NODENEXT = ['--module', 'nodenext', '--target', 'es2024'];
const BUNDLER = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];

test('declarations are right for programs of each kind, and refuse what is wrong', async () => {
  const bench = await recipe('typescript/bench.test.mts');
  const common = `import { start } from 'stithy';
    import { stithyFixtures } from 'stithy/vitest';
    import { useStithy } from 'stithy/node-test';
    export const all = [start, stithyFixtures, useStithy];\n`;
  for (const options of [NODENEXT, BUNDLER]) {
    const programs = { 'bench.mts': bench, 'common.cts': common, 'common.mts': common };
    const { code, text: said } = await compile(programs, ...options);
    assert.equal(code, 0, `${options.join(' ')}: ${said}`);
  }
  const wrong = `import { start } from 'stithy';
    const stithy = await start({ seeds: 'x' });
    await stithy.faults.add({ match: {}, act: { drop: 'sometimes' } });
    await stithy.jobs.finish(1, { status: 'running' });
    await stithy.api<number>('GET', 1);
    const text: string = (await stithy.mails())[0].subject;
    await stithy.clock.advance('a day');
    const none: string = stithy.token;\n`;
  const { text } = await compile({ 'wrong.mts': wrong }, ...NODENEXT);
  const lines = [...text.matchAll(/^wrong\.mts\((\d+),/gm)].map(([, line]) => Number(line));
  assert.deepEqual(lines, [2, 3, 4, 5, 6, 7, 8], text);
});

test('a program on an older Node.js is told which one is needed', async () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.19.0' });";
  for (const entry of ['stithy', 'stithy/vitest', 'stithy/playwright', 'stithy/node-test']) {
    const { code, text } = await run('node', '-e', `${old} require('${entry}')`);
    assert.notEqual(code, 0);
    assert.match(text, /Error: stithy needs Node\.js 24 or later; this is 20\.19\.0\. npm install --save-dev node/);
  }
});

interface Step {
  uses?: string;
  run?: string;
}

/** Runs steps of a workflow in one folder, as its runner does. */
async function runSteps(steps: readonly Step[], variables: Record<string, string>): Promise<string> {
  let output = '';
  for (const { run: script } of steps) {
    if (script === undefined) continue;
    const options = { cwd: folder, env: { ...env, ...variables, RUNNER_TEMP: join(folder, 'temp') } };
    const { stdout, stderr } = await promisify(execFile)('bash', ['-e', '-c', script], options);
    output += stdout + stderr;
  }
  return output;
}

/** What users' own tests are, in recipes that call them. */
const OWN_TEST = `const { FORGE_URL: url, FORGE_TOKEN: token } = process.env;
const headers = { 'PRIVATE-TOKEN': token };
const { status } = await fetch(url + '/-/bench/reset', { method: 'POST', headers });
const issues = await (await fetch(url + '/api/v4/projects/acme%2Fweb/issues', { headers })).json();
console.log('OWN TEST', status, issues.length);\n`;

async function useOwnTest(): Promise<void> {
  await writeFile(join(folder, 'own.mjs'), OWN_TEST);
  await npm(folder, 'pkg', 'set', 'scripts.test=node own.mjs');
}

/** A port that nobody listens on, for recipes with one that is fixed. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

test('the steps for GitHub Actions start a server that the tests find', async () => {
  const port = String(await freePort());
  const workflow = parse(changed(await recipe('github-actions/tests.yml'), '8080', port)) as {
    env: Record<string, string>;
    jobs: Record<string, { steps: Step[]; services?: Record<string, { env: Record<string, string>; image: string }> }>;
  };
  const { beside, service } = workflow.jobs;
  await useOwnTest();
  await mkdir(join(folder, 'temp'));
  // The package is there.
  const steps = beside!.steps.filter(({ run }) => !run?.startsWith('npm install'));
  assert.equal(steps.length, beside!.steps.length - 1);
  try {
    assert.match(await runSteps(steps, { ...workflow.env, STITHY_PORT: port }), /^OWN TEST 204 4$/m);
  } finally {
    const { pid } = JSON.parse(await readFile(join(folder, 'temp/ready'), 'utf8')) as { pid: number };
    process.kill(pid, 'SIGTERM');
  }
  assert.deepEqual(Object.keys(service!.services!.stithy!.env), ['STITHY_ROOT_TOKEN', 'STITHY_EXTERNAL_URL']);
  assert.equal(service!.services!.stithy!.env.STITHY_ROOT_TOKEN, workflow.env.FORGE_TOKEN);
});

test('the configuration for GitLab CI is right', async () => {
  const content = await recipe('gitlab-ci/.gitlab-ci.yml');
  await checkLintCase(content, { given: { pipeline: {} }, expect: { jobs: ['tests'] } });
  const { tests } = parse(content) as { tests: { variables: Record<string, string>; services: { alias: string }[] } };
  assert.equal(new URL(tests.variables.FORGE_URL!).hostname, tests.services[0]!.alias);
  assert.equal(tests.variables.FORGE_TOKEN, TOKEN);
});

/** Instructions of a Dockerfile, without comments. */
const instructionsOf = (dockerfile: string): [name: string, rest: string][] =>
  dockerfile
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]);

test("what an image of one's own runs serves the seed, and tells its health", async () => {
  const instructions = instructionsOf(await recipe('container/Dockerfile'));
  const of = (name: string) => instructions.filter(([each]) => each === name).map(([, rest]) => rest);
  assert.deepEqual(
    instructions.map(([name]) => name),
    ['FROM', 'RUN', 'RUN', 'COPY', 'ENV', 'ENV', 'EXPOSE', 'HEALTHCHECK', 'USER', 'CMD'],
  );
  const variables = Object.fromEntries(of('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('='))));
  const [source, target] = of('COPY')[0]!.split(' ') as [string, string];
  assert.equal(variables.STITHY_SEED, target);
  const imaged = { ...env, ...variables, STITHY_SEED: join(folder, source) };
  const [command, ...args] = JSON.parse(of('CMD')[0]!) as string[];
  const port = String(await freePort());
  const server = spawn(command!, args, { cwd: folder, env: { ...imaged, STITHY_PORT: port }, stdio: 'ignore' });
  const health = changed(of('HEALTHCHECK')[0]!.replace(/^.*? CMD /, ''), '8080', port);
  const isHealthy = async () => (await run('bash', '-c', health)).code === 0;
  try {
    while (!(await isHealthy())) assert.equal(server.exitCode, null, 'the server ended');
    const headers = { 'PRIVATE-TOKEN': variables.STITHY_ROOT_TOKEN! };
    const reset = await fetch(`http://127.0.0.1:${port}/-/bench/reset`, { method: 'POST', headers });
    assert.equal(reset.status, 204);
    server.kill();
    await once(server, 'exit');
    assert.equal(await isHealthy(), false);
  } finally {
    server.kill('SIGKILL');
  }
});
