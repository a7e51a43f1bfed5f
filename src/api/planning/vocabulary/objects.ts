import type { TSchema } from 'typebox';
import { AwardEmoji } from '../award-emoji/entity.ts';
import { CommitNote } from '../commit-comments/entity.ts';
import { PositionInput } from '../discussions/position.ts';
import { EventEntity } from '../events/schema.ts';
import { IssueLink, LinkedIssue } from '../issue-links/schema.ts';
import { Issue, IssueBasic } from '../issues/entity.ts';
import { Label } from '../labels/entity.ts';
import { GroupLabel, ProjectLabel } from '../labels/schema.ts';
import { ApprovalConfig } from '../merge-requests/approvals/config.ts';
import {
  CommonRule,
  MergeRequestRule,
  ProjectRule,
  RuleBranch,
  RuleGroup,
  RuleState,
} from '../merge-requests/approvals/rule-schema.ts';
import { ApprovalSummary, MergeRequestApprovalState } from '../merge-requests/approvals/summary.ts';
import {
  HeadPipeline,
  MergeRequest,
  MergeRequestBasic,
  MergeRequestSimple,
} from '../merge-requests/requests/schema.ts';
import { Milestone } from '../milestones/entity.ts';
import { Discussion, Note, Position } from '../notes/entity.ts';

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
  HeadPipeline,
  MergeRequest,
  MergeRequestBasic,
  MergeRequestSimple,
  Milestone,
  MergeRequestApprovalRule: MergeRequestRule,
  MergeRequestApprovalState,
  Note,
  Position,
  PositionInput,
  ProjectApprovalRule: ProjectRule,
  ProjectLabel,
};
