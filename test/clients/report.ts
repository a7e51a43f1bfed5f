/** Makes docs/compatibility.md of what the clients did: `npm run test:clients -- --report`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiDocument } from '../../src/http/openapi/openapi.document.ts';
import { routes } from '../../src/routes.ts';
import { missing, readEndpoints } from '../support/endpoints.ts';
import { publishedSection } from './published.ts';

/** What one client did on one database. */
interface Run {
  client: string;
  database: string;
  passed: readonly string[];
  failed: readonly string[];
}

/** The page that is written. */
export const PAGE = join(import.meta.dirname, '../../docs/compatibility.md');

/** Reads the names of tests that passed and failed out of what a client program printed. */
export function namesIn(output: string): Pick<Run, 'passed' | 'failed'> {
  const names = (result: string) =>
    [...output.matchAll(/^(.+?): (passed|failed)(?:$|:)/gm)].flatMap(([, name, is]) => (is === result ? [name!] : []));
  return { passed: names('passed'), failed: names('failed') };
}

function compareSpecification(): string[] {
  const endpoints = readEndpoints();
  const document = openApiDocument(routes, '');
  const wrong = endpoints.flatMap((endpoint) =>
    missing(document, endpoint).map((problem) => `${endpoint.method} ${endpoint.path} ${problem}`),
  );
  const sections = Map.groupBy(endpoints, ({ section }) => section);
  return [
    '## Specification',
    '',
    `All ${endpoints.length} endpoints that its ${sections.size} sections name are served with their parameters${wrong.length === 0 ? '' : `, except: ${wrong.join('; ')}`}.`,
    '`test/endpoints.test.ts` compares them, the tests beside each route call them.',
    '',
  ];
}

/** Collects what clients did, and writes the page. */
export class Report {
  readonly #runs: Run[] = [];
  readonly #skipped: string[] = [];

  /** @param output what the client program printed */
  add(client: string, database: string, output: string): void {
    this.#runs.push({ client, database, ...namesIn(output) });
  }

  skip(client: string): void {
    this.#skipped.push(client);
  }

  /** @param published a published OpenAPI document and its version; null to leave that part out */
  write(notes: ReadonlyMap<string, string>, published: { file: string; version: string } | null): void {
    const clients = Map.groupBy(this.#runs, ({ client }) => client);
    const rows = [...clients].map(([client, runs]) => {
      const total = new Set(runs.flatMap(({ passed, failed }) => [...passed, ...failed])).size;
      const failed = runs.flatMap(({ database, failed }) => failed.map((name) => `${name} on ${database}`));
      const results = runs.map(({ database, passed }) => `${database} ${passed.length} of ${total}`).join(', ');
      const notices = [...failed, notes.get(client) ?? []].flat().join('; ');
      return `| ${client} | ${results} | ${notices} |`;
    });
    const lines = [
      '# Compatibility',
      '',
      'Unmodified clients from their own registries, and what of their tests passed. Written by `npm run test:clients -- --report`.',
      '',
      '| Client | Tests passed | What differs |',
      '| --- | --- | --- |',
      ...rows,
      '',
      ...(this.#skipped.length === 0
        ? []
        : [`Not run here, since their tools are not on this machine: ${this.#skipped.join(', ')}.`, '']),
      ...compareSpecification(),
      ...(published === null ? [] : publishedSection(published.file, published.version)),
    ];
    writeFileSync(PAGE, `${lines.join('\n').trimEnd()}\n`);
  }
}
