import type { Figure } from './figures.ts';
import { type BenchServer, TOKEN } from './server.ts';

const JOBS = 153;
const INCLUDES = 10;
const REQUESTS = 120;
const WARM = 20;
const LIMIT_MS = 30;

const headers = { 'PRIVATE-TOKEN': TOKEN, 'content-type': 'application/json' };

/** A configuration of 2,000 lines in the manner of large projects: stages, parents out of included files, rules, variables. */
function configuration(): string {
  const lines = ['stages: [build, test, deploy]', 'include:'];
  for (let n = 0; n < INCLUDES; n += 1) lines.push(`  - local: ci/part-${n}.yml`);
  for (let n = 0; n < JOBS; n += 1) {
    lines.push(
      `job-${n}:`,
      `  stage: ${['build', 'test', 'deploy'][n % 3]}`,
      `  extends: .part-${n % INCLUDES}`,
      '  variables:',
      `    NAME: "job ${n}"`,
      '    TARGET: $CI_COMMIT_REF_SLUG',
      '  script:',
      `    - echo "building ${n}"`,
      '    - make all ARGS=--verbose',
      '  rules:',
      '    - if: $CI_PIPELINE_SOURCE == "merge_request_event"',
      `    - if: $CI_COMMIT_BRANCH =~ /^release-${n}/`,
      '      when: manual',
    );
  }
  return lines.join('\n');
}

const included = (n: number): string =>
  [
    `.part-${n}:`,
    `  image: ruby:3.${n}`,
    '  before_script:',
    '    - bundle install',
    '  cache:',
    '    key: gems',
    '    paths: [vendor]',
    '  artifacts:',
    '    paths: [out/]',
    '    expire_in: 1 week',
  ].join('\n');

async function post(url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${answer.slice(0, 300)}`);
  return JSON.parse(answer);
}

/** Lint of 2,000 lines with 10 local includes, whose text is another one each time. */
export async function lint(server: BenchServer): Promise<Figure> {
  const api = `${server.url}/api/v4/projects`;
  const { id } = (await post(api, { name: `lint-${Date.now()}` })) as { id: number };
  const actions = Array.from({ length: INCLUDES }, (_, n) => ({
    action: 'create',
    file_path: `ci/part-${n}.yml`,
    content: included(n),
  }));
  await post(`${api}/${id}/repository/commits`, { branch: 'main', commit_message: 'Parts', actions });
  const text = configuration();
  const took: number[] = [];
  for (let n = 0; n < WARM + REQUESTS; n += 1) {
    const content = `${text}\n# ${n}\n`;
    const started = performance.now();
    const answer = (await post(`${api}/${id}/ci/lint`, { content })) as { valid: boolean; errors: string[] };
    if (!answer.valid) throw new Error(answer.errors.join('\n'));
    if (n >= WARM) took.push(performance.now() - started);
  }
  took.sort((a, b) => a - b);
  const at = (part: number) => took[Math.floor(took.length * part)]!;
  return {
    name: 'lint of 2,000 lines with 10 local includes, a text never seen before, p50',
    measured: `${at(0.5).toFixed(1)} ms (p95 ${at(0.95).toFixed(1)} ms)`,
    value: at(0.5),
    limit: LIMIT_MS,
    better: 'less',
  };
}
