import { AccessLevel } from './access-levels.ts';
import { PathGlobs } from './path-globs.ts';

/** Locations of the file; the first existing one is used. */
export const CODE_OWNERS_PATHS = ['CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS'] as const;

/** An owner in the file. */
export type CodeOwner =
  /** A user, or a group by its full path. */
  | { type: 'name'; name: string }
  | { type: 'email'; email: string }
  /** Direct members of the project at this level. */
  | { type: 'role'; level: number };

export interface CodeOwnerEntry {
  /** The pattern as written in the file. */
  pattern: string;
  owners: readonly CodeOwner[];
  section: CodeOwnerSection;
  /** `!pattern`: matching paths have no owner in the section, whatever else matches. */
  excludes: boolean;
}

export interface CodeOwnerSection {
  name: string;
  /** `^[Section]`: approval is optional. */
  optional: boolean;
  /** `[Section][2]`: number of required approvals. */
  approvals: number;
}

/** Name of the section of entries before the first header. */
const DEFAULT_SECTION = 'codeowners';
const MAX_APPROVALS = 100;
const MAX_ENTRIES = 20_000;
const HEADER = /^(\^)?\[([^\]]+)\](?:\[(\d{1,9})\])?(?:[ \t]+(.*))?$/;
const ROLES: Readonly<Record<string, number>> = {
  developer: AccessLevel.developer,
  maintainer: AccessLevel.maintainer,
  owner: AccessLevel.owner,
};

function ownerOf(word: string): CodeOwner[] {
  if (word.startsWith('@@')) {
    const level = ROLES[word.slice(2).toLowerCase().replace(/s$/, '')];
    return level === undefined ? [] : [{ type: 'role', level }];
  }
  if (word.startsWith('@')) return word.length === 1 ? [] : [{ type: 'name', name: word.slice(1) }];
  const at = word.indexOf('@');
  return at > 0 && at === word.lastIndexOf('@') && at < word.length - 1 ? [{ type: 'email', email: word }] : [];
}

const ownersOf = (text: string): CodeOwner[] => text.split(/[ \t]+/).flatMap(ownerOf);

/** End of an entry's pattern: the first blank without a preceding backslash. */
function patternEnd(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ' || line[at] === '\t') return at;
  }
  return line.length;
}

/**
 * Parses a CODEOWNERS file in linear time. Invalid lines are skipped; it never fails.
 * @returns its entries in the order of the file
 */
export function parseCodeOwners(text: string): CodeOwnerEntry[] {
  const sections = new Map<string, CodeOwnerSection>();
  const entries: CodeOwnerEntry[] = [];
  let section: CodeOwnerSection = { name: DEFAULT_SECTION, optional: false, approvals: 1 };
  let defaults: readonly CodeOwner[] = [];
  sections.set(DEFAULT_SECTION, section);
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) continue;
    const header = HEADER.exec(line);
    if (header !== null) {
      section = sectionOf(sections, header);
      defaults = ownersOf(header[4] ?? '');
      continue;
    }
    if (entries.length >= MAX_ENTRIES) break;
    const end = patternEnd(line);
    const excludes = line.startsWith('!');
    const pattern = line.slice(excludes ? 1 : 0, end);
    if (pattern === '') continue;
    const named = ownersOf(line.slice(end));
    entries.push({ pattern, owners: named.length > 0 ? named : defaults, section, excludes });
  }
  return entries;
}

/** Finds or adds the section of a header; names are compared ignoring case. */
function sectionOf(sections: Map<string, CodeOwnerSection>, header: RegExpExecArray): CodeOwnerSection {
  const [, caret, name = '', count] = header;
  const optional = caret !== undefined;
  const approvals = Math.min(MAX_APPROVALS, Math.max(1, Number(count ?? 1)));
  const key = name.trim().toLowerCase();
  const known = sections.get(key);
  if (known === undefined) {
    const made = { name: name.trim(), optional, approvals };
    sections.set(key, made);
    return made;
  }
  known.optional &&= optional;
  known.approvals = Math.max(known.approvals, approvals);
  return known;
}

/** The pattern relative to the root of the repository, for `PathGlobs`. */
function globOf(pattern: string): string {
  if (pattern === '*') return '**/*';
  const rooted = pattern.startsWith('/') ? pattern.slice(1) : `**/${pattern}`;
  return rooted.endsWith('/') ? `${rooted}**/*` : rooted;
}

/** Finds the owners of paths: in each section the last matching entry decides. */
export class CodeOwnerMatcher {
  readonly #globs = new PathGlobs();
  readonly #entries: readonly CodeOwnerEntry[];

  constructor(entries: readonly CodeOwnerEntry[]) {
    this.#entries = entries;
    for (const [index, { pattern }] of entries.entries()) this.#globs.add(globOf(pattern), index);
  }

  /** Number of comparisons so far, for work limits. */
  get steps(): number {
    return this.#globs.steps;
  }

  /** The deciding entries for a path, at most one per section, in the order of the file. */
  entriesFor(path: string): CodeOwnerEntry[] {
    const deciding = new Map<CodeOwnerSection, CodeOwnerEntry>();
    for (const index of this.#globs.match(path).sort((a, b) => a - b)) {
      const entry = this.#entries[index]!;
      // An entry after an exclusion in the same section cannot include the path again.
      if (deciding.get(entry.section)?.excludes !== true) deciding.set(entry.section, entry);
    }
    return [...deciding.values()].filter(({ excludes }) => !excludes);
  }
}
