import type { Tree, TreeMap } from '../config/loaded.ts';
import { bridge } from './bridge.ts';
import { isMap, PRESENT } from './checks.keyword.ts';
import type { ConfigNode } from './config-node.ts';
import { job } from './job.keyword.ts';
import { limitJobs } from './limits.keyword.ts';
import type { JobReadContext, WrittenJob } from './processable.ts';

const LONGEST_NAME = 255;

type Kind = 'hidden' | 'job' | 'bridge';

/** Kind of the job at a top-level key, by its content; null if it cannot be a job. */
export function kindOf(name: string, value: Tree): Kind | null {
  if (name.startsWith('.')) return 'hidden';
  if (!isMap(value)) return null;
  if (Object.hasOwn(value, 'script') || Object.hasOwn(value, 'run')) return 'job';
  return Object.hasOwn(value, 'trigger') || Object.hasOwn(value, 'needs') ? 'bridge' : null;
}

/** Converts an attribute name to the beginning of a sentence. */
const asWords = (name: string) => name.replaceAll('.', '_').replace(/^_+/, '').replace(/_id$/, '').replaceAll('_', ' ');

function nameIsGood(name: string, isText: boolean, at: ConfigNode): boolean {
  if (name.trim() === '') at.field('name', "can't be blank");
  if (!isText) at.field('name', 'should be a symbol');
  if ([...name].length > LONGEST_NAME) at.field('name', `is too long (maximum is ${LONGEST_NAME} characters)`);
  return name.trim() !== '' && [...name].length <= LONGEST_NAME;
}

/**
 * Reads all jobs in order, without hidden ones.
 * @param keysWithoutText keys that are numbers, booleans or null
 * @param at root of the configuration
 */
export function readJobs(
  config: TreeMap,
  keysWithoutText: ReadonlySet<string>,
  around: JobReadContext,
  at: ConfigNode,
): WrittenJob[] {
  const all = Object.entries(config).map(([name, value]) => ({ name, value, kind: kindOf(name, value) }));
  const here = at.child('jobs');
  const nothing = all.filter(({ kind }) => kind === null);
  for (const { name } of nothing) {
    if (at.problems.full) break;
    here.lower(`${asWords(name)} config should implement the script:, run:, or trigger: keyword`);
  }
  if (!all.some(({ kind }) => kind === 'job' || kind === 'bridge')) {
    here.config('should contain at least one visible job');
    return [];
  }
  if (nothing.length > 0) return [];
  limitJobs(all.length);
  const writtenJobs: WrittenJob[] = [];
  for (const { name, value, kind } of all) {
    if (at.problems.full) break;
    const node = here.child(name.trim() === '' ? 'job' : name);
    if (kind === 'hidden') {
      if (PRESENT(value) !== null) node.config("can't be blank");
      continue;
    }
    if (!nameIsGood(name, !keysWithoutText.has(name), node)) continue;
    const read = (kind === 'job' ? job : bridge)(name, around)(value, node);
    if (read !== null) writtenJobs.push(read);
  }
  return writtenJobs;
}
