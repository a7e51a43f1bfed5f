import type { Caller } from '../../../access/caller.ts';
import type { Project as ProjectRow } from '../../../db/tables/projects.table.ts';
import type { Deps } from '../../../deps.ts';
import { GitError, isUnreadable } from '../../../git/common/index.ts';
import { registrationToken } from '../../../pipelines/runners/registration-tokens.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { findLicense } from './projects.license.ts';
import type { Project, SimpleProject } from './projects.responses.ts';
import { loadViews, type ProjectView } from './projects.view-rows.ts';
import { type FullOptions, fullProject, type RepositoryFacts, simpleProject } from './projects.views.ts';
import { findReadme, topFiles } from './readme.ts';

export interface PresentOptions extends FullOptions {
  simple?: boolean;
}

/** Reads facts about a repository for lists: two small reads, no process. Null if the caller may not read code. */
async function factsOf(deps: Deps, { project, permissions }: ProjectView): Promise<RepositoryFacts | null> {
  if (!permissions.can('read_code')) return null;
  try {
    const { refs } = repositoryOf(deps, project);
    const defaultBranch = await refs.head();
    const tip = defaultBranch === null ? null : await refs.resolve(`refs/heads/${defaultBranch}`);
    const empty = tip === null && (await refs.list('refs/heads/')).length === 0;
    return { defaultBranch, empty };
  } catch (error) {
    // The project itself is shown even if its repository is damaged.
    if (error instanceof GitError || isUnreadable(error)) return { defaultBranch: null, empty: true };
    throw error;
  }
}

async function present(deps: Deps, caller: Caller, view: ProjectView, options: PresentOptions): Promise<Project> {
  const facts = await factsOf(deps, view);
  if (options.simple || caller.user === null) return simpleProject(deps, caller, view, facts, options);
  return withSource(deps, caller, view, fullProject(deps, caller, view, facts, options));
}

async function withSource(deps: Deps, caller: Caller, { forkedFrom }: ProjectView, json: Project): Promise<Project> {
  if (forkedFrom === null) return json;
  return { ...json, forked_from_project: simpleProject(deps, caller, forkedFrom, await factsOf(deps, forkedFrom)) };
}

/** Renders projects as JSON, in order, with a fixed number of queries. */
export async function presentProjects(
  deps: Deps,
  caller: Caller,
  rows: readonly ProjectRow[],
  options: PresentOptions = {},
): Promise<(Project | SimpleProject)[]> {
  const simple = options.simple === true || caller.user === null;
  const views = await loadViews(deps, caller, rows, {
    simple,
    customAttributes: caller.admin && options.customAttributes === true,
  });
  return Promise.all(views.map((view) => present(deps, caller, view, options)));
}

/**
 * Renders a single project as JSON, with the URL of its README and optionally its licence.
 * @param options `license`: detect the licence from the files of the default branch
 */
export async function presentProject(
  deps: Deps,
  caller: Caller,
  row: ProjectRow,
  options: PresentOptions & { license?: boolean } = {},
): Promise<Project> {
  const [view] = await loadViews(deps, caller, [row], {
    simple: caller.user === null,
    customAttributes: caller.admin && options.customAttributes === true,
  });
  const json = await withRunnersToken(deps, view!, await present(deps, caller, view!, options));
  if (json.default_branch === undefined || json.default_branch === null) {
    return options.license ? { ...json, license_url: null, license: null } : json;
  }
  return { ...json, ...(await fileFacts(deps, row, json, options.license === true)) };
}

/** Adds the runner registration token for callers who may see it. */
async function withRunnersToken(deps: Deps, { project }: ProjectView, json: Project): Promise<Project> {
  if (json.runners_token === undefined || !deps.settings.now.allow_runner_registration_token) return json;
  return { ...json, runners_token: await registrationToken(deps, { project_id: project.id, group_id: null }) };
}

/** Reads facts from the files of the default branch. */
async function fileFacts(
  deps: Deps,
  row: ProjectRow,
  { default_branch, web_url }: Project,
  license: boolean,
): Promise<Pick<Project, 'readme_url' | 'license_url' | 'license'>> {
  const nothing = { readme_url: null, ...(license ? { license_url: null, license: null } : {}) };
  const repo = repositoryOf(deps, row);
  try {
    const tip = await repo.refs.resolve(`refs/heads/${default_branch}`);
    if (tip === null) return nothing;
    const files = await topFiles(repo, tip);
    const readme = findReadme(files);
    const url = (path: string) => `${web_url}/-/blob/${default_branch}/${path}`;
    const licenseFile = license ? await findLicense(repo, files) : null;
    return {
      readme_url: readme === null ? null : url(readme),
      ...(license
        ? { license_url: licenseFile === null ? null : url(licenseFile.path), license: licenseFile?.license ?? null }
        : {}),
    };
  } catch (error) {
    if (error instanceof GitError || isUnreadable(error)) return nothing;
    throw error;
  }
}
