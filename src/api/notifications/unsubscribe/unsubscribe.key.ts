import { timingSafeEqual } from 'node:crypto';
import { signer } from '../../../access/signer.ts';
import type { Deps } from '../../../deps.ts';
import type { Subscribable } from '../recipients/recipients.subscriptions.ts';

const DAY_MS = 86_400_000;
/** How long one can unsubscribe by a mail. */
const GOOD_DAYS = 730;
const LETTERS = { Issue: 'i', MergeRequest: 'm' } as const;
const KEY = /^(([im])(\d{1,15})-(\d{1,15})-(\d{1,6}))-([\w-]{43})$/;

/** What a key of a mail stands for. */
export interface UnsubscribeKey {
  followed: Subscribable;
  userId: number;
}

/** What a key signs, so that no other signature of the installation is one. */
const signedText = (text: string): string => `sent_notification:${text}`;
const dayOf = (deps: Pick<Deps, 'clock'>): number => Math.floor(deps.clock.now().getTime() / DAY_MS);

/** Makes addresses at which one user stops to follow one thing, without signing in. They prove themselves: nothing is stored. */
export async function unsubscribeLinks(deps: Deps): Promise<(followed: Subscribable, userId: number) => string> {
  const sign = await signer(deps);
  const day = dayOf(deps);
  return ({ type, id }, userId) => {
    const text = `${LETTERS[type]}${id}-${userId}-${day}`;
    const key = `${text}-${sign(signedText(text)).toString('base64url')}`;
    return `${deps.externalUrl()}/-/sent_notifications/${key}/unsubscribe`;
  };
}

/** @returns undefined for a key that this installation has not made, or two years ago */
export async function readKey(deps: Deps, key: string): Promise<UnsubscribeKey | undefined> {
  const [, text, draft, id, userId, day, signature] = KEY.exec(key) ?? [];
  if (text === undefined) return undefined;
  const right = (await signer(deps))(signedText(text));
  const sent = Buffer.from(signature!, 'base64url');
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return undefined;
  if (dayOf(deps) - Number(day) > GOOD_DAYS) return undefined;
  return { followed: { type: draft === 'i' ? 'Issue' : 'MergeRequest', id: Number(id) }, userId: Number(userId) };
}
