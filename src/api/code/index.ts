import { registerMirrors } from '../../mirroring/background.ts';
import type { Area } from '../area.ts';
import { legacyProtectionRoutes } from './branches/legacy-protection-routes.ts';
import { branchRoutes } from './branches/routes.ts';
import { changelogRoutes } from './changelogs/routes.ts';
import { commitStatusRoutes } from './commit-statuses/routes.ts';
import { commitHistoryRoutes } from './commits/history-routes.ts';
import { commitPageRoutes } from './commits/page-routes.ts';
import { commitPickRoutes } from './commits/pick-routes.ts';
import { commitsRoutes } from './commits/routes.ts';
import { groupProtectedBranchRoutes } from './group-protected-branches/routes.ts';
import { protectedBranchRoutes } from './protected-branches/routes.ts';
import { takePartInUserRemoval } from './protected-refs/background.ts';
import { protectedTagRoutes } from './protected-tags/routes.ts';
import { pullMirrorRoutes } from './pull-mirrors/routes.ts';
import { pushRuleRoutes } from './push-rules/routes.ts';
import { remoteMirrorRoutes } from './remote-mirrors/routes.ts';
import { repositoryRoutes } from './repositories/routes.ts';
import { repositoryFilesRoutes } from './repository-files/routes.ts';
import { snapshotRoutes } from './snapshots/routes.ts';
import { takePartInRemovals } from './snippets/background.ts';
import { snippetsRoutes } from './snippets/routes.ts';
import { submoduleRoutes } from './submodules/routes.ts';
import { tagRoutes } from './tags/routes.ts';
import { registerWikiWork } from './wikis/background.ts';
import { wikiRoutes } from './wikis/routes.ts';

export { defaultBranchOf } from './branches/list.ts';
export { createBranch } from './branches/writes.ts';
export { Commit } from './commits/answers.ts';
export { Diff } from './commits/diff-answers.ts';
export { presentDiff } from './commits/diff-views.ts';
export { CommitSha, type FoundCommit, findCommit, readable } from './commits/find.ts';
export type { CommitJson } from './commits/inputs.ts';
export { presentCommit, projectUrl } from './commits/views.ts';
export { Pipeline, PipelineBasic, PipelineListEntry } from './pipelines/answers.ts';
export { detailedStatus } from './pipelines/detailed-status.ts';
export { presentPipeline, presentPipelineBasic, presentPipelineEntry } from './pipelines/views.ts';
export { loadSubjectNames, presentLevels, type SubjectNames } from './protected-refs/views.ts';
export { mostShared, readingThread } from './reading-thread.ts';
export { sendArchive } from './repositories/archive-routes.ts';
export { findProjectSnippet } from './snippets/find.ts';
export { snippetUrls } from './snippets/views.ts';
export { createTag } from './tags/writes.ts';
export { WikiPageBasic } from './wikis/answers.ts';
export { withoutFrontMatter } from './wikis/front-matter.ts';
export { pagesOf } from './wikis/pages.ts';
export { type WikiPageJson, wikiPagesById } from './wikis/views.ts';

/** What git holds, who may change it, and snippets. */
export const code: Area = {
  routes: [
    ...legacyProtectionRoutes,
    ...branchRoutes,
    ...changelogRoutes,
    ...commitStatusRoutes,
    ...commitPageRoutes,
    ...commitsRoutes,
    ...commitHistoryRoutes,
    ...commitPickRoutes,
    ...groupProtectedBranchRoutes,
    ...protectedBranchRoutes,
    ...protectedTagRoutes,
    ...pullMirrorRoutes,
    ...pushRuleRoutes,
    ...remoteMirrorRoutes,
    ...repositoryRoutes,
    ...repositoryFilesRoutes,
    ...snapshotRoutes,
    ...snippetsRoutes,
    ...submoduleRoutes,
    ...tagRoutes,
    ...wikiRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    takePartInUserRemoval(deps);
    takePartInRemovals(deps);
    registerMirrors(deps);
    registerWikiWork(deps);
  },
};
