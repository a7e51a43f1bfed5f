import { lineageIds } from '../../../access/access.membership.ts';
import type { Access } from '../../../http/http.route.ts';
import { type GroupScope, inGroup, inProject, type ProjectScope } from '../../api.access.ts';

/** The project or group that milestones belong to. */
export interface MilestoneOwner {
  type: 'project' | 'group';
  id: number;
  fullPath: string;
  /** Ids of the ancestor groups of a project, or of a group and its ancestors; the nearest one last. */
  groups: number[];
  lineage: string;
}

/** Differences between milestones of projects and milestones of groups. */
export interface MilestoneSpace<A extends object> {
  path: string;
  noun: 'project' | 'group';
  read: Access<A>;
  admin: Access<A>;
  owner(scope: A): MilestoneOwner;
}

export const projectMilestones: MilestoneSpace<ProjectScope> = {
  path: '/projects/:id/milestones',
  noun: 'project',
  read: inProject('read_milestone', { anonymous: true }),
  admin: inProject('admin_milestone'),
  owner: ({ project, namespace: { lineage } }) => ({
    type: 'project',
    id: project.id,
    fullPath: project.full_path,
    groups: lineageIds(lineage),
    lineage,
  }),
};

export const groupMilestones: MilestoneSpace<GroupScope> = {
  path: '/groups/:id/milestones',
  noun: 'group',
  read: inGroup('read_group_milestone', { anonymous: true }),
  admin: inGroup('admin_group_milestone'),
  owner: ({ group: { id, full_path, lineage } }) => ({
    type: 'group',
    id,
    fullPath: full_path,
    groups: lineageIds(lineage),
    lineage,
  }),
};
