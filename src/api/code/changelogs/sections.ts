import { compareSemver, SEMVER } from './changelogs.versions.ts';

const HEADINGS = new RegExp(`^##[ \\t]+v?(${SEMVER})(?![\\w.+-])`, 'gm');

/**
 * Inserts a section into a changelog: before the first section of a lower version, else at the end.
 * @param version without a leading `v`
 * @param section including its heading
 * @returns null if the version already has a section
 */
export function insertSection(content: string, version: string, section: string): string | null {
  const headings = [...content.matchAll(HEADINGS)];
  if (headings.some((match) => match[1] === version)) return null;
  const next = headings.find((match) => compareSemver(match[1]!, version) < 0);
  if (next !== undefined) return `${content.slice(0, next.index)}${section}\n${content.slice(next.index)}`;
  return content.trim() === '' ? section : `${content.trimEnd()}\n\n${section}`;
}
