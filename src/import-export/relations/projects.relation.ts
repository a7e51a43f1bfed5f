import { visibilityLevel } from '../../core/access-levels.ts';
import { parseJson } from '../../db/columns.ts';
import { flagValues, PROJECT_FEATURES, type Project } from '../../db/tables/projects.table.ts';
import { approvalRules } from './approval-rules.relation.ts';
import { badgesOf } from './badges.relation.ts';
import { repository } from './bundles.relation.ts';
import { commitNotes } from './commit-notes.relation.ts';
import { featureFlags, userLists } from './feature-flags.relation.ts';
import { issueLinks } from './issue-links.relation.ts';
import { issues } from './issues.relation.ts';
import { labels } from './labels.relation.ts';
import { lfsObjects } from './lfs-objects.relation.ts';
import { projectMembers } from './members.relation.ts';
import { mergeRequests } from './merge-requests.relation.ts';
import { milestones } from './milestones.relation.ts';
import { pipelineSchedules } from './pipeline-schedules.relation.ts';
import { pipelines } from './pipelines.relation.ts';
import { protectedRefs } from './protected-refs.relation.ts';
import { pushRule } from './push-rule.relation.ts';
import { type Exporting, emptyRelation, type Relation, singleRelation } from './relation.ts';
import { releases } from './releases.relation.ts';
import { snippets } from './snippets.relation.ts';
import { uploads } from './uploads.relation.ts';
import { userContributions } from './user-contributions.ts';

/**
 * Settings that are not exported, because they apply to this server only: mirroring, runner tokens and access of
 * others.
 */
const LEFT: readonly string[] = ['repository_object_format', 'created_by_push', 'runner_token_expiration_interval'];
const isLeft = (name: string): boolean => LEFT.includes(name) || name.includes('mirror');

const projectOf = ({ portable }: Exporting): Project => {
  if (portable.kind !== 'project') throw new TypeError('not a project');
  return portable.project;
};

const self = singleRelation('self', async (exporting) => {
  const { deps, db } = exporting;
  const project = projectOf(exporting);
  const topics = await db
    .selectFrom('project_topics')
    .innerJoin('topics', 'topics.id', 'topic_id')
    .select('topics.name')
    .where('project_id', '=', project.id)
    .orderBy('project_topics.position')
    .orderBy('topics.id')
    .execute();
  const location = { storage: project.repository_storage, diskPath: project.disk_path };
  const settings = Object.entries(parseJson<Record<string, unknown>>(project.settings));
  return {
    ...Object.fromEntries(settings.filter(([name]) => !isLeft(name))),
    id: project.id,
    name: project.name,
    path: project.path,
    description: project.description,
    visibility_level: visibilityLevel(project.visibility),
    archived: project.archived === 1,
    default_branch: await deps.storages.open(location).refs.head(),
    ...flagValues(project),
    topics: topics.map(({ name }) => ({ name })),
    created_at: project.created_at,
    updated_at: project.updated_at,
  };
});

const projectFeature = singleRelation('project_feature', (exporting) => {
  const project = projectOf(exporting);
  return Object.fromEntries(
    PROJECT_FEATURES.map((feature) => [`${feature}_access_level`, project[`${feature}_access_level`]]),
  );
});

/** Relations of a project (registry facts 7.1). User contributions come last. */
export const PROJECT_RELATIONS: readonly Relation[] = [
  self,
  projectFeature,
  labels,
  milestones,
  badgesOf('project_badges'),
  emptyRelation('boards'),
  protectedRefs('protected_branches'),
  protectedRefs('protected_tags'),
  pushRule,
  approvalRules,
  pipelineSchedules,
  userLists,
  featureFlags,
  issues,
  issueLinks,
  mergeRequests,
  commitNotes,
  pipelines,
  snippets,
  releases,
  uploads,
  lfsObjects,
  repository,
  userContributions,
];

/** Relations of a project archive: also its members, which direct transfers request from the API. */
export const ARCHIVE_RELATIONS: readonly Relation[] = [...PROJECT_RELATIONS, projectMembers];
