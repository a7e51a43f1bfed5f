import strftime from 'strftime';
import type { Caller, UserCaller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { ApiError, refused } from '../../../core/core.errors.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { countCommits } from '../../../git/history/index.ts';
import { type Repository, resolveRevision } from '../../../git/repository/index.ts';
import { entryAt } from '../../../git/trees/index.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { commitFiles } from '../../../repositories/commit-files.ts';
import { RepositoryReadOnly } from '../../../repositories/read-only.ts';
import type { Actor } from '../../../repositories/repository.protections.ts';
import { projectUrl } from '../commits/commits.views.ts';
import { authorsOf } from './authors.ts';
import { type ChangelogConfig, DEFAULT_CONFIG_FILE, readConfig } from './changelogs.config.ts';
import { changelogCommits, MAX_COMMITS, templateData } from './changelogs.entries.ts';
import { mergeRequestsOf } from './changelogs.merge-requests.ts';
import { ChangelogError, renderTemplate } from './changelogs.template.ts';
import { commitOfVersionBefore } from './changelogs.versions.ts';
import { insertSection } from './sections.ts';

const MAX_FILE = 10 * 1024 * 1024;

export interface ChangelogRequest {
  project: Project;
  caller: Caller;
  permissions: ProjectPermissions;
  /** A semantic version, with or without a leading `v`. */
  version: string;
  /** Branch, tag or commit; the tag of the previous version when absent. */
  from?: string | undefined;
  /** Branch, tag or commit. */
  to: string;
  date: Date;
  trailer: string;
  configFile?: string | undefined;
  configRef?: string | undefined;
}

/**
 * Generates the section of a version, with its heading and a single line feed at the end.
 * @throws ApiError 422 `Failed to generate the changelog: ...`
 */
export async function changelogSection(deps: Deps, request: ChangelogRequest): Promise<string> {
  return explained(async () => {
    const { project, caller } = request;
    const repo = repositoryOf(deps, project);
    const config = await readConfig(repo, request.configFile || DEFAULT_CONFIG_FILE, request.configRef);
    const range = await rangeOf(repo, request, config);
    const commits = await changelogCommits(repo, range, request.trailer);
    const emails = commits.map(({ authorEmail }) => authorEmail);
    const shas = commits.map(({ oid }) => oid);
    const data = templateData(commits, {
      project,
      webUrl: projectUrl(deps, project),
      categories: config.categories,
      authors: await authorsOf(deps, caller, project, emails, config.includeGroups),
      mergeRequests: request.permissions.can('read_merge_request')
        ? await mergeRequestsOf(deps.db, project, shas)
        : new Map(),
    });
    const day = strftime.timezone(0)(config.dateFormat, request.date);
    return `## ${plain(request.version)} (${day})\n\n${renderTemplate(config.template, data).trim()}\n`;
  });
}

const plain = (version: string): string => version.replace(/^v/, '');

async function rangeOf(repo: Repository, request: ChangelogRequest, config: ChangelogConfig) {
  const from = request.from
    ? (await resolveRevision(repo, request.from))?.oid
    : await commitOfVersionBefore(repo, request.version, config.tagRegex);
  if (from === null) {
    throw new ChangelogError(
      'The commit start range is unspecified, and no previous tag could be found to use instead',
    );
  }
  const to = (await resolveRevision(repo, request.to))?.oid;
  if (from === undefined || to === undefined) {
    throw new ChangelogError('Invalid or not found commit value in the given range');
  }
  if ((await countCommits(repo, [to], { not: [from], limit: MAX_COMMITS + 1 })) > MAX_COMMITS) {
    throw new ChangelogError(`The commits range exceeds ${MAX_COMMITS} elements.`);
  }
  return { from, to };
}

export interface CommitChangelogRequest extends ChangelogRequest {
  actor: Actor & { caller: UserCaller };
  branch: string;
  file: string;
  message: string;
}

/** The changelog already has the version: there is nothing to commit. */
class AlreadyThere extends Error {}

/**
 * Generates the section of a version and commits it to the changelog, which is created if necessary. An existing
 * section of the version is kept.
 * @throws ApiError 422 `Failed to generate the changelog: ...`, also if committing to the branch fails
 */
export async function commitChangelog(deps: Deps, request: CommitChangelogRequest): Promise<void> {
  const section = await changelogSection(deps, request);
  const { project, actor, branch, file: path, message, version } = request;
  await explained(async () => {
    try {
      await commitFiles(deps, {
        project,
        actor,
        branch,
        message,
        actions: async (repo, base) => {
          const old = base === null ? null : await contentAt(repo, base, path);
          const content = insertSection(old ?? '', plain(version), section);
          if (content === null) throw new AlreadyThere();
          return [{ action: old === null ? 'create' : 'update', path, content: Buffer.from(content) }];
        },
      });
    } catch (error) {
      if (!(error instanceof AlreadyThere)) throw error;
    }
  });
}

async function contentAt(repo: Repository, commit: string, path: string): Promise<string | null> {
  const entry = await entryAt(repo, commit, path);
  if (entry === null) return null;
  if (entry.type !== 'blob' || entry.mode === '120000') throw new ChangelogError(`${path} is not a file`);
  const blob = await repo.objects.read(entry.oid, MAX_FILE);
  if (blob?.data == null) throw new ChangelogError(`${path} is too large (maximum is ${MAX_FILE} bytes)`);
  return blob.data.toString('utf8');
}

/** Converts errors to the status and message of the platform. */
async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RepositoryReadOnly) throw error;
    const known = error instanceof ChangelogError || (error instanceof ApiError && error.status === 400);
    throw known ? refused(`Failed to generate the changelog: ${error.message}`, 422) : error;
  }
}
