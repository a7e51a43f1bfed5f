import type { RelationWriter } from './import-context.ts';
import { approvalRuleWriter } from './relations/approval-rules.import.ts';
import { featureFlagWriter, userListWriter } from './relations/feature-flags.import.ts';
import { issueLinkWriter } from './relations/issue-links.import.ts';
import { issueWriter } from './relations/issues.import.ts';
import { memberWriter } from './relations/members.import.ts';
import { mergeRequestWriter } from './relations/merge-requests.import.ts';
import { badgeWriter, namedWriter } from './relations/named.ts';
import { commitNoteWriter } from './relations/notes.import.ts';
import { pipelineScheduleWriter } from './relations/pipeline-schedules.import.ts';
import { pipelineWriter } from './relations/pipelines.import.ts';
import { projectFeatureWriter } from './relations/project-feature.import.ts';
import { protectionWriter } from './relations/protected-refs.import.ts';
import { pushRuleWriter } from './relations/push-rule.import.ts';
import { releaseWriter } from './relations/releases.import.ts';
import { snippetWriter } from './relations/snippets.import.ts';

/** Writers of the relations of groups and projects, in the order of their dependencies. */
export const WRITERS: Readonly<Record<'group' | 'project', Readonly<Record<string, RelationWriter>>>> = {
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
