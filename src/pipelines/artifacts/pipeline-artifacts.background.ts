import { pluck } from '../../core/pluck.ts';
import type { Deps } from '../../deps.ts';
import { enqueueBlobRemoval } from '../../storage/unused-blobs.ts';
import { registerArtifactLocking } from './locking.ts';
import { registerArtifactExpiry } from './pipeline-artifacts.expiry.ts';

/** Registers the background work of artifacts. */
export function registerArtifacts(deps: Deps): void {
  registerArtifactLocking(deps);
  registerArtifactExpiry(deps);
  deps.lifecycle.projectsRemoved.add(async (db, ids) => {
    if (ids.length === 0) return;
    const blobs = await db
      .selectFrom('ci_job_artifacts')
      .select('sha256')
      .distinct()
      .where('project_id', 'in', ids)
      .execute();
    await enqueueBlobRemoval(deps, db, pluck(blobs, 'sha256'));
  });
}
