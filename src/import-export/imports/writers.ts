import type { Writer } from './importing.ts';
import { approvalRuleWriter } from './relations/approval-rules.ts';
import { featureFlagWriter, userListWriter } from './relations/feature-flags.ts';
import { issueLinkWriter } from './relations/issue-links.ts';
import { issueWriter } from './relations/issues.ts';
import { memberWriter } from './relations/members.ts';
import { mergeRequestWriter } from './relations/merge-requests.ts';
import { badgeWriter, namedWriter } from './relations/named.ts';
import { commitNoteWriter } from './relations/notes.ts';
import { pipelineScheduleWriter } from './relations/pipeline-schedules.ts';
import { pipelineWriter } from './relations/pipelines.ts';
import { projectFeatureWriter } from './relations/project-feature.ts';
import { protectionWriter } from './relations/protected-refs.ts';
import { pushRuleWriter } from './relations/push-rule.ts';
import { releaseWriter } from './relations/releases.ts';
import { snippetWriter } from './relations/snippets.ts';

/** What is taken over of groups and projects, in the order in which one needs the other. */
export const WRITERS: Readonly<Record<'group' | 'project', Readonly<Record<string, Writer>>>> = {
  group: {
    labels: namedWriter('labels'),
    milestones: namedWriter('milestones'),
    badges: badgeWriter,
    members: memberWriter,
  },
  project: {
    project_feature: projectFeatureWriter,
    labels: namedWriter('labels'),
    milestones: namedWriter('milestones'),
    project_badges: badgeWriter,
    protected_branches: protectionWriter('branch'),
    protected_tags: protectionWriter('tag'),
    push_rule: pushRuleWriter,
    approval_rules: approvalRuleWriter,
    pipeline_schedules: pipelineScheduleWriter,
    operations_feature_flags_user_lists: userListWriter,
    operations_feature_flags: featureFlagWriter,
    releases: releaseWriter,
    issues: issueWriter,
    issue_links: issueLinkWriter,
    merge_requests: mergeRequestWriter,
    commit_notes: commitNoteWriter,
    ci_pipelines: pipelineWriter,
    snippets: snippetWriter,
    project_members: memberWriter,
  },
};
