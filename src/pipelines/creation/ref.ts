import { GitError } from '../../git/common/index.ts';
import { peel, type Repository } from '../../git/repository/index.ts';

/** Branch or tag of a pipeline. */
export interface PipelineRef {
  kind: 'branch' | 'tag';
  /** Short name. */
  name: string;
  full: string;
  /** Current commit. */
  sha: string;
}

/**
 * Resolves a user's ref for a pipeline: a short or full name.
 * @returns the refusal if there is no such branch or tag, or if it is ambiguous
 */
export async function resolvePipelineRef(repo: Repository, ref: string): Promise<PipelineRef | { text: string }> {
  const folders = { branch: 'refs/heads/', tag: 'refs/tags/' } as const;
  const matches: PipelineRef[] = [];
  for (const kind of ['branch', 'tag'] as const) {
    const folder = folders[kind];
    if (ref.startsWith('refs/') && !ref.startsWith(folder)) continue;
    const full = ref.startsWith(folder) ? ref : `${folder}${ref}`;
    const oid = await resolveIfSound(repo, full);
    const sha = oid === null ? null : await peel(repo, oid);
    if (sha !== null) matches.push({ kind, name: full.slice(folder.length), full, sha });
  }
  if (matches.length > 1) return { text: 'Ref is ambiguous' };
  return matches[0] ?? { text: 'Reference not found' };
}

async function resolveIfSound(repo: Repository, ref: string): Promise<string | null> {
  try {
    return await repo.refs.resolve(ref);
  } catch (error) {
    if (error instanceof GitError && error.code === 'corrupt') return null;
    throw error;
  }
}
