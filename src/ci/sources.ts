/** Where a file of a configuration is read: the project and commit that its local includes are relative to. */
export interface SourceContext {
  /** Full path of the project; null where there is none. */
  project: string | null;
  /** Commit id; null where there is none. */
  sha: string | null;
}

/** A file that was read, or why not. */
export type SourceFile = { content: string } | { missing: true } | { binary: true } | { tooLarge: true };

export type SourceProject = { context: SourceContext } | { denied: true } | { noRef: true };

/** What a fetch of a remote file came to; `error` has all that follows "could not be fetched ", the mark at its end too. */
export type RemoteFile = { content: string } | { error: string };

/** Where the file of a component stands; `error` is the whole text. */
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

/** Where a file of a repository is shown, and where its bytes are. */
interface Addresses {
  blob: string;
  raw: string;
}

/**
 * What compiling asks of the world around it: files of repositories, addresses elsewhere, templates. Everything is asked
 * with the rights of whoever the pipeline is for, and answers are plain data: they may cross to another thread.
 */
export interface ConfigSources {
  /** A file of a project at a commit. @param path from the root of the repository, without a leading slash */
  file(context: SourceContext, path: string): Promise<SourceFile>;
  /** Paths of all files at a commit that one of the globs fits (see `globMatcher`), sorted; at most `limit`. */
  paths(context: SourceContext, globs: readonly string[], limit: number): Promise<string[]>;
  /** Another project that is included from, at a ref or its default branch. */
  project(fullPath: string, ref: string | null): Promise<SourceProject>;
  /** A file by its address, through the guard against internal addresses. @param cacheSeconds how old a kept answer may be */
  remote(url: string, cacheSeconds: number | null): Promise<RemoteFile>;
  /** A built-in template such as `Bash.gitlab-ci.yml`. */
  template(name: string): Promise<SourceFile>;
  /** A component by its address `host/project/name@version`. */
  component(address: string): Promise<SourceComponent>;
  /** A file out of the artifacts of a job of the parent pipeline. */
  artifact(job: string, path: string): Promise<{ content: string } | { error: string }>;
  /** What the pipeline changes, for `rules:changes`: paths, or null where nothing is known to compare with. */
  changedPaths(compareTo: string | null): Promise<string[] | null | { invalidRef: true }>;
  /** Web addresses of an included file, for the list of includes: how it looks, and its bare bytes. */
  addresses(context: SourceContext, path: string): Addresses | null | Promise<Addresses | null>;
}
