import type { UserCaller } from '../../../access/caller.ts';
import type { Access } from '../../../http/http.route.ts';
import type { WikiOwner } from '../../../repositories/repository.wikis.ts';
import { requireUser } from '../../api.access.ts';
import { inSource, type Source, type SourceKind } from '../../spaces/index.ts';

/** Abilities by right, for projects and groups. */
export const ABILITIES = {
  read: { project: 'read_wiki', group: 'read_group_wiki' },
  create: { project: 'create_wiki', group: 'create_group_wiki' },
  admin: { project: 'admin_wiki', group: 'admin_group_wiki' },
} as const;

/** Project or group of a wiki. */
export interface WikiScope {
  owner: WikiOwner;
  /** Full path of the project or group. */
  fullPath: string;
}

const scopeOf = (source: Source): WikiScope => ({
  owner: { type: source.kind, id: source.id },
  fullPath: source.kind === 'project' ? source.project.full_path : source.group.full_path,
});

/** Callers who may read the wiki. */
export function wikiReader(kind: SourceKind): Access<WikiScope> {
  const access = inSource(kind, ABILITIES.read, { anonymous: true });
  return { ...access, check: async (request) => scopeOf((await access.check(request)).source) };
}

/** Users who may change the wiki. */
export function wikiWriter(kind: SourceKind, right: 'create' | 'admin'): Access<WikiScope & { caller: UserCaller }> {
  const access = inSource(kind, ABILITIES[right]);
  return {
    ...access,
    check: async (request) => {
      const { source } = await access.check(request);
      return { ...scopeOf(source), caller: requireUser(request.caller) };
    },
  };
}
