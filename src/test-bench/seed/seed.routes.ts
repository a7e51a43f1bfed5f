import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Type } from 'typebox';
import { ApiError } from '../../core/core.errors.ts';
import { type BaseContext, type Route, route } from '../../http/http.route.ts';
import { BENCH_ROUTE } from '../test-bench.access.ts';
import { applySeed, type SeedReport } from './seed.apply.ts';
import { SeedError } from './seed.error.ts';
import { seedSchemaText } from './seed.schema.ts';
import type { BundleSource } from './seed-context.ts';
import { MAX_SEED_BYTES } from './seed-document.ts';
import { BUNDLED_SEED, type BundledSeed, isBundledSeed } from './seed-sending.ts';

/** Largest body: a seed with the repositories that it imports. */
const MAX_BODY = 512 * 1024 * 1024;

const SeedReportEntity = Type.Object({
  made: Type.Record(Type.String(), Type.Integer(), { description: 'How many objects were made, by kind.' }),
  seconds: Type.Number({ description: 'How long it took.' }),
});

/** What a client sent: a seed, or one with repositories. @throws ApiError 400 */
async function readBody(c: BaseContext): Promise<BundledSeed> {
  const bytes = await buffer(c.bytes);
  const type = String(c.request.headers['content-type'] ?? '')
    .split(';')[0]!
    .trim();
  if (type !== BUNDLED_SEED) return { file: 'seed', text: bytes.toString('utf8'), bundles: {} };
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    body = undefined;
  }
  if (!isBundledSeed(body)) throw new ApiError(400, `a body of ${BUNDLED_SEED} must have file, text and bundles`);
  return body;
}

async function apply(c: BaseContext, { file, text, bundles }: BundledSeed, folder: string): Promise<SeedReport> {
  const names = Object.keys(bundles);
  const source: BundleSource = async (path) => {
    const at = names.indexOf(path);
    if (at === -1) return null;
    const bundle = join(folder, `${at}.bundle`);
    await writeFile(bundle, Buffer.from(bundles[path]!, 'base64'));
    return bundle;
  };
  try {
    return await applySeed({ deps: c.deps, server: { app: c.request.server } }, { text, file, bundles: source });
  } catch (error) {
    if (error instanceof SeedError) throw new ApiError(400, error.message, { errors: error.problems });
    throw error;
  }
}

/** Seeds of a server that runs. */
export const seedRoutes: Route[] = [
  route({
    ...BENCH_ROUTE,
    method: 'GET',
    path: '/-/bench/seed.schema.json',
    summary: 'Get the JSON Schema of seed files',
    success: { status: 200, contentType: 'application/schema+json' },
    handler: ({ reply }) => {
      reply.type('application/schema+json; charset=utf-8');
      return seedSchemaText();
    },
  }),
  route({
    ...BENCH_ROUTE,
    method: 'POST',
    path: '/-/bench/seed',
    summary: 'Apply a seed',
    description: 'What is there already stays as it is. `errors` of a refusal has a line for each problem.',
    input: Type.Object({
      file: Type.Optional(Type.String({ maxLength: 1_000, description: 'Name of the file in messages.' })),
    }),
    body: {
      contentType: 'application/yaml',
      description: `A seed, YAML or JSON, of at most ${MAX_SEED_BYTES} bytes.`,
      limit: () => MAX_BODY,
    },
    success: { status: 201, schema: SeedReportEntity },
    errors: [400, 413],
    handler: async (c) => {
      const body = await readBody(c);
      const folder = await mkdtemp(join(tmpdir(), 'stithy-seed-'));
      try {
        return await apply(c, { ...body, file: c.input.file ?? body.file }, folder);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  }),
];
