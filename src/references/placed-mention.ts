import type { Caller } from '../access/caller.ts';
import type { Deps } from '../deps.ts';
import type { Mention, MentionLink } from '../markup/mentions.ts';
import type { MentionPlace } from './mention-places.ts';

/** A mention in a project that the reader may see. */
export interface PlacedMention extends Mention {
  place: MentionPlace;
  /** Path of the project, shown before the name in texts elsewhere; empty in its own project. */
  prefix: string;
}

/** Finds what mentions of one kind lead to; those that lead nowhere are left out. */
export type FindLinks<M extends Mention = PlacedMention> = (
  deps: Deps,
  reader: Caller,
  mentions: readonly M[],
) => Promise<Map<M, MentionLink>>;

/** The links of those mentions that have one. */
export const linked = <M extends Mention>(
  mentions: readonly M[],
  linkOf: (mention: M) => MentionLink | undefined,
): Map<M, MentionLink> =>
  new Map(
    mentions.flatMap((mention) => {
      const link = linkOf(mention);
      return link === undefined ? [] : [[mention, link] as const];
    }),
  );
