import type { Json } from './seed-api.ts';
import { Existing, type Owner } from './seed-collections.apply.ts';
import type { SeedContext } from './seed-context.ts';
import { SeedMistake } from './seed-context.ts';
import type { Item } from './seed-expand.ts';
import { actorOf } from './seed-params.ts';

/** What issues and merge requests have in common: comments, threads, emoji, times. */
export async function applyConversation(
  context: SeedContext,
  item: Item,
  owner: Owner,
  diffRefs?: Json,
): Promise<void> {
  await applyEmoji(context, item, owner);
  await applyNotes(context, item, owner);
  await applyDiscussions(context, item, owner, diffRefs);
  if (!owner.fresh) return;
  const { api } = context;
  if (item.time_estimate !== undefined)
    await api.send('POST', `${owner.path}/time_estimate`, { duration: item.time_estimate });
  if (item.time_spent !== undefined)
    await api.send('POST', `${owner.path}/add_spent_time`, { duration: item.time_spent });
}

async function applyEmoji(context: SeedContext, item: Item, owner: Owner): Promise<void> {
  if (item.award_emoji === undefined) return;
  const path = `${owner.path}/award_emoji`;
  const known = owner.fresh ? [] : await context.api.list(path);
  await context.each(
    item.award_emoji,
    async (emoji) => {
      const as = await actorOf(context, emoji, 'user');
      const isThere = known.some(({ name, user }) => name === emoji.name && (user as Json).username === (as ?? 'root'));
      if (isThere) return;
      context.clock.at(emoji.created_at);
      await context.api.send('POST', path, { name: emoji.name }, { as });
      context.count('award_emoji');
    },
    'name',
  );
}

/** Comments of users: not of the server, nor those of threads. */
async function existingNotes({ api }: SeedContext, { fresh, path }: Owner): Promise<Existing> {
  const notes = fresh ? [] : await api.list(`${path}/notes`, '&sort=asc&activity_filter=only_comments');
  return new Existing(notes, ['body']);
}

async function applyNotes(context: SeedContext, item: Item, owner: Owner): Promise<void> {
  if (item.notes === undefined) return;
  const existing = await existingNotes(context, owner);
  await context.each(
    item.notes,
    async (note) => {
      const known = existing.take({ body: note.body });
      const as = await actorOf(context, note, 'author');
      const path = `${owner.path}/notes`;
      const id = known === undefined ? await addNote(context, path, note, as) : Number(known.id);
      await applyEmoji(context, note, { path: `${path}/${id}`, fresh: known === undefined });
    },
    'body',
  );
}

async function addNote(context: SeedContext, path: string, note: Item, as: string | undefined): Promise<number> {
  const { author: _, award_emoji: __, ...params } = note;
  context.clock.at(note.created_at);
  const { id } = await context.api.send('POST', path, params, { as });
  context.count('notes');
  return Number(id);
}

async function applyDiscussions(context: SeedContext, item: Item, owner: Owner, diffRefs?: Json): Promise<void> {
  if (item.discussions === undefined) return;
  const path = `${owner.path}/discussions`;
  const known = owner.fresh ? [] : await context.api.list(path);
  await context.each(item.discussions, async (discussion) => {
    const notes = ((discussion.notes ?? []) as (Item | string)[]).map((note) =>
      typeof note === 'string' ? { body: note } : note,
    );
    const [first, ...replies] = notes as [Item, ...Item[]];
    if (first === undefined) throw new SeedMistake('notes must have at least one comment');
    if (known.some((each) => (each.notes as Json[])[0]?.body === first.body)) return;
    const { author: _, ...params } = first;
    context.clock.at(first.created_at);
    const position = positionOf(discussion.position as Item | undefined, diffRefs);
    const as = await actorOf(context, first, 'author');
    const { id } = await context.api.send('POST', path, { ...params, ...position }, { as });
    context.count('notes');
    for (const reply of replies)
      await addNote(context, `${path}/${String(id)}/notes`, reply, await actorOf(context, reply, 'author'));
    if (discussion.resolved !== true) return;
    const by = await actorOf(context, discussion, 'resolved_by');
    context.clock.at();
    await context.api.send('PUT', `${path}/${String(id)}`, { resolved: true }, { as: by });
  });
}

/** A place in the diff as the API takes it. @throws SeedMistake if there is no diff */
function positionOf(position: Item | undefined, diffRefs: Json | undefined): Json {
  if (position === undefined) return {};
  if (diffRefs === undefined) throw new SeedMistake('position: only merge requests have a diff');
  const path = position.new_path ?? position.old_path;
  if (path === undefined) throw new SeedMistake('position: new_path or old_path is missing');
  return { position: { position_type: 'text', new_path: path, old_path: path, ...diffRefs, ...position } };
}

/** Closes what the seed has with `state: closed`. */
export async function applyClosedState(context: SeedContext, item: Item, path: string): Promise<void> {
  if (item.state !== 'closed') return;
  context.clock.at(item.closed_at);
  const as = await actorOf(context, item, 'closed_by');
  await context.api.send('PUT', path, { state_event: 'close' }, { as });
}
