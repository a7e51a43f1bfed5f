import { buildSchema } from 'graphql';
import { SDL } from '../../../src/api/graphql/sdl.ts';
import { Random } from '../../crash/random.ts';
import { buildTestApp, expectStatus, ROOT_TOKEN, type TestApp } from '../../support/app.ts';
import { costText, larger, measured } from '../cost.ts';
import { Questions } from './questions.ts';

const MAX_CPU_MS = 1_000;
const MAX_BYTES = 50 * 1024 * 1024;

/** Public groups that have projects with issues in them. @returns their paths */
async function fill(app: TestApp): Promise<string[]> {
  const paths: string[] = [];
  for (const path of ['g', 'h']) {
    const made = await app.post('/groups', { json: { name: path, path, visibility: 'public' } });
    const { id } = expectStatus<{ id: number }>(made, 201);
    for (let at = 0; at < 12; at += 1) {
      const json = {
        namespace_id: id,
        name: `p${at}`,
        visibility: 'public',
        description: 'd'.repeat(2_000),
        initialize_with_readme: at === 0,
      };
      const project = expectStatus<{ id: number }>(await app.post('/projects', { json }), 201);
      for (let issue = 0; issue < (at === 0 ? 120 : 1); issue += 1) {
        const issues = {
          title: `Issue ${issue}`,
          description: 'i'.repeat(issue === 0 ? 100_000 : 500),
          labels: `l${issue % 9}`,
        };
        expectStatus(await app.post(`/projects/${project.id}/issues`, { json: issues }), 201);
      }
      paths.push(`${path}/p${at}`);
    }
    paths.push(path);
  }
  await app.drain();
  return paths;
}

/**
 * Asks hostile questions of a server in this process, one after the other.
 * @returns how many were asked, and what went wrong: an answer that is none, or a cost above the limits
 */
export async function fuzzGraphql(seed: number, count: number): Promise<{ requests: number; failures: string[] }> {
  const app = await buildTestApp();
  const failures: string[] = [];
  let max = { cpu: 0, bytes: 0 };
  let ran = 0;
  try {
    const questions = new Questions(buildSchema(SDL), new Random(seed), await fill(app));
    // The schema is read by the first question.
    await ask(app, { query: '{ __typename }' }, ROOT_TOKEN);
    for (let at = 0; at < count; at += 1) {
      const question = questions.next();
      const { result, cost } = await measured(() => ask(app, question, at % 3 === 0 ? null : ROOT_TOKEN));
      const { status, body } = result;
      max = larger(max, cost);
      if (body.startsWith('{"data":')) ran += 1;
      const failed =
        (status !== 200 && status !== 400) ||
        body.includes('Internal server error') ||
        cost.cpu > MAX_CPU_MS ||
        cost.bytes > MAX_BYTES;
      if (failed) {
        failures.push(
          `question ${at}: ${status}, ${costText(cost)}\n${JSON.stringify(question).slice(0, 2_000)}\n${body.slice(0, 500)}`,
        );
      }
    }
  } finally {
    await app.close();
  }
  process.stdout.write(`  ${ran} answered; at most ${costText(max)}\n`);
  return { requests: count, failures };
}

async function ask(app: TestApp, payload: object, token: string | null): Promise<{ status: number; body: string }> {
  const headers = token === null ? {} : { 'private-token': token };
  const answer = await app.instance.server.app.inject({ method: 'POST', url: '/api/graphql', headers, payload });
  return { status: answer.statusCode, body: answer.body };
}
