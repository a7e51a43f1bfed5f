import type { UserCaller } from '../../../access/caller.ts';
import { findProject } from '../../../access/lookup.ts';
import type { ProjectPermissions } from '../../../access/permissions.ts';
import type { IssueReference, MergeRequestReference, Reference } from '../../../core/core.references.ts';
import type { Issue } from '../../../db/tables/issues.table.ts';
import type { MergeRequest } from '../../../db/tables/merge-requests.table.ts';
import type { Deps } from '../../../deps.ts';
import { canReadIssue } from '../issues/issues.find.ts';
import { permissionsIn, type ReferenceScope } from './references.source.ts';

/** Maximum number of projects that an event may refer to. */
const MAX_PROJECTS = 50;

interface Place extends ReferenceScope {
  permissions: ProjectPermissions;
}

export type ResolvedIssue = Place & { issue: Issue };
export type ResolvedMergeRequest = Place & { mergeRequest: MergeRequest };

/** Resolves references in texts to objects that a viewer may see. Caches look-ups: use one instance per event. */
export class Resolver {
  readonly #deps: Deps;
  readonly #viewer: UserCaller;
  readonly #home: ReferenceScope | null;
  readonly #places = new Map<string, Place | undefined>();

  /** @param scope project of references without a path; null for personal snippets */
  constructor(deps: Deps, viewer: UserCaller, scope: ReferenceScope | null) {
    this.#deps = deps;
    this.#viewer = viewer;
    this.#home = scope;
  }

  /** The issues among the references. */
  async issues(references: readonly Reference[]): Promise<ResolvedIssue[]> {
    const { db } = this.#deps;
    const issues: ResolvedIssue[] = [];
    for (const [place, iids] of await this.#byPlace(references, 'issue')) {
      const query = db.selectFrom('issues').selectAll().where('project_id', '=', place.project.id);
      for (const issue of await query.where('iid', 'in', iids).orderBy('id').execute()) {
        if (await canReadIssue(db, { ...place, caller: this.#viewer }, issue)) issues.push({ ...place, issue });
      }
    }
    return issues;
  }

  /** The merge requests among the references. */
  async mergeRequests(references: readonly Reference[]): Promise<ResolvedMergeRequest[]> {
    const mergeRequests: ResolvedMergeRequest[] = [];
    for (const [place, iids] of await this.#byPlace(references, 'merge_request')) {
      if (!place.permissions.can('read_merge_request')) continue;
      const query = this.#deps.db.selectFrom('merge_requests').selectAll().where('project_id', '=', place.project.id);
      const rows = await query.where('iid', 'in', iids).orderBy('id').execute();
      mergeRequests.push(...rows.map((mergeRequest) => ({ ...place, mergeRequest })));
    }
    return mergeRequests;
  }

  async #byPlace(references: readonly Reference[], type: 'issue' | 'merge_request'): Promise<Map<Place, number[]>> {
    const iids = new Map<Place, number[]>();
    for (const reference of references) {
      if (reference.type !== type) continue;
      const place = await this.#place(reference);
      if (place !== undefined) iids.set(place, [...(iids.get(place) ?? []), reference.iid]);
    }
    return iids;
  }

  async #place({ project }: IssueReference | MergeRequestReference): Promise<Place | undefined> {
    const path = this.#pathOf(project);
    if (path === undefined) return undefined;
    const key = path.toLowerCase();
    if (!this.#places.has(key)) {
      if (this.#places.size >= MAX_PROJECTS) return undefined;
      this.#places.set(key, await this.#look(path));
    }
    return this.#places.get(key);
  }

  #pathOf(project: string | null): string | undefined {
    if (project?.includes('/')) return project;
    if (this.#home === null) return undefined;
    return project === null ? this.#home.project.full_path : `${this.#home.namespace.full_path}/${project}`;
  }

  async #look(path: string): Promise<Place | undefined> {
    const scope = await findProject(this.#deps, path);
    if (scope === undefined) return undefined;
    const permissions = await permissionsIn(this.#deps, this.#viewer, scope);
    return permissions.can('read_project') ? { ...scope, permissions } : undefined;
  }
}
