import type { Namespace as NamespaceRow } from '../../../db/tables/namespaces.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userAvatarUrl } from '../../identity/index.ts';
import { groupAvatarUrl, groupWebUrl } from '../groups/groups.views.ts';
import type { Namespace, NamespaceBasic } from './namespaces.responses.ts';

/** Additional data for owners. */
export interface NamespaceCounts {
  members: number;
  billable: number;
  projects: number;
  repositorySize: number;
}

/**
 * Basic fields of a namespace.
 * @param owner user of a personal namespace
 */
export function namespaceBasic(
  deps: Pick<Deps, 'externalUrl'>,
  namespace: NamespaceRow,
  owner: Pick<User, 'id' | 'avatar'> | undefined,
): NamespaceBasic {
  const personal = namespace.kind === 'user';
  return {
    id: namespace.id,
    name: namespace.name,
    path: namespace.path,
    kind: namespace.kind,
    full_path: namespace.full_path,
    parent_id: namespace.parent_id,
    avatar_url: personal ? (owner === undefined ? null : userAvatarUrl(deps, owner)) : groupAvatarUrl(deps, namespace),
    web_url: personal ? `${deps.externalUrl()}/${namespace.full_path}` : groupWebUrl(deps, namespace),
  };
}

/** Fields for owners and administrators only. */
export function ownerFields(
  plan: string,
  kind: NamespaceRow['kind'],
  counts: NamespaceCounts,
): Omit<Namespace, keyof NamespaceBasic> {
  return {
    ...(kind === 'group' ? { members_count_with_descendants: counts.members } : {}),
    root_repository_size: counts.repositorySize,
    projects_count: counts.projects,
    billable_members_count: counts.billable,
    seats_in_use: counts.billable,
    max_seats_used: counts.billable,
    max_seats_used_changed_at: null,
    end_date: null,
    plan,
    trial_ends_on: null,
    trial: false,
  };
}

/** Fields for administrators only. */
export const ADMIN_FIELDS: Pick<
  Namespace,
  | 'shared_runners_minutes_limit'
  | 'extra_shared_runners_minutes_limit'
  | 'additional_purchased_storage_size'
  | 'additional_purchased_storage_ends_on'
> = {
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  additional_purchased_storage_size: 0,
  additional_purchased_storage_ends_on: null,
};
