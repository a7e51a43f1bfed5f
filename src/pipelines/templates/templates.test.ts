import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySources, PROJECT, SHA } from '../../../test/support/memory-sources.ts';
import { compile } from '../../ci/compile.ts';
import { template, templateNames } from './templates.ts';

/** A workflow alone has no jobs. */
const WITH_JOB = 'some job: {script: "true"}\n';

const names = await templateNames();
const templates = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, (await template(name))!] as const)),
);

const compiled = (content: string) =>
  compile({
    content,
    path: '.gitlab-ci.yml',
    context: { project: PROJECT, sha: SHA },
    sources: new MemorySources({ templates }),
    variables: new Map(),
    inputs: {},
    isChild: false,
    pipeline: null,
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
  const given = new Set(config!.variables.map(({ key }) => key));
  for (const { name, options } of config!.jobs) {
    for (const [, used] of (options.image?.name ?? '').matchAll(/\$(\w+)/g))
      assert.ok(given.has(used!), `${name}: ${used}`);
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
