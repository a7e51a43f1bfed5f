import type { Visibility } from './access-levels.ts';

/**
 * Why refs change, where a push is not all there is to it. Kept with the intent of the change, so that what belongs to it
 * is recorded in the transaction of the change even when a crash comes between.
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
      /** A branch goes with its merge. */
      type: 'source_removed';
      merge_request_id: number;
    }
  | {
      /** A snippet is updated; with its files these columns change. */
      type: 'snippet_update';
      changes: { title?: string; description?: string | null; visibility?: Visibility };
    }
  | {
      /** Pages of a wiki have other names from now on: slugs before and after. */
      type: 'wiki_pages_moved';
      moved: [from: string, to: string][];
    };

/**
 * How refs were changed: `api` through the REST API, `git` by a push, `job` by a push with the token of a job, `mirror` where
 * a mirror took over what happened elsewhere and wants no pipelines for it.
 */
export type ChangedVia = 'api' | 'git' | 'job' | 'mirror';

/** Whether a change may start pipelines; what jobs push would go on for ever. */
export const startsPipelines = (via: ChangedVia): boolean => via === 'api' || via === 'git';
