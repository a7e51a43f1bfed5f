import type { Caller } from '../../../access/caller.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import { timestamp } from '../../../core/clock.ts';
import { pluck } from '../../../core/pluck.ts';
import type { Project } from '../../../db/tables/projects.table.ts';
import type { Release } from '../../../db/tables/releases.table.ts';
import type { Deps } from '../../../deps.ts';
import type { TextHome } from '../../../references/mention-places.ts';
import { renderDescription } from '../../../references/render-text.ts';
import { repositoryOf } from '../../../repositories/change-refs.ts';
import { type CommitJson, presentCommit, projectUrl } from '../../code/index.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { presentLink } from '../release-links/release-links.views.ts';
import { commitPath, linksOf, releaseUrl, sourcesOf, tagPath } from './releases.addresses.ts';
import type { ReleaseBasicJson, ReleaseJson } from './releases.responses.ts';
import { type ReleaseRows, readReleaseRows } from './releases.view-rows.ts';
import { readCommit } from './stored-commit.ts';

/** Project of a release, with the permissions of the caller. */
export interface ReleaseContext {
  project: Project;
  permissions: ProjectPermissions;
}

/** Renders the description of a release as HTML. */
export type DescribeRelease = (release: Release) => Promise<string>;

/** Renders descriptions of releases of a project for a reader. */
export const describedFor =
  (deps: Deps, caller: Caller, home: TextHome): DescribeRelease =>
  ({ description }) =>
    renderDescription(deps, caller, home, description);

/** Renders a release with `simple`. */
export const presentBasic = (deps: Deps, row: Release): ReleaseBasicJson => ({
  name: row.name ?? row.tag,
  tag_name: row.tag,
  description: row.description,
  created_at: row.created_at,
  released_at: row.released_at,
  upcoming_release: row.released_at > timestamp(deps.clock),
});

/**
 * Renders releases with a fixed number of queries. Callers who may not read the code see nothing about it.
 * @param contextOf project by id; releases of other projects are left out
 * @param describe adds the description as HTML
 */
export async function presentReleases(
  deps: Deps,
  rows: readonly Release[],
  contextOf: (projectId: number) => ReleaseContext | undefined,
  describe?: DescribeRelease,
): Promise<ReleaseJson[]> {
  const more = await readReleaseRows(deps, pluck(rows, 'id'));
  const users = await usersById(deps.db, pluck(rows, 'author_id'));
  const shown: ReleaseJson[] = [];
  for (const row of rows) {
    const context = contextOf(row.project_id);
    if (context === undefined) continue;
    const author = users.get(row.author_id ?? 0);
    shown.push({
      ...presentBasic(deps, row),
      ...(describe === undefined ? {} : { description_html: await describe(row) }),
      author: author === undefined ? null : userBasic(deps, author),
      ...(await partsFor(deps, row, context, more)),
    });
  }
  return shown;
}

/** Renders a single release. */
export async function presentRelease(
  deps: Deps,
  row: Release,
  context: ReleaseContext,
  describe?: DescribeRelease,
): Promise<ReleaseJson> {
  const [shown] = await presentReleases(deps, [row], () => context, describe);
  return shown!;
}

/** Determines the parts of a release that depend on the permissions of the caller. */
async function partsFor(deps: Deps, row: Release, { project, permissions }: ReleaseContext, more: ReleaseRows) {
  const url = releaseUrl(deps, project, row.tag);
  const links = (more.links.get(row.id) ?? []).map((link) => presentLink(link, url));
  const milestones = permissions.can('read_milestone') ? (more.milestones.get(row.id) ?? []) : [];
  const parts = {
    ...(milestones.length === 0 ? {} : { milestones }),
    _links: linksOf(deps, project, row.tag, permissions.can('update_release')),
  };
  if (!permissions.can('read_code')) return { ...parts, assets: { count: links.length, links } };
  const sources = sourcesOf(deps, project, row.tag);
  const evidences = (more.evidences.get(row.id) ?? []).map(({ id, sha, created_at }) => ({
    sha,
    filepath: `${url}/evidences/${id}.json`,
    collected_at: created_at,
  }));
  return {
    ...parts,
    commit: await commitOf(deps, row, project),
    ...(row.sha === null ? {} : { commit_path: commitPath(project, row.sha) }),
    tag_path: tagPath(project, row.tag),
    assets: { count: links.length + sources.length, sources, links },
    evidences,
  };
}

async function commitOf(deps: Deps, { sha, commit_object }: Release, project: Project): Promise<CommitJson | null> {
  if (sha === null) return null;
  const commit =
    commit_object === null ? await repositoryOf(deps, project).objects.commit(sha) : readCommit(commit_object);
  return commit === null ? null : presentCommit(commit, projectUrl(deps, project));
}
