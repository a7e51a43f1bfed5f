import { parseJson } from '../db/columns.ts';
import type { Project } from '../db/tables/projects.table.ts';
import type { Deps } from '../deps.ts';

type WithSettings = Pick<Deps, 'settings'>;
type Measured = Pick<Project, 'statistics'>;

/** The platform's message for each kind of write. */
const TEXTS = {
  push: (reason: string) =>
    `Your push has been rejected, ${reason}. Please contact your GitLab administrator for more information.`,
  commit: (reason: string) => `Your changes could not be committed, ${reason}`,
  merge: (reason: string) => `This merge request cannot be merged, ${reason}`,
};
const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

/** Size limit of a repository with its Git LFS objects in bytes; 0 for no limit. */
export const repositorySizeLimit = ({ settings }: WithSettings): number =>
  settings.now.repository_size_limit * 1024 ** 2;

/** Size of a repository with its Git LFS objects in bytes, as last measured. */
function sizeOf({ statistics }: Measured): number {
  const { repository_size = 0, lfs_objects_size = 0 } = parseJson<Record<string, number>>(statistics);
  return repository_size + lfs_objects_size;
}

/** The refusal of a write to a repository past its size limit; null if the write is allowed. */
export function repositorySizeRefusal(deps: WithSettings, project: Measured, way: keyof typeof TEXTS): string | null {
  const limit = repositorySizeLimit(deps);
  if (limit === 0) return null;
  const over = sizeOf(project) - limit;
  if (over <= 0) return null;
  return TEXTS[way](`because this repository has exceeded its size limit of ${inWords(limit)} by ${inWords(over)}`);
}

/** The refusal of a push of this many bytes; null if the push is allowed. */
export function refusalOfBytes(deps: WithSettings, project: Measured, bytes: number): string | null {
  const limit = repositorySizeLimit(deps);
  if (limit === 0 || sizeOf(project) + bytes <= limit) return null;
  return `Your push to this repository would cause it to exceed the size limit of ${inWords(limit)} so it has been rejected. Please contact your GitLab administrator for more information.`;
}

function inWords(bytes: number): string {
  if (bytes < 1024) return bytes === 1 ? '1 Byte' : `${bytes} Bytes`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length);
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${UNITS[power - 1]}`;
}
