/** Project and commit that local includes of a file are relative to. */
export interface SourceContext {
  /** Full path of the project; null if there is none. */
  project: string | null;
  /** Commit id; null if there is none. */
  sha: string | null;
}

/** Content of a file, or the reason of a failure. */
export type SourceFile = { content: string } | { missing: true } | { binary: true } | { tooLarge: true };

export type SourceProject = { context: SourceContext } | { denied: true } | { noRef: true };

/**
 * Result of fetching a remote file; `error` is the text after "could not be fetched ", including its final punctuation.
 */
export type RemoteFile = { content: string } | { error: string };

/** Location of a component's file; `error` is the complete text. */
export type SourceComponent =
  | {
      context: SourceContext;
      path: string;
      content: string;
      name: string;
      version: string;
      sha: string;
      reference: string;
    }
  | { error: string };

/** URLs of a file in a repository: its page and raw content. */
interface Addresses {
  blob: string;
  raw: string;
}

/**
 * External data for compiling: repository files, remote files, templates. Everything is read with the rights of the
 * pipeline's user, and results are plain data that can be sent to another thread.
 */
export interface ConfigSources {
  /** A file of a project at a commit. @param path relative to the root of the repository, without a leading slash */
  file(context: SourceContext, path: string): Promise<SourceFile>;
  /** Sorted paths at a commit that match one of the globs (see `globMatcher`); at most `limit`. */
  paths(context: SourceContext, globs: readonly string[], limit: number): Promise<string[]>;
  /** Another project at a ref or its default branch. */
  project(fullPath: string, ref: string | null): Promise<SourceProject>;
  /**
   * A file by its URL, with protection against internal addresses. @param cacheSeconds maximum age of a cached result
   */
  remote(url: string, cacheSeconds: number | null): Promise<RemoteFile>;
  /** A built-in template such as `Bash.gitlab-ci.yml`. */
  template(name: string): Promise<SourceFile>;
  /** A component by its address `host/project/name@version`. */
  component(address: string): Promise<SourceComponent>;
  /** A file in the artifacts of a job of the parent pipeline. */
  artifact(job: string, path: string): Promise<{ content: string } | { error: string }>;
  /** Changed paths of the pipeline for `rules:changes`; null if there is nothing to compare with. */
  changedPaths(compareTo: string | null): Promise<string[] | null | { invalidRef: true }>;
  /** URLs of an included file for the list of includes: page and raw content. */
  addresses(context: SourceContext, path: string): Addresses | null | Promise<Addresses | null>;
}
