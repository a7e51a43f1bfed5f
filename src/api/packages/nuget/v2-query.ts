import { badRequest, notFound } from '../../../core/core.errors.ts';
import { versionKeyOf } from './nuget.names.ts';

/** Versions of a package requested by a version 2 client. */
export interface VersionQuery {
  name: string;
  /** A single normalized version; null for an invalid one. */
  versionKey?: string | null;
  /** Only the highest version; `release` leaves out pre-releases. */
  latest?: 'release' | 'any';
}

/** Search of a version 2 client. */
export interface SearchQuery {
  /** Text in the name; empty for all. */
  q: string;
  prerelease: boolean;
  /** Whether to return only the highest version of each package. */
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
 * Parses `$filter`: a condition on the name is required, one on the version or on the latest version optional. Clients
 * evaluate other conditions themselves.
 * @param id name in quotation marks, if it is a parameter of its own
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
 * Parses the parameters of `Search()`. A filter on the latest of all versions includes pre-releases.
 * @param term text in quotation marks; all packages when absent
 * @throws ApiError 400
 */
export function searchQueryOf(filter: string, term = "''", prerelease = false): SearchQuery {
  const q = TEXT.exec(term)?.[1];
  if (q === undefined) throw badRequest("searchTerm must have the form 'text'");
  const latest = LATEST.exec(filter);
  return { q: unquoted(q).trim(), prerelease: prerelease || latest?.[1] !== undefined, latest: latest !== null };
}

/** Parses `Packages(Id='name',Version='1.0.0')`. @throws ApiError 404 for anything else */
export function entryQueryOf(text: string): VersionQuery {
  const [, name, version] = ENTRY.exec(text) ?? [];
  if (name === undefined || version === undefined) throw notFound();
  return { name: unquoted(name), versionKey: versionKeyOf(unquoted(version)) ?? null };
}
