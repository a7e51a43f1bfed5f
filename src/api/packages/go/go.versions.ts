import type { ModuleLocation } from './go.paths.ts';

const NUMBER = '(0|[1-9]\\d{0,8})';
const PART = '(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)';
const SEMVER = new RegExp(`^v${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${PART}(?:\\.${PART})*))?$`);
/** Suffix of a pseudo-version: time and first digits of the id of a commit. */
const COMMIT = /^(.*?)(\d{14})-([0-9a-f]{12})$/;
const MAX_LENGTH = 255;

/** A Go version. */
export interface GoVersion {
  major: number;
  /** Time (`yyyymmddhhmmss`) and id prefix of the commit of a pseudo-version; null for the version of a tag. */
  commit: { time: string; prefix: string } | null;
}

/** Parses a version; undefined if it is invalid. */
export function readVersion(text: string): GoVersion | undefined {
  const match = text.length > MAX_LENGTH ? null : SEMVER.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, pre] = match;
  const [, before = '', time, prefix] = COMMIT.exec(pre ?? '') ?? [];
  const version = { major: Number(major), commit: null };
  if (time === undefined || prefix === undefined) return version;
  // v1.0.0-time-id without an earlier version, v1.2.4-0.time-id after v1.2.3, v1.2.3-rc.0.time-id after v1.2.3-rc
  const fits = before === '' ? minor === '0' && patch === '0' : /^(?:0\.|.+\.0\.)$/.test(before);
  return fits ? { ...version, commit: { time, prefix } } : version;
}

/** Whether a module can have versions with a major number. */
export const isOfModule = ({ major }: ModuleLocation, version: GoVersion): boolean =>
  major === null ? version.major < 2 : version.major === major;

/** Formats an instant for versions, in UTC. */
export const versionTime = (date: Date): string => date.toISOString().replace(/\D/g, '').slice(0, 14);
