import { Type } from 'typebox';
import { Enum, Nullable } from '../../../http/http.schema.ts';
import { LINK_TYPES } from './issue-links.responses.ts';

const idOrText = (description: string) => Type.Union([Type.Integer(), Type.String()], { description });

export const CreateIssueLink = Type.Object({
  target_project_id: Nullable(
    idOrText('Id or full path of the project of the other issue; empty for the same project.'),
  ),
  target_issue_iid: idOrText('Number of the other issue in its project.'),
  link_type: Type.Optional(Enum(LINK_TYPES, { default: 'relates_to' })),
});

export const issueIid = { issue_iid: Type.Integer({ description: 'Number of the issue in the project.' }) };

export const linkId = { ...issueIid, issue_link_id: Type.Integer() };
