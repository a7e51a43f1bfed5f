import { Readable } from 'node:stream';
import { Random } from '../../crash/random.ts';
import { buildTestApp, ROOT_TOKEN } from '../../support/app.ts';
import { costText, larger, measured } from '../cost.ts';
import { hostileBody } from './bodies.ts';

const MAX_CPU_MS = 500;
const MAX_BYTES = 50 * 1024 * 1024;
const CHUNK = 64 * 1024;
const ROUTES = ['/oauth/token', '/api/graphql', '/api/v4/projects', '/api/v4/users', '/api/v4/jobs/request'];

/** A body in pieces as large as a socket gives them. */
function inChunks(body: string): Readable {
  const bytes = Buffer.from(body);
  const count = Math.ceil(bytes.length / CHUNK);
  return Readable.from(Array.from({ length: count }, (_, at) => bytes.subarray(at * CHUNK, (at + 1) * CHUNK)));
}

/**
 * Sends bodies of too many keys, values, fields and parts to a server in this process, one after the other.
 * @returns what went wrong: an answer 5xx, or a cost above the limits
 */
export async function fuzzBodies(seed: number, count: number): Promise<string[]> {
  const app = await buildTestApp();
  const random = new Random(seed);
  const failures: string[] = [];
  let max = { cpu: 0, bytes: 0 };
  try {
    for (let at = 0; at < count; at += 1) {
      const { what, type, body } = hostileBody(random);
      const url = random.pick(ROUTES);
      const headers = { 'content-type': type, ...(random.pick([true, false]) ? { 'private-token': ROOT_TOKEN } : {}) };
      const send = () => app.instance.server.app.inject({ method: 'POST', url, headers, payload: inChunks(body) });
      const { result, cost } = await measured(send);
      // The first ones compile and load what all need.
      if (at >= ROUTES.length) max = larger(max, cost);
      const tooMuch = at >= ROUTES.length && (cost.cpu > MAX_CPU_MS || cost.bytes > MAX_BYTES);
      if (result.statusCode >= 500 || tooMuch) {
        failures.push(`body ${at}, ${what} to ${url}: ${result.statusCode}, ${costText(cost)}`);
      }
    }
  } finally {
    await app.close();
  }
  process.stdout.write(`  at most ${costText(max)}\n`);
  return failures;
}
