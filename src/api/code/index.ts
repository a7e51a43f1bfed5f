import type { Area } from '../area.ts';
import { legacyProtectionRoutes } from './branches/legacy-protection-routes.ts';
import { branchRoutes } from './branches/routes.ts';
import { changelogRoutes } from './changelogs/routes.ts';
import { commitStatusRoutes } from './commit-statuses/routes.ts';
import { commitPageRoutes } from './commits/page-routes.ts';
import { commitsRoutes } from './commits/routes.ts';
import { commitSubRoutes } from './commits/sub-routes.ts';
import { groupProtectedBranchRoutes } from './group-protected-branches/routes.ts';
import { protectedBranchRoutes } from './protected-branches/routes.ts';
import { takePartInUserRemoval } from './protected-refs/background.ts';
import { protectedTagRoutes } from './protected-tags/routes.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { repositoryFilesRoutes } from './repository-files/routes.ts';
import { snapshotRoutes } from './snapshots/routes.ts';
import { takePartInRemovals } from './snippets/background.ts';
import { snippetsRoutes } from './snippets/routes.ts';
import { submoduleRoutes } from './submodules/routes.ts';
import { tagRoutes } from './tags/routes.ts';

export { HEADS } from './branches/entity.ts';
export { defaultBranchOf } from './branches/list.ts';
export { Diff, presentDiff } from './commits/diff-entity.ts';
export { presentCommit, presentPipelineBasic, projectUrl } from './commits/entity.ts';
export { CommitSha, type FoundCommit, findCommit, readable } from './commits/find.ts';
export { Commit, type CommitJson, PipelineBasic } from './commits/schema.ts';
export { loadSubjectNames, presentLevels, type SubjectNames } from './protected-refs/entity.ts';
export { findProjectSnippet } from './snippets/find.ts';

/** What git holds, who may change it, and snippets. */
export const code: Area = {
  routes: [
    ...legacyProtectionRoutes,
    ...branchRoutes,
    ...changelogRoutes,
    ...commitStatusRoutes,
    ...commitPageRoutes,
    ...commitsRoutes,
    ...commitSubRoutes,
    ...groupProtectedBranchRoutes,
    ...protectedBranchRoutes,
    ...protectedTagRoutes,
    ...repositoryRoutes,
    ...repositoryFilesRoutes,
    ...snapshotRoutes,
    ...snippetsRoutes,
    ...submoduleRoutes,
    ...tagRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    takePartInUserRemoval(deps);
    takePartInRemovals(deps);
  },
};
