import { badRequest, notFound } from '../../../core/core.errors.ts';
import { versionKeyOf } from './nuget.names.ts';

/** Versions of one package that a client of version 2 asks for. */
export interface VersionQuery {
  name: string;
  /** One alone, normalised; null for what no version is. */
  versionKey?: string | null;
  /** The highest alone; `release` leaves out those before a release. */
  latest?: 'release' | 'any';
}

/** Packages that a client of version 2 searches for. */
export interface SearchQuery {
  /** Part of the name; empty for all. */
  q: string;
  prerelease: boolean;
  /** Whether the highest version of each package is wanted alone. */
  latest: boolean;
}

const QUOTED = "'((?:[^']|'')*)'";
const NAME = new RegExp(String.raw`(?:tolower\(\s*Id\s*\)|\bId)\s+eq\s+${QUOTED}`, 'i');
const VERSION = new RegExp(String.raw`\b(?:Normalized)?Version\s+eq\s+${QUOTED}`, 'i');
const LATEST = /\bIs(Absolute)?LatestVersion\b(?!\s+eq\s+false)/i;
const ENTRY = new RegExp(String.raw`^Packages\(\s*Id\s*=\s*${QUOTED}\s*,\s*Version\s*=\s*${QUOTED}\s*\)$`, 'i');
const TEXT = new RegExp(`^${QUOTED}$`);

const unquoted = (text: string): string => text.replaceAll("''", "'");

/**
 * What `$filter` asks for: the name must be in it; the version, or the latest one, may. What else it asks clients look at
 * themselves.
 * @param id the name in quotation marks, where it stands for itself
 * @throws ApiError 400
 */
export function versionQueryOf(filter: string, id?: string): VersionQuery {
  const name = id === undefined ? NAME.exec(filter)?.[1] : TEXT.exec(id)?.[1];
  if (name === undefined) {
    throw badRequest(id === undefined ? "$filter must have the form Id eq 'name'" : "id must have the form 'name'");
  }
  const version = VERSION.exec(filter)?.[1];
  const latest = LATEST.exec(filter);
  return {
    name: unquoted(name),
    ...(version === undefined ? {} : { versionKey: versionKeyOf(unquoted(version)) ?? null }),
    ...(latest === null ? {} : { latest: latest[1] === undefined ? 'release' : 'any' }),
  };
}

/**
 * What `Search()` asks for. A filter on the latest of all versions has those before a release looked at, too.
 * @param term the text in quotation marks; all packages when absent
 * @throws ApiError 400
 */
export function searchQueryOf(filter: string, term = "''", prerelease = false): SearchQuery {
  const q = TEXT.exec(term)?.[1];
  if (q === undefined) throw badRequest("searchTerm must have the form 'text'");
  const latest = LATEST.exec(filter);
  return { q: unquoted(q).trim(), prerelease: prerelease || latest?.[1] !== undefined, latest: latest !== null };
}

/** What `Packages(Id='name',Version='1.0.0')` asks for. @throws ApiError 404 for anything else */
export function entryQueryOf(text: string): VersionQuery {
  const [, name, version] = ENTRY.exec(text) ?? [];
  if (name === undefined || version === undefined) throw notFound();
  return { name: unquoted(name), versionKey: versionKeyOf(unquoted(version)) ?? null };
}
