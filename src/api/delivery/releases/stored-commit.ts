import { parseJson } from '../../../db/columns.ts';
import type { Commit, Identity } from '../../../git/objects/index.ts';

/** Larger commits are read from git when they are shown. */
const MAX_STORED = 16_384;

type Stored = Pick<Commit, 'oid' | 'tree' | 'parents' | 'message'> & Record<'author' | 'committer', StoredIdentity>;
type StoredIdentity = Pick<Identity, 'name' | 'email' | 'timestamp' | 'timezone'>;

const withoutDate = ({ name, email, timestamp, timezone }: Identity): StoredIdentity => ({
  name,
  email,
  timestamp,
  timezone,
});
const withDate = (identity: StoredIdentity): Identity => ({ ...identity, date: new Date(identity.timestamp * 1_000) });

/** Serializes a commit for a column; null if it is too large. */
export function storedCommit({ oid, tree, parents, message, author, committer }: Commit): string | null {
  const stored: Stored = {
    oid,
    tree,
    parents,
    message: message.toWellFormed(),
    author: withoutDate(author),
    committer: withoutDate(committer),
  };
  const text = JSON.stringify(stored);
  return text.length > MAX_STORED || text.includes('\\u0000') ? null : text;
}

/** Parses a commit from `storedCommit`, which lacks the signature. */
export function readCommit(text: string): Commit {
  const { author, committer, ...rest } = parseJson<Stored>(text);
  return { ...rest, author: withDate(author), committer: withDate(committer) };
}
