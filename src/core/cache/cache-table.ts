const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Why an entry is never stale.
 * - `content`: its key names all that it depends on (object ids, digests, the text that was parsed), so it never changes
 * - `commit`: it is dropped as soon as anybody commits to the database; never filled on PostgreSQL, which cannot tell
 * - `validated`: at each use it is compared with what it was read from: the status of files, the version in a row
 * - `process`: it is a fact of this process, or may be as old as its row says
 */
export type CacheScope = 'content' | 'commit' | 'validated' | 'process';

/** A cache that is bounded by the bytes of its entries and shares the budget of all. */
export interface ByteBound {
  scope: CacheScope;
  /** Maximum, and weight among the caches of the budget. */
  bytes: number;
  /** Part of it that one entry may take; larger ones are not stored. All unless given. */
  maxEntryShare?: number;
  /** Expensive entries are protected from the beginning, and outlast idle times. */
  isCostly?: boolean;
}

/** A cache of small entries that is bounded by their number, in each of its instances. */
export interface CountBound {
  scope: CacheScope;
  entries: number;
  /** Maximum sum of the sizes of its entries, where these vary. */
  size?: number;
}

/** Caches in bytes, by the name in their metrics. src/core/cache/README.md says what they hold. */
export const BYTE_CACHES = {
  git_objects: { scope: 'content', bytes: 32 * MiB },
  git_commit_graphs: { scope: 'validated', bytes: 72 * MiB, isCostly: true },
  git_path_changes: { scope: 'content', bytes: 6 * MiB },
  git_last_commits: { scope: 'content', bytes: 8 * MiB },
  git_trees: { scope: 'content', bytes: 32 * MiB, maxEntryShare: 1 / 4 },
  git_tree_sizes: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4 },
  git_blames: { scope: 'content', bytes: 24 * MiB, maxEntryShare: 1 / 4 },
  git_diffs: { scope: 'content', bytes: 16 * MiB, maxEntryShare: 1 / 4 },
  git_diff_stats: { scope: 'content', bytes: 2 * MiB, maxEntryShare: 1 / 4 },
  git_changed_files: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4 },
  git_changed_paths: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4 },
  git_merge_bases: { scope: 'content', bytes: 1 * MiB, maxEntryShare: 1 / 4 },
  git_merged: { scope: 'content', bytes: 8 * MiB, maxEntryShare: 1 / 4 },
  git_divergences: { scope: 'content', bytes: 1 * MiB, maxEntryShare: 1 / 4 },
  git_log_pages: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4 },
  git_log_counts: { scope: 'content', bytes: 1 * MiB, maxEntryShare: 1 / 4 },
  git_content_digests: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4 },
  git_languages: { scope: 'content', bytes: 2 * MiB, maxEntryShare: 1 / 4, isCostly: true },
  git_contributors: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4, isCostly: true },
  go_modules: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4 },
  wiki_indexes: { scope: 'content', bytes: 16 * MiB, maxEntryShare: 1 / 4 },
  changelogs: { scope: 'content', bytes: 4 * MiB, maxEntryShare: 1 / 4, isCostly: true },
  archives: { scope: 'content', bytes: 64 * MiB, maxEntryShare: 1 / 2, isCostly: true },
  test_reports: { scope: 'content', bytes: 24 * MiB, maxEntryShare: 1 / 4, isCostly: true },
  markup: { scope: 'content', bytes: 16 * MiB, maxEntryShare: 1 / 4 },
  highlighted: { scope: 'content', bytes: 16 * MiB, maxEntryShare: 1 / 4 },
  immutable_responses: { scope: 'content', bytes: 48 * MiB, maxEntryShare: 1 / 8 },
  responses: { scope: 'commit', bytes: 16 * MiB, maxEntryShare: 1 / 256 },
  unleash_rules: { scope: 'validated', bytes: 16 * MiB },
  remote_files: { scope: 'process', bytes: 32 * MiB },
} as const satisfies Record<string, ByteBound>;

/** Caches of small entries, some of them one for each repository, database or thread. */
export const ENTRY_CACHES = {
  rows: { scope: 'commit', entries: 5_000 },
  stable_rows: { scope: 'commit', entries: 500 },
  recent_values: { scope: 'process', entries: 50 },
  sql_statements: { scope: 'process', entries: 500 },
  query_strings: { scope: 'content', entries: 1_000 },
  ci_files: { scope: 'content', entries: 200, size: 768 * KiB },
  ci_expressions: { scope: 'content', entries: 2_000, size: 1_000_000 },
  ci_patterns: { scope: 'content', entries: 500, size: 200_000 },
  workflow_filters: { scope: 'content', entries: 200 },
  push_patterns: { scope: 'content', entries: 500 },
  branch_filters: { scope: 'content', entries: 200 },
  licences: { scope: 'content', entries: 200 },
  signing_keys: { scope: 'process', entries: 500 },
  git_repositories: { scope: 'process', entries: 200 },
  git_failures: { scope: 'process', entries: 1_000 },
  git_reachability: { scope: 'content', entries: 4 },
  git_latest_languages: { scope: 'process', entries: 10_000 },
  git_latest_contributors: { scope: 'process', entries: 1_000 },
  git_synced_folders: { scope: 'validated', entries: 5_000 },
  ref_lists: { scope: 'validated', entries: 16 },
  loose_refs: { scope: 'validated', entries: 500 },
  packed_refs: { scope: 'validated', entries: 500 },
  unleash_keys: { scope: 'validated', entries: 10_000 },
  trace_secrets: { scope: 'process', entries: 2_000, size: 32 * MiB },
  trace_watchers: { scope: 'process', entries: 10_000 },
  runner_contacts: { scope: 'process', entries: 20_000 },
  runner_machines: { scope: 'process', entries: 20_000 },
  password_failures: { scope: 'process', entries: 50_000 },
  rate_windows: { scope: 'process', entries: 10_000 },
} as const satisfies Record<string, CountBound>;

export type ByteCacheName = keyof typeof BYTE_CACHES;
export type EntryCacheName = keyof typeof ENTRY_CACHES;
