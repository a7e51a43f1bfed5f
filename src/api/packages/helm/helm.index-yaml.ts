import { compareSemVer, parseSemVer, type SemVer } from '../../../packages/semver.ts';
import type { ChartValue } from './chart.ts';
import type { IndexedChart } from './helm.find.ts';

/** Characters that are valid in JSON strings, but line breaks or invalid in YAML. */
const UNSAFE = /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g;

/** Quotes a string, so that it is not taken for a number, a date or anything else. */
const quoted = (text: string): string =>
  JSON.stringify(text).replace(UNSAFE, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Appends the lines of a value after a key or dash. */
function write(lines: string[], lead: string, value: ChartValue, indent: string): void {
  if (typeof value === 'string') lines.push(`${lead} ${quoted(value)}`);
  else if (typeof value === 'boolean') lines.push(`${lead} ${value}`);
  else if (Array.isArray(value)) {
    if (value.length === 0) lines.push(`${lead} []`);
    else {
      lines.push(lead);
      for (const each of value) write(lines, `${indent}-`, each, `${indent}  `);
    }
  } else {
    const entries = Object.entries(value);
    if (entries.length === 0) lines.push(`${lead} {}`);
    else {
      lines.push(lead);
      for (const [key, each] of entries) write(lines, `${indent}${keyOf(key)}:`, each, `${indent}  `);
    }
  }
}

/** YAML gives special meaning only to keys that are short or contain other characters than letters. */
const keyOf = (key: string): string =>
  /^[a-z][A-Za-z]{3,}$/.test(key) && !/^(?:true|null|false)$/.test(key) ? key : quoted(key);

const rankOf = (version: string): SemVer => parseSemVer(version.replace(/^v/, ''))!;

/**
 * Renders the index of a channel for Helm: charts by name, highest version first.
 * @param generated instant, ISO 8601
 * @param contextPath URL path of the charts
 */
export function indexYaml(charts: readonly IndexedChart[], generated: string, contextPath: string): string {
  const entries = new Map<string, { rank: SemVer; entry: ChartValue }[]>();
  for (const { chart, sha256, fileName, createdAt } of charts) {
    const entry = { ...chart, created: createdAt, digest: sha256, urls: [`charts/${fileName}`] };
    const versions = entries.get(chart.name) ?? [];
    versions.push({ rank: rankOf(chart.version), entry });
    entries.set(chart.name, versions);
  }
  const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : 1));
  const lines: string[] = ['---', 'apiVersion: v1'];
  const listed = sorted.map(([name, versions]) => [
    name,
    versions.sort((a, b) => compareSemVer(b.rank, a.rank)).map(({ entry }) => entry),
  ]);
  write(lines, 'entries:', Object.fromEntries(listed) as ChartValue, '  ');
  lines.push(`generated: ${quoted(generated)}`);
  write(lines, 'serverInfo:', { contextPath }, '  ');
  return `${lines.join('\n')}\n`;
}
