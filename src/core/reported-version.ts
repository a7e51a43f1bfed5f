import { VERSION } from './core.version.ts';

/** A version of the platform: major and minor. */
export type PlatformVersion = `${number}.${number}`;

/** The last minor version of each major one that can be reported. */
const MINORS: Readonly<Record<number, number>> = { 16: 11, 17: 11, 18: 9 };

/** The version that the server tells clients. */
export interface ReportedVersion {
  /** As in `17.11.0-ee`. */
  readonly text: string;
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

const FORM = /^(\d{2})\.(\d{1,2})\.(\d{1,3})(?:-(?:ee|ce|pre))?$/;

/** The newest version, which is told unless another one is set. */
export const NEWEST: ReportedVersion = parseReportedVersion(VERSION.api)!;

/** The range of versions that can be reported, for messages. */
export const REPORTABLE = `16.0.0 to ${VERSION.api.replace(/-.*/, '')}`;

/** Parses a version, with or without an edition; undefined for one that is malformed or not known. */
export function parseReportedVersion(text: string): ReportedVersion | undefined {
  const [, major, minor, patch] = (FORM.exec(text) ?? []).map(Number);
  const last = MINORS[major ?? 0];
  if (last === undefined || minor! > last) return undefined;
  return { text, major: major!, minor: minor!, patch: patch! };
}

/** Whether a version is earlier than another one. */
export function isBefore({ major, minor }: ReportedVersion, other: PlatformVersion): boolean {
  const [otherMajor, otherMinor] = other.split('.').map(Number) as [number, number];
  return major < otherMajor || (major === otherMajor && minor < otherMinor);
}
