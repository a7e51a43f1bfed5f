import type { Caller } from '../../../access/caller.ts';
import { groupPermissions } from '../../../access/permissions.ts';
import { forbidden } from '../../../core/errors.ts';
import type { Label } from '../../../db/tables/labels.ts';
import type { Namespace } from '../../../db/tables/namespaces.ts';
import type { Deps } from '../../../deps.ts';
import type { Access } from '../../../http/route.ts';
import { type GroupScope, inGroup, inProject, type ProjectScope } from '../../access.ts';

/** The project or group whose labels are asked for. */
export interface LabelHome {
  type: 'project' | 'group';
  id: number;
  /** The group, or the namespace that the project is in. */
  namespace: Namespace;
}

/** Labels of projects and those of groups work alike: this is what differs. */
export interface Place<A extends object> {
  path: string;
  noun: 'project' | 'group';
  read: Access<A>;
  /** Those who may subscribe. */
  follow: Access<A>;
  admin: Access<A>;
  home(scope: A): LabelHome;
}

export const projectPlace: Place<ProjectScope> = {
  path: '/projects/:id/labels',
  noun: 'project',
  read: inProject('read_label', { anonymous: true }),
  follow: inProject('follow_label'),
  admin: inProject('admin_label'),
  home: ({ project: { id }, namespace }) => ({ type: 'project', id, namespace }),
};

export const groupPlace: Place<GroupScope> = {
  path: '/groups/:id/labels',
  noun: 'group',
  read: inGroup('read_group_label', { anonymous: true }),
  follow: inGroup('follow_group_label'),
  admin: inGroup('admin_group_label'),
  home: ({ group }) => ({ type: 'group', id: group.id, namespace: group }),
};

/** Refuses the change of a group's label by who may only change those of a project in it. @throws ApiError 403 */
export async function requireLabelAdmin(deps: Deps, caller: Caller, home: LabelHome, label: Label): Promise<void> {
  if (home.type === 'group' || label.group_id === null) return;
  if (!(await groupPermissions(deps, caller, home.namespace)).can('admin_group_label')) throw forbidden();
}
