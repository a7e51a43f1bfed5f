import type { Caller } from '../access/caller.ts';
import type { Deps } from '../deps.ts';
import { type Mention, type MentionKind, type MentionLink, type MentionLinks, mentionKey } from '../markup/mentions.ts';
import { commitLinks } from './commit-mentions.ts';
import { issueLinks, mergeRequestLinks, snippetLinks } from './issuable-mentions.ts';
import { labelLinks, milestoneLinks } from './label-mentions.ts';
import { placesOf, type TextHome } from './mention-places.ts';
import type { FindLinks, PlacedMention } from './placed-mention.ts';
import { userLinks } from './user-mentions.ts';

const IN_PROJECTS: Partial<Record<MentionKind, FindLinks>> = {
  issue: issueLinks,
  merge_request: mergeRequestLinks,
  snippet: snippetLinks,
  milestone: milestoneLinks,
  label: labelLinks,
  commit: commitLinks,
  range: commitLinks,
};

/**
 * Finds what the names in a text lead to, with one query for each kind. What the reader may not see leads nowhere.
 * @param home where the text belongs
 */
export async function linksOfMentions(
  deps: Deps,
  reader: Caller,
  home: TextHome,
  mentions: readonly Mention[],
): Promise<MentionLinks> {
  const links: [string, MentionLink][] = [];
  const add = (found: ReadonlyMap<Mention, MentionLink>): void => {
    for (const [mention, link] of found) links.push([mentionKey(mention), link]);
  };
  const people = mentions.filter(({ kind }) => kind === 'user');
  if (people.length > 0) add(await userLinks(deps, reader, people));
  const others = mentions.filter(({ kind }) => kind !== 'user');
  if (others.length > 0) {
    const places = await placesOf(
      deps,
      reader,
      home,
      others.map(({ project }) => project),
    );
    const placed = others.flatMap((mention): PlacedMention[] => {
      const place = places.get(mention.project ?? '');
      if (place === undefined) return [];
      const own = place.project.id === home.project?.id;
      return [{ ...mention, place, prefix: own ? '' : place.project.full_path }];
    });
    for (const [kind, find] of Object.entries(IN_PROJECTS)) {
      const ofKind = placed.filter((mention) => mention.kind === kind);
      if (ofKind.length > 0) add(await find(deps, reader, ofKind));
    }
  }
  return Object.fromEntries(links);
}
