import type { TSchema } from 'typebox';
import { AwardEmoji } from '../award-emoji/award-emoji.responses.ts';
import { CommitNote } from '../commit-comments/commit-comments.responses.ts';
import { PositionInput, RangeEndInput } from '../discussions/position.ts';
import { EventEntity } from '../events/events.responses.ts';
import { IssueLink, LinkedIssue } from '../issue-links/issue-links.responses.ts';
import { Issue, IssueBasic } from '../issues/issues.responses.ts';
import { GroupLabel, Label, ProjectLabel } from '../labels/labels.responses.ts';
import { ApprovalConfig } from '../merge-requests/approvals/approvals.config.ts';
import {
  CommonRule,
  MergeRequestRule,
  ProjectRule,
  RuleBranch,
  RuleGroup,
  RuleState,
} from '../merge-requests/approvals/approvals.rule-responses.ts';
import { ApprovalSummary, MergeRequestApprovalState } from '../merge-requests/approvals/summary.ts';
import {
  MergeRequest,
  MergeRequestBasic,
  MergeRequestSimple,
} from '../merge-requests/views/merge-requests.responses.ts';
import { Milestone } from '../milestones/milestones.responses.ts';
import { Discussion, Note, Position, RangeEnd } from '../notes/notes.responses.ts';
import { Suggestion } from '../suggestions/suggestions.responses.ts';

/** Schema names of the objects in responses of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  ApprovalConfiguration: ApprovalConfig,
  ApprovalRule: CommonRule,
  ApprovalRuleBranch: RuleBranch,
  ApprovalRuleGroup: RuleGroup,
  ApprovalRuleState: RuleState,
  ApprovalSummary,
  AwardEmoji,
  CommitNote,
  Discussion,
  Event: EventEntity,
  GroupLabel,
  Issue,
  IssueBasic,
  IssueLink,
  Label,
  LinkedIssue,
  MergeRequest,
  MergeRequestBasic,
  MergeRequestSimple,
  Milestone,
  MergeRequestApprovalRule: MergeRequestRule,
  MergeRequestApprovalState,
  Note,
  Position,
  PositionRangeEnd: RangeEnd,
  PositionRangeEndInput: RangeEndInput,
  PositionInput,
  ProjectApprovalRule: ProjectRule,
  ProjectLabel,
  Suggestion,
};
