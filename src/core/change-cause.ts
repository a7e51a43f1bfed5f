import type { Visibility } from './access-levels.ts';

/**
 * Why refs change, if it is not only a push. Stored with the intent of the change, so that its consequences are
 * recorded in the same transaction even after a crash.
 */
export type ChangeCause =
  | {
      type: 'merge';
      merge_request_id: number;
      /** Head of the source branch that is merged. */
      head_sha: string;
      merge_commit_sha: string | null;
      squash_commit_sha: string | null;
    }
  | {
      /** A branch is deleted by its merge. */
      type: 'source_removed';
      merge_request_id: number;
    }
  | {
      /** Suggestions of a merge request are applied by the commit. */
      type: 'suggestions';
      merge_request_id: number;
      suggestion_ids: number[];
      commit_id: string;
      /** Whether the user may resolve their threads. */
      resolves: boolean;
    }
  | {
      /** A snippet is updated; these columns change together with its files. */
      type: 'snippet_update';
      changes: { title?: string; description?: string | null; visibility?: Visibility };
    }
  | {
      /** Wiki pages are renamed: slugs before and after. */
      type: 'wiki_pages_moved';
      moved: [from: string, to: string][];
    };

/**
 * How refs were changed: `api` through the REST API, `git` by a push, `job` by a push with a job token, `mirror` by a
 * mirror without pipelines.
 */
export type ChangedVia = 'api' | 'git' | 'job' | 'mirror';

/** Whether a change may start pipelines; pushes of jobs could do so endlessly. */
export const startsPipelines = (via: ChangedVia): boolean => via === 'api' || via === 'git';
