/** One ref a push wants to move. */
export interface PushedRef {
  /** Full name, starting with `refs/`. */
  ref: string;
  /** What the client believes the ref to point at; null when it creates the ref. */
  old: string | null;
  /** Where it shall point; null deletes it. */
  new: string | null;
}

export interface CheckContext {
  pushOptions: readonly string[];
  /** For git commands that must see the pushed objects. */
  quarantineEnv: Readonly<Record<string, string>>;
}

/** `message` is shown to the person who pushes, one `remote:` line for each of its lines. */
export type CheckVerdict = { ok: true; message?: string } | { ok: false; message: string };

export interface UpdateContext {
  /** The client wants all of its refs moved or none. */
  atomic: boolean;
  pushOptions: readonly string[];
}

export interface UpdateResult {
  /** In the order of the updates: null for a ref that was moved, otherwise the reason why not, as git shows it. */
  reasons: readonly (string | null)[];
  /** Shown to the person who pushes. */
  message?: string;
}

export interface PushHandlers {
  /**
   * Decides about a push as a whole before its objects enter the repository. It sees every ref named, also those git
   * itself will refuse; an object of such a ref may be missing.
   */
  check(updates: readonly PushedRef[], context: CheckContext): Promise<CheckVerdict>;
  /**
   * Moves the refs. Called at most once for a push, only with refs `check` has accepted, after their objects are durable.
   * It must compare the old values again, for another push may have come first.
   */
  update(updates: readonly PushedRef[], context: UpdateContext): Promise<UpdateResult>;
}
