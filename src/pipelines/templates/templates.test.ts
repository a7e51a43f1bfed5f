import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pipelineContext, variables } from '../../../test/support/ci-config.ts';
import { MemorySources, PROJECT, SHA } from '../../../test/support/memory-sources.ts';
import { compile } from '../../ci/compile.ts';
import type { PipelineContext } from '../../ci/compile-request.ts';
import { template, templateNames } from './templates.ts';

/** A workflow alone has no jobs. */
const WITH_JOB = 'some job: {script: "true"}\n';

const names = await templateNames();
const templates = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, (await template(name))!] as const)),
);

/** Files of a project of many kinds. */
const FILES = Object.fromEntries(
  ['.gitlab-ci.yml', 'Dockerfile', 'index.html', 'main.tf', 'package-lock.json', 'pom.xml', 'src/a.js'].map((path) => [
    path,
    '',
  ]),
);

const compiled = (content: string, pipeline: PipelineContext | null = null) =>
  compile({
    content,
    path: '.gitlab-ci.yml',
    context: { project: PROJECT, sha: SHA },
    sources: new MemorySources({ templates, files: FILES, changed: Object.keys(FILES) }),
    variables: new Map(),
    inputs: {},
    isChild: false,
    pipeline,
  });

/** Templates of jobs stand in stages that whoever includes them names. */
const STAGES = 'stages: [build, test, review, deploy, staging, production, performance, cleanup]\n';

for (const name of names) {
  test(`${name} is a configuration without errors`, async () => {
    const { errors, warnings } = await compiled(
      `include: {template: "${name}"}\n${name.startsWith('Jobs/') ? STAGES : ''}${WITH_JOB}`,
    );
    assert.deepEqual([errors, warnings], [[], []]);
  });
}

/** Names that configurations out there include. */
const ASKED_FOR = [
  ...['Android', 'Auto-DevOps', 'Bash', 'C++', 'Chef', 'Clojure', 'Composer', 'Crystal', 'Dart', 'Django', 'Docker'],
  ...['dotNET', 'dotNET-Core', 'Elixir', 'Flutter', 'Getting-Started', 'Go', 'Gradle', 'Grails', 'Julia', 'Kaniko'],
  ...['Laravel', 'LaTeX', 'Maven', 'Mono', 'Nodejs', 'npm', 'OpenShift', 'Packer', 'PHP', 'Python', 'Ruby', 'Rust'],
  ...['Scala', 'Swift', 'Terraform', 'Terraform.latest', 'Terraform/Base', 'Terraform/Base.latest', 'Code-Quality'],
  ...['Jobs/Build', 'Jobs/Code-Quality', 'Jobs/Container-Scanning', 'Jobs/Dependency-Scanning', 'Jobs/Deploy'],
  ...['Jobs/SAST', 'Jobs/SAST.latest', 'Jobs/SAST-IaC', 'Jobs/Secret-Detection', 'Jobs/Secret-Detection.latest'],
  ...['Jobs/Test', 'Security/SAST', 'Security/SAST-IaC', 'Security/Secret-Detection', 'Security/Dependency-Scanning'],
  ...['Security/Container-Scanning', 'Security/DAST', 'Security/DAST.latest', 'Security/DAST-API'],
  ...['Security/API-Fuzzing', 'Security/API-Security', 'Security/Coverage-Fuzzing', 'Verify/Accessibility'],
  ...['Verify/Browser-Performance', 'Verify/Load-Performance-Testing', 'Verify/FailFast', 'Pages/Gatsby', 'Pages/Zola'],
  ...['Workflows/MergeRequest-Pipelines', 'Workflows/Branch-Pipelines', 'AWS/Deploy-ECS', 'Jobs/Deploy/ECS'],
  ...['Jobs/DAST-Default-Branch-Deploy', 'Jobs/Multi-Container-Scanning.latest', 'Security/API-Discovery'],
  ...['Security/DAST-On-Demand-Scan', 'Security/DAST-On-Demand-API-Scan', 'Security/DAST-Runner-Validation'],
  ...['Security/Secure-Binaries', 'Security/Multi-Container-Scanning.latest', 'Security/Fortify-FoD-sast'],
  ...['Terraform-Module', 'Terraform/Module-Base', 'Katalon', 'Diffblue-Cover', 'Qualys-IaC-Security'],
];

test('the names of the public list are there', () => {
  const missing = ASKED_FOR.filter((name) => !Object.hasOwn(templates, `${name}.gitlab-ci.yml`));
  assert.deepEqual(missing, []);
});

test('jobs of scans are overridden by their names, and leave their reports', async () => {
  const content = `include:
  - template: Jobs/SAST.gitlab-ci.yml
  - template: Security/Secret-Detection.gitlab-ci.yml
  - template: Jobs/Dependency-Scanning.latest.gitlab-ci.yml
  - template: Jobs/Container-Scanning.gitlab-ci.yml
semgrep-sast:
  variables: {SAST_EXCLUDED_PATHS: vendor}
`;
  const { errors, config } = await compiled(content);
  assert.deepEqual(errors, []);
  const reports = new Map(config!.jobs.map(({ name, options }) => [name, Object.keys(options.artifacts!.reports)]));
  assert.deepEqual(reports.get('semgrep-sast'), ['sast']);
  assert.deepEqual(reports.get('secret_detection'), ['secret_detection']);
  assert.deepEqual(reports.get('gemnasium-dependency_scanning'), ['dependency_scanning']);
  assert.deepEqual(reports.get('container_scanning'), ['container_scanning']);
  const input = new Set(config!.variables.map(({ key }) => key));
  for (const { name, options } of config!.jobs) {
    for (const [, used] of (options.image?.name ?? '').matchAll(/\$(\w+)/g))
      assert.ok(input.has(used!), `${name}: ${used}`);
  }
});

test('hidden jobs of Terraform are there to be extended, with the state kept here', async () => {
  const content = `include: {template: Terraform/Base.gitlab-ci.yml}
stages: [validate, build, deploy]
plan: {extends: '.terraform:build', variables: {TF_ROOT: infra}}
apply: {extends: '.terraform:deploy', dependencies: [plan]}
`;
  const { errors, config } = await compiled(content);
  assert.deepEqual(errors, []);
  assert.deepEqual(
    config!.jobs.map(({ name, stage }) => [name, stage]),
    [
      ['plan', 'build'],
      ['apply', 'deploy'],
    ],
  );
});

/** A pipeline of the default branch, or of a merge request into it. */
function pipelineOf(kind: 'branch' | 'request', input: Record<string, string> = {}): PipelineContext {
  const ref = kind === 'branch' ? 'main' : 'topic';
  const all = { CI_COMMIT_REF_NAME: ref, CI_DEFAULT_BRANCH: 'main', ...input };
  return kind === 'branch'
    ? pipelineContext({ ref, predefined: variables({ ...all, CI_PIPELINE_SOURCE: 'push', CI_COMMIT_BRANCH: ref }) })
    : pipelineContext({
        source: 'merge_request_event',
        ref,
        refType: 'merge_request',
        predefined: variables({ ...all, CI_PIPELINE_SOURCE: 'merge_request_event', CI_MERGE_REQUEST_IID: '1' }),
      });
}

/** The jobs of a pipeline by their names, and none where it would have been empty. */
async function jobsOf(content: string, pipeline: PipelineContext): Promise<string[]> {
  const { errors, evaluated } = await compiled(content, pipeline);
  if (errors.some((error) => error.startsWith('The resulting pipeline would have been empty'))) return [];
  assert.deepEqual(errors, []);
  return evaluated!.seed!.jobs.map(({ name }) => name);
}

/** Jobs of the templates that are included most: in a pipeline of the default branch, and in one of a merge request. */
const JOBS: Readonly<Record<string, readonly [branch: readonly string[], request: readonly string[]]>> = {
  'Auto-DevOps': [
    [
      ...['build', 'code_quality', 'semgrep-sast', 'secret_detection', 'gemnasium-dependency_scanning'],
      ...['gemnasium-maven-dependency_scanning', 'container_scanning'],
    ],
    [],
  ],
  'Jobs/Build': [['build'], []],
  'Jobs/Code-Quality': [['code_quality'], []],
  'Jobs/SAST': [['semgrep-sast'], []],
  'Jobs/SAST.latest': [['semgrep-sast'], ['semgrep-sast']],
  'Jobs/SAST-IaC': [['kics-iac-sast'], []],
  'Jobs/Secret-Detection': [['secret_detection'], []],
  'Jobs/Secret-Detection.latest': [['secret_detection'], ['secret_detection']],
  'Jobs/Dependency-Scanning': [['gemnasium-dependency_scanning', 'gemnasium-maven-dependency_scanning'], []],
  'Jobs/Container-Scanning': [['container_scanning'], []],
  'Security/SAST': [['semgrep-sast'], []],
  Docker: [['docker-build'], []],
  Maven: [['deploy'], ['verify']],
  'Pages/HTML': [['create-pages'], []],
  Terraform: [['fmt', 'validate', 'build', 'deploy'], []],
  'Terraform.latest': [
    ['fmt', 'validate', 'build', 'deploy'],
    ['fmt', 'validate', 'build'],
  ],
  'Terraform-Module': [['kics-iac-sast'], []],
};

for (const [name, [branch, request]] of Object.entries(JOBS)) {
  test(`${name} gives the jobs of a branch and of a merge request`, async () => {
    const content = `include: {template: "${name}.gitlab-ci.yml"}\n`;
    assert.deepEqual(await jobsOf(content, pipelineOf('branch')), branch);
    assert.deepEqual(await jobsOf(content, pipelineOf('request')), request);
  });
}

test('AST_ENABLE_MR_PIPELINES says whether scans are in pipelines of merge requests, and then not in those of branches', async () => {
  for (const [name, job] of [
    ['SAST', 'semgrep-sast'],
    ['Secret-Detection', 'secret_detection'],
  ]) {
    for (const [suffix, value, inRequests] of [
      ['', 'true', true],
      ['', 'false', false],
      ['.latest', 'true', true],
      ['.latest', 'false', false],
    ] as const) {
      const content = `include: {template: "Jobs/${name}${suffix}.gitlab-ci.yml"}\n`;
      const input = { AST_ENABLE_MR_PIPELINES: value };
      const open = { ...input, CI_OPEN_MERGE_REQUESTS: 'group/project!1' };
      assert.deepEqual(await jobsOf(content, pipelineOf('request', input)), inRequests ? [job] : []);
      assert.deepEqual(await jobsOf(content, pipelineOf('branch', input)), [job]);
      assert.deepEqual(await jobsOf(content, pipelineOf('branch', open)), inRequests ? [] : [job]);
    }
  }
});

test('workflows say which pipelines there are', async () => {
  const asked = async (name: string) => {
    const content = `include: {template: "Workflows/${name}.gitlab-ci.yml"}\nsome job: {script: "true", rules: [when: always]}\n`;
    const has = async (kind: 'branch' | 'request') =>
      (await compiled(content, pipelineOf(kind))).evaluated?.seed?.jobs.length === 1;
    return [await has('branch'), await has('request')];
  };
  assert.deepEqual(await asked('MergeRequest-Pipelines'), [true, true]);
  assert.deepEqual(await asked('Branch-Pipelines'), [true, false]);
});

test('an image that is named for container scanning is the one that is looked through', async () => {
  const content = 'include: {template: Jobs/Container-Scanning.gitlab-ci.yml}\nvariables: {CS_IMAGE: "alpine:3"}\n';
  const { evaluated } = await compiled(content, pipelineOf('branch'));
  const [job] = evaluated!.seed!.jobs;
  assert.equal(job!.variables.findLast(({ key }) => key === 'CS_IMAGE')?.value, 'alpine:3');
});

test('a module of Terraform is published for a tag', async () => {
  const tag = { ...pipelineOf('branch'), ref: 'v1.0.0', refType: 'tag' as const };
  const predefined = variables({ CI_COMMIT_TAG: 'v1.0.0', CI_COMMIT_REF_NAME: 'v1.0.0', CI_PIPELINE_SOURCE: 'push' });
  const content = 'include: {template: Terraform-Module.gitlab-ci.yml}\n';
  assert.deepEqual(await jobsOf(content, { ...tag, predefined }), ['deploy']);
});
