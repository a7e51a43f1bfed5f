import { compareSemver, SEMVER } from './changelogs.versions.ts';

const HEADINGS = new RegExp(`^##[ \\t]+v?(${SEMVER})(?![\\w.+-])`, 'gm');

/**
 * Puts a section into a changelog: before the first of a lower version, else at its end.
 * @param version without a `v` before it
 * @param section with its heading
 * @returns null where there is a section of this version
 */
export function insertSection(content: string, version: string, section: string): string | null {
  const headings = [...content.matchAll(HEADINGS)];
  if (headings.some((match) => match[1] === version)) return null;
  const next = headings.find((match) => compareSemver(match[1]!, version) < 0);
  if (next !== undefined) return `${content.slice(0, next.index)}${section}\n${content.slice(next.index)}`;
  return content.trim() === '' ? section : `${content.trimEnd()}\n\n${section}`;
}
