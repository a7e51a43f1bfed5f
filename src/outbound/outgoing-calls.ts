import type { OutboundResponse } from './call.ts';

/** Calls of this server to others that can be looked at before they are made. */
export const OUTGOING_KINDS = ['hook', 'integration', 'mirror'] as const;
export type OutgoingKind = (typeof OUTGOING_KINDS)[number];

/** A call to another server, before it is made. */
export interface OutgoingCall {
  kind: OutgoingKind;
  /** Without credentials. */
  url: string;
  method: string;
  headers: Readonly<Record<string, string>>;
  body: string;
  /** Value of `X-Gitlab-Event`; null if there is none. */
  event: string | null;
  /** Id of the webhook; null for others. */
  hookId: number | null;
  /** Aborts the call when the server stops. */
  signal: AbortSignal;
}

/**
 * Stands before calls to other servers.
 * @param send makes the call
 * @returns the answer of the other server, or what counts as one
 * @throws CallFailed if there is no answer; errors of `send`
 */
export type OutgoingInterceptor = (
  call: OutgoingCall,
  send: () => Promise<OutboundResponse>,
) => Promise<OutboundResponse>;
