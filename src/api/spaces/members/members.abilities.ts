import type { SourceAbilities } from '../spaces.source.ts';

/** What seeing and managing members is called in a project, and in a group. */
export const READ_MEMBERS: SourceAbilities = { project: 'read_members', group: 'read_group_members' };
export const MANAGE_MEMBERS: SourceAbilities = { project: 'admin_members', group: 'admin_group_members' };
/** Removing a member: whoever manages members, and each for themselves. */
export const REMOVE_MEMBER: SourceAbilities = { project: 'remove_member', group: 'remove_group_member' };
