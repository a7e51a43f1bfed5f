/** A ref update requested by a push. */
export interface PushedRef {
  /** Full name, starting with `refs/`. */
  readonly ref: string;
  /** Expected current id; null if the ref is created. */
  readonly old: string | null;
  /** New id; null deletes the ref. */
  readonly new: string | null;
}

/** What a push asks for. Frozen, as all that later stages make of it. */
export interface PushCommands {
  /** Every ref, including those that git will refuse, whose objects may be missing. */
  readonly updates: readonly PushedRef[];
  readonly pushOptions: readonly string[];
  /** For git commands that must see the pushed objects. */
  readonly quarantineEnv: Readonly<Record<string, string>>;
}

export interface UpdateResult {
  /** In the order of the updates: null for a moved ref, otherwise the reason shown by git. */
  reasons: readonly (string | null)[];
  /** Shown to the pusher. */
  message?: string;
}

/**
 * Moves the refs of an accepted push that git has not refused. Called at most once, after their objects are durable.
 * Must compare the old ids again, since another push may have come first.
 * @param atomic the client requests that all refs move or none
 */
export type MoveRefs = (updates: readonly PushedRef[], atomic: boolean) => Promise<UpdateResult>;

/** `message` is shown to the pusher, each line with the prefix `remote:`. */
export type PushVerdict = { ok: true; message?: string; move: MoveRefs } | { ok: false; message: string };

/** Decides about a whole push before its objects enter the repository. */
export type ReceivePush = (push: PushCommands) => Promise<PushVerdict>;
