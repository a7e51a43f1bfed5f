/** The handle of a repository and its life: storages, creation, copies, maintenance; revisions; reader threads. */

export { withAlternates } from './alternates.ts';
export { copyRepository } from './copy-repository.ts';
export { fsck } from './fsck.ts';
export { maintain } from './git.maintenance.ts';
export { killOrphans } from './git.orphans.ts';
export { type Repository, RepositoryPool } from './git.repository.ts';
export {
  cloneRepository,
  createRepository,
  makeRepository,
  removeRepository,
  repositorySize,
  setHead,
} from './git.repository-files.ts';
export { snapshotRepository } from './git.snapshot.ts';
export { type Location, repositoryId, Storages } from './git.storages.ts';
export { ask } from './readers/ask.ts';
export type { Question } from './readers/question.ts';
export { serveQuestions } from './readers/readers.serve.ts';
export { splitRefPath } from './ref-path.ts';
export { peel, type Revision, resolveRevision } from './revision.ts';
