import { BOTH, type QuickAction } from '../quick-actions.action.ts';

/**
 * Quick actions of the platform for features that this server lacks: epics, iterations, boards, contacts and the like.
 */
const UNSUPPORTED: readonly (readonly [name: string, ...aliases: string[]])[] = [
  ['set_parent', 'epic', 'parent_epic'],
  ['remove_parent', 'remove_epic', 'remove_parent_epic'],
  ['add_child', 'child_epic'],
  ['remove_child', 'remove_child_epic'],
  ['promote'],
  ['iteration'],
  ['remove_iteration'],
  ['status'],
  ['board_move'],
  ['add_contacts'],
  ['remove_contacts'],
  ['add_email', 'invite_email'],
  ['remove_email'],
  ['convert_to_ticket'],
  ['zoom'],
  ['remove_zoom'],
  ['link'],
  ['page'],
  ['publish'],
  ['timeline'],
  ['checkin_reminder'],
];

/** Unsupported quick actions are removed from the text and report that they cannot be applied. */
export const unsupportedActions: readonly QuickAction[] = UNSUPPORTED.map(([name, ...aliases]) => ({
  name,
  aliases,
  on: BOTH,
  may: () => false,
  evaluate: () => undefined,
}));
