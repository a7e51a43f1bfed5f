import { timingSafeEqual } from 'node:crypto';
import { signer } from '../../../access/signer.ts';
import type { Deps } from '../../../deps.ts';
import type { Subscribable } from '../recipients/recipients.subscriptions.ts';

const DAY_MS = 86_400_000;
/** Validity of unsubscribe links, in days. */
const GOOD_DAYS = 730;
const LETTERS = { Issue: 'i', MergeRequest: 'm' } as const;
const KEY = /^(([im])(\d{1,15})-(\d{1,15})-(\d{1,6}))-([\w-]{43})$/;

/** Content of an unsubscribe key. */
export interface UnsubscribeKey {
  followed: Subscribable;
  userId: number;
}

/** The signed text of a key, with a prefix that distinguishes it from other signatures of the installation. */
const signedText = (text: string): string => `sent_notification:${text}`;
const dayOf = (deps: Pick<Deps, 'clock'>): number => Math.floor(deps.clock.now().getTime() / DAY_MS);

/** Returns a builder of unsubscribe URLs, which need no sign-in. They are signed; nothing is stored. */
export async function unsubscribeLinks(deps: Deps): Promise<(followed: Subscribable, userId: number) => string> {
  const sign = await signer(deps);
  const day = dayOf(deps);
  return ({ type, id }, userId) => {
    const text = `${LETTERS[type]}${id}-${userId}-${day}`;
    const key = `${text}-${sign(signedText(text)).toString('base64url')}`;
    return `${deps.externalUrl()}/-/sent_notifications/${key}/unsubscribe`;
  };
}

/** Reads a key. @returns undefined if it is invalid or expired */
export async function readKey(deps: Deps, key: string): Promise<UnsubscribeKey | undefined> {
  const [, text, draft, id, userId, day, signature] = KEY.exec(key) ?? [];
  if (text === undefined) return undefined;
  const right = (await signer(deps))(signedText(text));
  const sent = Buffer.from(signature!, 'base64url');
  if (sent.length !== right.length || !timingSafeEqual(sent, right)) return undefined;
  if (dayOf(deps) - Number(day) > GOOD_DAYS) return undefined;
  return { followed: { type: draft === 'i' ? 'Issue' : 'MergeRequest', id: Number(id) }, userId: Number(userId) };
}
