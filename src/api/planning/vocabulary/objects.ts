import type { TSchema } from 'typebox';
import { AwardEmoji } from '../award-emoji/answers.ts';
import { CommitNote } from '../commit-comments/answers.ts';
import { PositionInput, RangeEndInput } from '../discussions/position.ts';
import { EventEntity } from '../events/answers.ts';
import { IssueLink, LinkedIssue } from '../issue-links/answers.ts';
import { Issue, IssueBasic } from '../issues/answers.ts';
import { GroupLabel, Label, ProjectLabel } from '../labels/answers.ts';
import { ApprovalConfig } from '../merge-requests/approvals/config.ts';
import {
  CommonRule,
  MergeRequestRule,
  ProjectRule,
  RuleBranch,
  RuleGroup,
  RuleState,
} from '../merge-requests/approvals/rule-answers.ts';
import { ApprovalSummary, MergeRequestApprovalState } from '../merge-requests/approvals/summary.ts';
import { MergeRequest, MergeRequestBasic, MergeRequestSimple } from '../merge-requests/requests/answers.ts';
import { Milestone } from '../milestones/answers.ts';
import { Discussion, Note, Position, RangeEnd } from '../notes/answers.ts';

/** Names of the objects that answers of this area hold, in the words of the field. */
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
};
