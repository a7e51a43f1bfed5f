import type { ConfigSources } from '../../ci/sources.ts';
import type { Deps } from '../../deps.ts';
import { ArchiveError } from '../../storage/zip/archive-error.ts';
import { artifactOf, isAvailable } from '../artifacts/pipeline-artifacts.read.ts';
import { MAX_FILE_BYTES } from './pipeline-sources.repository-files.ts';

/** Reads configuration files for child pipelines from the artifacts of a pipeline's jobs. */
export function parentArtifacts(deps: Deps, pipelineId: number): ConfigSources['artifact'] {
  return async (name, path) => {
    const job = await deps.db
      .selectFrom('ci_jobs')
      .select('id')
      .where('pipeline_id', '=', pipelineId)
      .where('name', '=', name)
      .where('retried', '=', 0)
      .executeTakeFirst();
    const archive = job && (await artifactOf(deps.db, job.id, 'archive'));
    if (archive === undefined || !isAvailable(deps.clock, archive)) {
      return { error: `Job \`${name}\` not found in parent pipeline or does not have artifacts!` };
    }
    try {
      const directory = await deps.archives.directory(archive);
      const entry = directory.find(path.replace(/^\/+/, ''));
      if (entry === undefined)
        return { error: `Path \`${path}\` does not exist inside the \`${name}\` artifacts archive!` };
      if (entry.type !== 'file') return { error: `Path \`${path}\` was expected to be a file but it was a directory!` };
      if (entry.size > MAX_FILE_BYTES)
        return { error: `Path \`${path}\` of the \`${name}\` artifacts archive is too large` };
      const parts: Buffer[] = [];
      for await (const part of await deps.archives.open(archive, directory, entry)) parts.push(part as Buffer);
      return { content: Buffer.concat(parts).toString() };
    } catch (error) {
      if (!(error instanceof ArchiveError)) throw error;
      return { error: `Artifacts of job \`${name}\` cannot be read: ${error.message}` };
    }
  };
}
