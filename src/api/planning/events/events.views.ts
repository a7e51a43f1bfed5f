import { parseJson } from '../../../db/columns.ts';
import type { Event, PushData } from '../../../db/tables/events.table.ts';
import type { User } from '../../../db/tables/users.table.ts';
import type { Deps } from '../../../deps.ts';
import { userBasic, usersById } from '../../identity/index.ts';
import { presentNote } from '../notes/notes.views.ts';
import { presentSuggestions, type SuggestionsByNote } from '../suggestions/suggestions.views.ts';
import type { EventJson } from './events.inputs.ts';
import { type EventTargets, loadTargets, targetKey } from './targets.ts';

const PUSHES: Record<PushData['action'], string> = { created: 'pushed new', removed: 'deleted', pushed: 'pushed to' };

/** The action in the words of the platform (part 1, section 2). */
function actionName({ action, target_type }: Event, push: PushData | null): string {
  if (target_type === 'WikiPage::Meta') return action;
  switch (action) {
    case 'created':
      return target_type === 'Project' ? 'created' : 'opened';
    case 'updated':
    case 'reopened':
      return 'opened';
    case 'merged':
      return 'accepted';
    case 'commented':
      return 'commented on';
    case 'expired':
      return 'removed due to membership expiration from';
    case 'pushed':
      return PUSHES[push?.action ?? 'pushed'];
    default:
      return action;
  }
}

/** What comments are presented with. */
interface CommentParts {
  users: ReadonlyMap<number, User>;
  suggestions: SuggestionsByNote;
}

/** Attribute `note`: the comment of an entry. */
function comment(deps: Deps, event: Event, targets: EventTargets, { users, suggestions }: CommentParts) {
  const note = targets.notes.get(event.target_id ?? 0);
  if (note === undefined || !users.has(note.author_id)) return {};
  const { noteable_type, noteable_id } = note;
  const on = noteable_id === null ? undefined : targets.named.get(targetKey(noteable_type, noteable_id));
  return { note: presentNote(deps, { iid: on?.iid ?? null }, note, users, suggestions) };
}

/** Attribute `wiki_page`: the wiki page of an entry. */
function wikiPage({ target_id }: Event, { wikiPages }: EventTargets) {
  const wiki_page = wikiPages.get(target_id ?? 0);
  return wiki_page === undefined ? {} : { wiki_page };
}

function present(deps: Deps, event: Event, author: User, targets: EventTargets, parts: CommentParts): EventJson {
  const { target_type, target_id, noteable_type, noteable_id } = event;
  const push = event.push_data === null ? null : parseJson<PushData>(event.push_data);
  // A comment has the title of its noteable.
  const [titled, titledId] = noteable_type === null ? [target_type, target_id] : [noteable_type, noteable_id];
  const target = titled === null || titledId === null ? undefined : targets.named.get(targetKey(titled, titledId));
  return {
    id: event.id,
    title: null,
    project_id: event.project_id,
    action_name: actionName(event, push),
    target_id,
    target_iid: (noteable_type === null ? target?.iid : null) ?? target_id,
    target_type,
    target_title: target?.title ?? null,
    author_id: author.id,
    author: userBasic(deps, author),
    author_username: author.username,
    created_at: event.created_at,
    imported: false,
    imported_from: 'none',
    ...(push === null ? {} : { push_data: push }),
    ...(noteable_type === null ? {} : comment(deps, event, targets, parts)),
    ...(target_type === 'WikiPage::Meta' ? wikiPage(event, targets) : {}),
    data: null,
  };
}

/** Presents feed entries, in a bounded number of queries. */
export async function presentEvents(deps: Deps, events: readonly Event[]): Promise<EventJson[]> {
  const targets = await loadTargets(deps.db, events);
  const notes = [...targets.notes.values()];
  const people = notes.flatMap(({ author_id, resolved_by_id }) => [author_id, resolved_by_id]);
  const users = await usersById(deps.db, [...events.map(({ author_id }) => author_id), ...people]);
  const suggestions = await presentSuggestions(deps, notes);
  return events.flatMap((event) => {
    const author = users.get(event.author_id);
    return author === undefined ? [] : [present(deps, event, author, targets, { users, suggestions })];
  });
}
