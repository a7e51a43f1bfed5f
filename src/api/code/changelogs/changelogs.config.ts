import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { ChangelogError, parseTemplate, type Template } from './changelogs.template.ts';
import { DEFAULT_TAG_REGEX } from './changelogs.versions.ts';

export const DEFAULT_CONFIG_FILE = '.gitlab/changelog_config.yml';
const MAX_FILE = 128 * 1024;
const MAX_PATTERN = 1_000;
const MAX_GROUPS = 20;

/** Changelog configuration of a project. */
export interface ChangelogConfig {
  /** Date format of a section, in `strftime` syntax. */
  dateFormat: string;
  template: Template;
  /** Titles of categories by value of the trailer. */
  categories: ReadonlyMap<string, string>;
  /** Full paths of groups whose members are credited although they belong to the project. */
  includeGroups: readonly string[];
  /** RE2 pattern for versions in tag names. */
  tagRegex: string;
}

const DEFAULT_TEMPLATE = [
  '{% if categories %}',
  '{% each categories %}',
  '### {{ title }} ({% if single_change %}1 change{% else %}{{ count }} changes{% end %})',
  '',
  '{% each entries %}',
  '- [{{ title }}]({{ commit.web_url }})\\',
  '{% if author.credit %} by {{ author.reference }}{% end %}\\',
  '{% if merge_request %} ([merge request]({{ merge_request.web_url }})){% end %}',
  '',
  '{% end %}',
  '',
  '{% end %}',
  '{% else %}',
  'No changes.',
  '{% end %}',
].join('\n');

/**
 * Reads the changelog configuration from a repository; missing values and a missing file mean defaults.
 * @param ref branch, tag or commit; the default branch when undefined
 * @throws ChangelogError for an invalid file
 */
export async function readConfig(repo: Repository, file: string, ref: string | undefined): Promise<ChangelogConfig> {
  const revision = await resolveRevision(repo, ref || 'HEAD');
  const entry = revision === null ? null : await entryAt(repo, revision.oid, file);
  if (entry?.type !== 'blob' || entry.mode === '120000') return configOf({});
  const blob = await repo.objects.read(entry.oid, MAX_FILE);
  if (blob?.data == null) throw new ChangelogError(`The configuration is longer than ${MAX_FILE} bytes`);
  return configOf(await valuesOf(blob.data.toString('utf8')));
}

async function valuesOf(text: string): Promise<Record<string, unknown>> {
  // Imported on first use, to keep the start of the process short.
  const { parse } = await import('yaml');
  let values: unknown;
  try {
    values = parse(text, { maxAliasCount: 20, prettyErrors: false, logLevel: 'error' });
  } catch {
    throw new ChangelogError('The configuration is not valid YAML');
  }
  if (values === null || values === undefined) return {};
  return recordOf(values, 'The configuration');
}

function recordOf(value: unknown, name: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ChangelogError(`${name} must be a mapping`);
  }
  return value as Record<string, unknown>;
}

function configOf(values: Record<string, unknown>): ChangelogConfig {
  const text = (name: string, otherwise: string): string => {
    const value = values[name] ?? otherwise;
    if (typeof value !== 'string') throw new ChangelogError(`${name} of the configuration must be a string`);
    return value;
  };
  const groups = values.include_groups ?? [];
  if (!Array.isArray(groups) || groups.length > MAX_GROUPS || groups.some((path) => typeof path !== 'string')) {
    throw new ChangelogError(`include_groups of the configuration must be a list of at most ${MAX_GROUPS} full paths`);
  }
  const tagRegex = text('tag_regex', DEFAULT_TAG_REGEX);
  if (tagRegex.length > MAX_PATTERN) throw new ChangelogError('tag_regex of the configuration is too long');
  const categories = Object.entries(recordOf(values.categories ?? {}, 'categories of the configuration'));
  return {
    dateFormat: text('date_format', '%Y-%m-%d').slice(0, 100),
    template: parseTemplate(text('template', DEFAULT_TEMPLATE)),
    categories: new Map(categories.map(([name, title]) => [name, typeof title === 'string' ? title : name])),
    includeGroups: groups as string[],
    tagRegex,
  };
}
