import type { Page, PageContext, PageRoute, Redirect } from '../../core/page.ts';
import { MAX_DISCUSSIONS, type Refusal } from './discussion-parts.ts';
import { attempt, textOf } from './planning-forms.ts';
import { numberOf, type Place, placeOf } from './planning-place.ts';

/** What forms of a page belong to. */
export type IssuableKind = 'issues' | 'merge_requests';

/** Shows the page of a form again. */
export type RenderRefusedForm = (c: PageContext, refusal: Refusal) => Promise<Page>;

/** Where a form of an issue or merge request belongs. */
export interface FormTarget {
  place: Place;
  /** Path of the page. */
  path: string;
  /** Path in the API. */
  api: string;
}

/**
 * A form of the page of an issue or merge request: it leads back to the page, or the page is shown with the refusal.
 * @param work sends the form; a text that it gives follows the path of the page, such as an anchor
 */
export const issuableForm = (
  kind: IssuableKind,
  name: string,
  show: RenderRefusedForm,
  work: (c: PageContext, target: FormTarget) => Promise<unknown>,
): PageRoute => ({
  method: 'POST',
  path: `${kind}/:iid/${name}`,
  signedIn: true,
  handle: async (c): Promise<Page | Redirect> => {
    const iid = numberOf(c, 'iid');
    const place = await placeOf(c, kind);
    const path = place.path(`${kind}/${iid}`);
    const outcome = await attempt(() => work(c, { place, path, api: `${place.api}/${kind}/${iid}` }));
    if ('done' in outcome) return { redirect: `${path}${typeof outcome.done === 'string' ? outcome.done : ''}` };
    const comment = name === 'notes' ? { body: textOf(c, 'body'), discussion: c.field('discussion') } : undefined;
    return show(c, { problem: outcome.problem, ...(comment && { comment }) });
  },
});

/** The page of the activity that a form was on, as a part of an address. */
const pageOfForm = (page: string): string => (/^[1-9]\d{0,6}$/.test(page) && page !== '1' ? `?page=${page}` : '');

/** Sends a comment. @returns its id; undefined for texts that consist of commands, which leave none */
async function send({ api: client }: PageContext, api: string, discussion: string, isThread: boolean, body: string) {
  if (discussion === '' && isThread) {
    const thread = await client.send<{ notes?: { id: number }[] }>('POST', `${api}/discussions`, { body });
    return thread.notes?.[0]?.id;
  }
  const thread = discussion === '' ? '' : `/discussions/${encodeURIComponent(discussion)}`;
  return (await client.send<{ id?: number }>('POST', `${api}${thread}/notes`, { body })).id;
}

async function comment(c: PageContext, { api }: FormTarget): Promise<string> {
  const discussion = c.field('discussion');
  const id = await send(c, api, discussion, c.field('thread') === 'true', textOf(c, 'body'));
  if (id === undefined) return '';
  if (discussion !== '') return `${pageOfForm(c.field('page'))}#note_${id}`;
  const { total } = await c.api.list(`${api}/discussions`, { per_page: 1 });
  return `${pageOfForm(String(Math.ceil((total ?? 1) / MAX_DISCUSSIONS)))}#note_${id}`;
}

/** The forms that pages of issues and of merge requests have. */
export const issuableForms = (kind: IssuableKind, show: RenderRefusedForm): PageRoute[] => [
  issuableForm(kind, 'notes', show, comment),
  issuableForm(kind, 'state', show, async (c, { api }) => {
    await c.api.send('PUT', api, { state_event: c.field('state_event') });
    return '';
  }),
  issuableForm(kind, 'resolve', show, async (c, { api }) => {
    const discussion = encodeURIComponent(c.field('discussion'));
    await c.api.send('PUT', `${api}/discussions/${discussion}`, { resolved: c.field('resolved') === 'true' });
    return `${pageOfForm(c.field('page'))}${/^\d+$/.test(c.field('note')) ? `#note_${c.field('note')}` : ''}`;
  }),
];
