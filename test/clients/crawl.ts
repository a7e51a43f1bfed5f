/**
 * Asks a filled server everything that its document says can be read, and keeps what is answered. Values of path parameters
 * are found by themselves: in what the list one segment above answers, or among what is known of the whole server.
 */
import type { Answer, Document, Operation } from './document_answers.ts';
import { token, url } from './support.ts';

type Json = Record<string, unknown>;

/** Fields of list items that paths name things by, the most usual one first. */
const NAMES = [
  'iid',
  'id',
  'name',
  'key',
  'slug',
  'tag_name',
  'email',
  'relation',
  'path',
  'reference',
  'service',
  'token',
];
/** Values that no list gives. */
const KNOWN: Record<string, readonly string[]> = {
  sha: ['main'],
  ref: ['main'],
  file_path: ['README.md'],
  branch: ['main'],
  tag_name: ['v1.0'],
  username: ['ann'],
  '*': ['slack', 'team', 'README.md', 'home', 'main', 'v1.0', '1'],
};
/** Queries with which a path is asked beside none. */
const QUERIES = [
  'with_labels_details=true',
  'statistics=true',
  'with_custom_attributes=true',
  'relation=labels',
  'with_content=true',
];
const ASK_MS = 300_000;
const MAX_TRIES = 8;
const MAX_ITEMS = 4;

async function ask(path: string): Promise<{ status: number; type: string; body: unknown } | undefined> {
  const response = await fetch(`${url}${path}`, {
    headers: { 'private-token': token },
    redirect: 'manual',
    signal: AbortSignal.timeout(ASK_MS),
  });
  const type = response.headers.get('content-type')?.split(';')[0] ?? '';
  const text = type === 'application/json' ? await response.text() : '';
  await response.body?.cancel().catch(() => undefined);
  if (!response.ok || type !== 'application/json') return undefined;
  return { status: response.status, type, body: JSON.parse(text) };
}

/** A path by which those are the same that differ in the names of their parameters. */
const nameless = (path: string): string => path.replace(/\{\w+\}/g, '{}');

/** Asks as {@link fetchAll} does. */
export class Crawl {
  readonly #document: Document;
  /** Addresses that were found for a path, in which everything is filled in. */
  readonly #addresses = new Map<string, string[]>();
  readonly #items = new Map<string, Json[]>();

  constructor(document: Document) {
    this.#document = document;
  }

  async run(): Promise<Operation[]> {
    const paths = Object.keys(this.#document.paths)
      .filter((path) => 'get' in this.#document.paths[path]!)
      .sort((a, b) => a.split('/').length - b.split('/').length);
    const operations: Operation[] = [];
    for (const path of paths) operations.push({ method: 'GET', path, answers: await this.#answers(path) });
    return operations;
  }

  async #answers(path: string): Promise<Answer[]> {
    const answers: Answer[] = [];
    const good: string[] = [];
    for (const address of (await this.#candidates(path)).slice(0, MAX_TRIES)) {
      const answer = await ask(address);
      if (answer === undefined) continue;
      good.push(address);
      answers.push({ ...answer, origin: address });
      if (Array.isArray(answer.body)) this.#items.set(address, (answer.body as Json[]).slice(0, MAX_ITEMS));
      if (good.length >= MAX_ITEMS) break;
    }
    const parameters =
      (this.#document.paths[path]!.get as { parameters?: { name: string; in: string }[] }).parameters ?? [];
    for (const query of QUERIES.filter((each) => parameters.some(({ name }) => name === each.split('=')[0]))) {
      if (good[0] === undefined) break;
      const answer = await ask(`${good[0]}?${query}`);
      if (answer !== undefined) answers.push({ ...answer, origin: `${good[0]}?${query}` });
    }
    this.#addresses.set(nameless(path), good);
    return answers;
  }

  /** Addresses that a path may have, built from the left. */
  async #candidates(path: string): Promise<string[]> {
    let made = [''];
    let above = '';
    for (const part of path.split('/').slice(1)) {
      const name = /^\{(.*)\}$/.exec(part)?.[1];
      if (name === undefined) made = made.map((each) => `${each}/${part.replace(/\{.*\}/, 'tar.gz')}`);
      else {
        const sets: { at: string; values: string[]; listed: boolean }[] = [];
        for (const at of made) sets.push({ at, ...(await this.#values(at, name)) });
        // What a list names goes before what is guessed.
        const best = sets.toSorted((a, b) => Number(b.listed) - Number(a.listed));
        made = best
          .flatMap(({ at, values }) => values.map((value) => `${at}/${encodeURIComponent(value)}`))
          .slice(0, MAX_TRIES);
        // What was asked already with success is enough to go on from.
        const known = this.#addresses.get(nameless(`${above}/${part}`));
        if (known !== undefined && known.length > 0) made = known;
      }
      above += `/${part}`;
    }
    return made;
  }

  async #values(list: string, name: string): Promise<{ values: string[]; listed: boolean }> {
    if (!this.#items.has(list)) {
      const answer = await ask(list);
      this.#items.set(list, Array.isArray(answer?.body) ? (answer.body as Json[]).slice(0, MAX_ITEMS) : []);
    }
    const items = this.#items.get(list)!;
    const key = name.replace(/^.*_(iid|id|name)$/, '$1');
    const fields = [key, ...NAMES.filter((each) => each !== key)];
    const values = fields.flatMap((field) =>
      items.flatMap((item) => (['string', 'number'].includes(typeof item?.[field]) ? [String(item[field])] : [])),
    );
    const known = KNOWN[name] ?? (items.length > 0 ? [] : KNOWN['*']!);
    return { values: [...new Set([...known, ...values])].slice(0, MAX_TRIES), listed: values.length > 0 };
  }
}
