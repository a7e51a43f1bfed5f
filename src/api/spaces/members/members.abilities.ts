import type { SourceAbilities } from '../spaces.source.ts';

/** Abilities for reading and managing members, in projects and groups. */
export const READ_MEMBERS: SourceAbilities = { project: 'read_members', group: 'read_group_members' };
export const MANAGE_MEMBERS: SourceAbilities = { project: 'admin_members', group: 'admin_group_members' };
/** Ability for removing a member: those who manage members, and members themselves. */
export const REMOVE_MEMBER: SourceAbilities = { project: 'remove_member', group: 'remove_group_member' };
