import { Type } from 'typebox';
import { route } from '../../../http/http.route.ts';
import { onIssuable } from '../issuables/issuables.access.ts';
import { ISSUE_KIND } from './issues.kind.ts';
import { cloneIssue, insufficientPermissions, moveIssue } from './issues.move.ts';
import { Issue } from './issues.responses.ts';
import { reorderIssue } from './positions.ts';

const PATH = '/projects/:id/issues/:issue_iid';

const destination = { to_project_id: Type.Integer() };

export const issueMoveRoutes = [
  route({
    method: 'POST',
    path: `${PATH}/move`,
    summary: 'Move an issue to another project',
    description: 'Closes the original. Labels and milestones that the other project lacks are dropped.',
    access: onIssuable(ISSUE_KIND, 'admin_issue', { refusal: () => insufficientPermissions('move') }),
    input: Type.Object(destination),
    success: { status: 201, schema: Issue },
    errors: [404],
    handler: async (c) => ISSUE_KIND.present(c.deps, c, await moveIssue(c.deps, c, c.row, c.input.to_project_id)),
  }),
  route({
    method: 'POST',
    path: `${PATH}/clone`,
    summary: 'Copy an issue to this or another project',
    access: onIssuable(ISSUE_KIND, 'admin_issue', { refusal: () => insufficientPermissions('clone') }),
    input: Type.Object({
      ...destination,
      with_notes: Type.Optional(Type.Boolean({ default: false, description: 'Copy the comments as well.' })),
    }),
    success: { status: 201, schema: Issue },
    errors: [404],
    handler: async (c) => {
      const { to_project_id, with_notes = false } = c.input;
      return ISSUE_KIND.present(c.deps, c, await cloneIssue(c.deps, c, c.row, to_project_id, with_notes));
    },
  }),
  route({
    method: 'PUT',
    path: `${PATH}/reorder`,
    summary: 'Reorder an issue within its project',
    access: onIssuable(ISSUE_KIND, 'admin_issue'),
    input: Type.Object({
      move_before_id: Type.Optional(Type.Integer({ description: 'Id of the issue to place directly before it.' })),
      move_after_id: Type.Optional(Type.Integer({ description: 'Id of the issue to place directly after it.' })),
    }),
    success: { status: 200, schema: Issue },
    errors: [404, 422],
    handler: async (c) => {
      const place = { before: c.input.move_before_id, after: c.input.move_after_id };
      return ISSUE_KIND.present(c.deps, c, await reorderIssue(c.deps, c.row, place));
    },
  }),
];
