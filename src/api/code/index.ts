import { registerMirrors } from '../../mirroring/mirroring.background.ts';
import type { Area } from '../area.ts';
import { legacyProtectionRoutes } from './branches/branches.legacy-protection-routes.ts';
import { branchRoutes } from './branches/branches.routes.ts';
import { changelogRoutes } from './changelogs/changelogs.routes.ts';
import { commitStatusRoutes } from './commit-statuses/commit-statuses.routes.ts';
import { commitHistoryRoutes } from './commits/commits.history-routes.ts';
import { commitPageRoutes } from './commits/commits.page-routes.ts';
import { commitPickRoutes } from './commits/commits.pick-routes.ts';
import { commitsRoutes } from './commits/commits.routes.ts';
import { templateRoutes } from './file-templates/file-templates.routes.ts';
import { groupProtectedBranchRoutes } from './group-protected-branches/group-protected-branches.routes.ts';
import { protectedBranchRoutes } from './protected-branches/protected-branches.routes.ts';
import { registerProtectionUserRemoval } from './protected-refs/protected-refs.background.ts';
import { protectedTagRoutes } from './protected-tags/protected-tags.routes.ts';
import { pullMirrorRoutes } from './pull-mirrors/pull-mirrors.routes.ts';
import { pushRuleRoutes } from './push-rules/push-rules.routes.ts';
import { remoteMirrorRoutes } from './remote-mirrors/remote-mirrors.routes.ts';
import { repositoryRoutes } from './repositories/repositories.routes.ts';
import { repositoryFilesRoutes } from './repository-files/repository-files.routes.ts';
import { snapshotRoutes } from './snapshots/snapshots.routes.ts';
import { registerSnippetRemoval } from './snippets/snippets.background.ts';
import { snippetsRoutes } from './snippets/snippets.routes.ts';
import { submoduleRoutes } from './submodules/submodules.routes.ts';
import { tagRoutes } from './tags/tags.routes.ts';
import { registerWikiWork } from './wikis/wikis.background.ts';
import { wikiRoutes } from './wikis/wikis.routes.ts';

export { defaultBranchOf } from './branches/branches.list.ts';
export { createBranch } from './branches/branches.writes.ts';
export { Diff } from './commits/commits.diff-responses.ts';
export { presentDiff } from './commits/commits.diff-views.ts';
export { CommitSha, commitReader, findCommit, type ResolvedCommit } from './commits/commits.find.ts';
export type { CommitJson } from './commits/commits.inputs.ts';
export { Commit } from './commits/commits.responses.ts';
export { presentCommit, projectUrl } from './commits/commits.views.ts';
export { Pipeline, PipelineBasic, PipelineListEntry } from './pipelines/commit-pipelines.responses.ts';
export { presentPipeline, presentPipelineBasic, presentPipelineEntries } from './pipelines/commit-pipelines.views.ts';
export { detailedStatus } from './pipelines/detailed-status.ts';
export { loadSubjectNames, presentLevels, type SubjectNames } from './protected-refs/protected-refs.views.ts';
export { maxPendingReads, readerThread } from './reader-thread-program.ts';
export { sendArchive } from './repositories/repositories.archive-routes.ts';
export { findProjectSnippet } from './snippets/snippets.find.ts';
export { Snippet } from './snippets/snippets.responses.ts';
export { presentSnippets, snippetUrls } from './snippets/snippets.views.ts';
export { createTag } from './tags/tags.writes.ts';
export { withoutFrontMatter } from './wikis/front-matter.ts';
export { pagesOf } from './wikis/wikis.pages.ts';
export { WikiPageBasic } from './wikis/wikis.responses.ts';
export { type WikiPageJson, wikiPagesById } from './wikis/wikis.views.ts';

/** Repositories, protections and snippets. */
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
    ...templateRoutes,
    ...wikiRoutes,
  ],
  vocabulary: async () => (await import('./vocabulary/index.ts')).vocabulary,
  register(deps) {
    registerProtectionUserRemoval(deps);
    registerSnippetRemoval(deps);
    registerMirrors(deps);
    registerWikiWork(deps);
  },
};
