import type { Change, OpenOperation, Tip } from '../ledger.ts';
import type { Site } from '../world.ts';
import { inspect } from './git.ts';

/** Whether a ref holds what a change makes of it, rather than what was there before. */
async function isMade(dir: string, { before, after }: Change, oid: string | null): Promise<boolean> {
  if (after === null) return oid === null;
  if (oid === null || oid === before?.oid) return false;
  if (after.oid !== null) return oid === after.oid;
  const { text } = await inspect(dir, ['cat-file', '-p', oid]);
  return text.includes(`\n\n${after.label}`) && (before === null || text.includes(`\nparent ${before.oid}\n`));
}

/** Decides about one request without an answer. @returns what is wrong with its outcome */
async function settleOne(site: Site, operation: OpenOperation, refs: ReadonlyMap<string, string>): Promise<string[]> {
  const { dir, ledger } = site;
  const oids = operation.changes.map(({ ref }) => refs.get(ref) ?? null);
  const made = await Promise.all(operation.changes.map((change, index) => isMade(dir, change, oids[index]!)));
  const untouched = operation.changes.every(({ before }, index) => oids[index] === (before?.oid ?? null));
  if (made.every(Boolean)) {
    ledger.settle(operation, oids);
    return [];
  }
  ledger.settle(operation, null);
  const state = operation.changes.map(({ ref }, index) => `${ref} ${oids[index]} (made: ${made[index]})`).join(', ');
  if (!untouched) return [`half done: ${operation.name}: ${state}`];
  return operation.acknowledged ? [`lost: ${operation.name} was acknowledged: ${state}`] : [];
}

/** Learns what came of the requests that the kill left without an answer. @returns what is half done or lost */
export async function settleOpen(site: Site, refs: ReadonlyMap<string, string>): Promise<string[]> {
  const problems: string[] = [];
  for (const operation of site.ledger.open) problems.push(...(await settleOne(site, operation, refs)));
  return problems;
}

/** Every ref is where its last acknowledged change put it, and there is none beside these. */
export function compareRefs({ ledger }: Site, refs: ReadonlyMap<string, string>): string[] {
  const problems: string[] = [];
  for (const [ref, { oid }] of ledger.tips) {
    if (refs.get(ref) !== oid) problems.push(`lost: ${ref} should be ${oid} and is ${refs.get(ref)}`);
  }
  for (const [ref, oid] of refs) {
    if (!ledger.tips.has(ref)) problems.push(`unexpected: ${ref} is ${oid} and should not be there`);
  }
  return problems;
}

/** Every branch has all its acknowledged commits and exactly the files that were sent. */
export async function compareContents({ dir, ledger }: Site): Promise<string[]> {
  const problems: string[] = [];
  for (const [ref, tip] of ledger.tips) {
    if (!ref.startsWith('refs/heads/')) continue;
    problems.push(...(await missingCommits(dir, ref, tip)), ...(await otherFiles(dir, ref, tip)));
  }
  return problems;
}

async function missingCommits(dir: string, ref: string, { history }: Tip): Promise<string[]> {
  const { code, text, stderr } = await inspect(dir, ['rev-list', '--end-of-options', ref]);
  if (code !== 0) return [`the history of ${ref} cannot be read: ${stderr}`];
  const commits = new Set(text.split('\n'));
  return history.filter((oid) => !commits.has(oid)).map((oid) => `lost: ${oid} is not in the history of ${ref}`);
}

async function otherFiles(dir: string, ref: string, { files }: Tip): Promise<string[]> {
  const { code, text, stderr } = await inspect(dir, ['ls-tree', '-r', '-z', '--end-of-options', ref]);
  if (code !== 0) return [`the files of ${ref} cannot be read: ${stderr}`];
  const entries = new Map<string, string>();
  for (const line of text.split('\0').filter((each) => each !== '')) {
    const [entry, path] = line.split('\t') as [string, string];
    entries.set(path, entry.replace(' blob ', ' '));
  }
  const paths = new Set([...entries.keys(), ...files.keys()]);
  return [...paths]
    .filter((path) => entries.get(path) !== files.get(path))
    .map((path) => `${path} of ${ref} is ${entries.get(path)} and should be ${files.get(path)}`);
}
