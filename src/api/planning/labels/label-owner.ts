import type { Caller } from '../../../access/caller.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { forbidden } from '../../../core/core.errors.ts';
import type { Label } from '../../../db/tables/labels.table.ts';
import type { Namespace } from '../../../db/tables/namespaces.table.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/http.route.ts';
import { type GroupScope, inGroup, inProject, type ProjectScope } from '../../api.access.ts';

/** The project or group of a request about labels. */
export interface LabelOwner {
  type: 'project' | 'group';
  id: number;
  /** The group, or the namespace that the project is in. */
  namespace: Namespace;
}

/** Differences between labels of projects and labels of groups. */
export interface LabelSpace<A extends object> {
  path: string;
  noun: 'project' | 'group';
  read: Access<A>;
  /** Access to subscriptions. */
  subscribe: Access<A>;
  admin: Access<A>;
  owner(scope: A): LabelOwner;
}

export const projectLabels: LabelSpace<ProjectScope> = {
  path: '/projects/:id/labels',
  noun: 'project',
  read: inProject('read_label', { anonymous: true }),
  subscribe: inProject('follow_label'),
  admin: inProject('admin_label'),
  owner: ({ project: { id }, namespace }) => ({ type: 'project', id, namespace }),
};

export const groupLabels: LabelSpace<GroupScope> = {
  path: '/groups/:id/labels',
  noun: 'group',
  read: inGroup('read_group_label', { anonymous: true }),
  subscribe: inGroup('follow_group_label'),
  admin: inGroup('admin_group_label'),
  owner: ({ group }) => ({ type: 'group', id: group.id, namespace: group }),
};

/**
 * Refuses changes of a group label by callers who may change only labels of a project in the group.
 * @throws ApiError 403
 */
export async function requireLabelAdmin(deps: Deps, caller: Caller, owner: LabelOwner, label: Label): Promise<void> {
  if (owner.type === 'group' || label.group_id === null) return;
  if (!(await groupPermissions(deps, caller, owner.namespace)).can('admin_group_label')) throw forbidden();
}
