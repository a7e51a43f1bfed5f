import type { ChangedFile } from '../diffs/file-diffs.ts';
import type { ProjectFacts } from '../project-frame.ts';
import { placePath } from './page-ref.ts';

/** Commits on both sides of diffs. */
interface Sides {
  /** Null if there is none: all files are new. */
  before: string | null;
  after: string;
}

/** Gives the path of the page of a changed file: of a deleted one as it was before. */
export const pathOfSide =
  (project: ProjectFacts, { before, after }: Sides) =>
  ({ deleted_file, old_path, new_path }: ChangedFile): string | null => {
    if (!deleted_file) return placePath(project, 'blob', after, new_path);
    return before === null ? null : placePath(project, 'blob', before, old_path);
  };
