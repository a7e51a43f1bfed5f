/** A ref update requested by a push. */
export interface PushedRef {
  /** Full name, starting with `refs/`. */
  ref: string;
  /** Expected current id; null if the ref is created. */
  old: string | null;
  /** New id; null deletes the ref. */
  new: string | null;
}

export interface CheckContext {
  pushOptions: readonly string[];
  /** For git commands that must see the pushed objects. */
  quarantineEnv: Readonly<Record<string, string>>;
}

/** `message` is shown to the pusher, each line with the prefix `remote:`. */
export type CheckVerdict = { ok: true; message?: string } | { ok: false; message: string };

export interface UpdateContext {
  /** The client requests that all refs move or none. */
  atomic: boolean;
  pushOptions: readonly string[];
}

export interface UpdateResult {
  /** In the order of the updates: null for a moved ref, otherwise the reason shown by git. */
  reasons: readonly (string | null)[];
  /** Shown to the pusher. */
  message?: string;
}

export interface PushHandlers {
  /**
   * Decides about a whole push before its objects enter the repository. Receives every ref, including those that git
   * will refuse, whose objects may be missing.
   */
  check(updates: readonly PushedRef[], context: CheckContext): Promise<CheckVerdict>;
  /**
   * Moves the refs. Called at most once for a push, with refs accepted by `check`, after their objects are durable.
   * Must compare the old ids again, since another push may have come first.
   */
  update(updates: readonly PushedRef[], context: UpdateContext): Promise<UpdateResult>;
}
