import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemorySources, PROJECT, SHA } from '../../../test/support/memory-sources.ts';
import { compile } from '../../ci/compile.ts';
import { template, templateNames } from './templates.ts';

/** A workflow alone has no jobs. */
const WITH_JOB = 'some job: {script: "true"}\n';

for (const name of templateNames()) {
  test(`${name} is a configuration without errors`, async () => {
    const compiled = await compile({
      content: `include: {template: "${name}"}\n${WITH_JOB}`,
      path: '.gitlab-ci.yml',
      context: { project: PROJECT, sha: SHA },
      sources: new MemorySources({ templates: { [name]: template(name)! } }),
      variables: new Map(),
      inputs: {},
      isChild: false,
      pipeline: null,
    });
    assert.deepEqual([compiled.errors, compiled.warnings], [[], []]);
  });
}
