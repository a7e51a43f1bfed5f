import type { OutboundResponse } from './call.ts';

/** Kinds of calls to other servers that can be looked at before they are made. */
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
  /** Timeout in milliseconds for the whole call. */
  timeoutMs: number;
  /** Aborts the call when the server stops. */
  signal: AbortSignal;
}

/**
 * Stands before calls to other servers.
 * @param send makes the call
 * @returns the answer of the other server, or what counts as one
 * @throws CallFailed if there is no answer; errors of `send`; the reason of the signal
 */
export type OutgoingInterceptor = (
  call: OutgoingCall,
  send: () => Promise<OutboundResponse>,
) => Promise<OutboundResponse>;

/** Calls of one server to others: somebody further up may stand before them. */
export class OutgoingCalls {
  readonly #interceptors: OutgoingInterceptor[] = [];

  /** Adds one, behind those that are there. To be called during the start. */
  add(interceptor: OutgoingInterceptor): void {
    this.#interceptors.push(interceptor);
  }

  /** Makes a call. @throws errors of `send` and of the interceptors */
  make(call: OutgoingCall, send: () => Promise<OutboundResponse>): Promise<OutboundResponse> {
    const from = (at: number): Promise<OutboundResponse> => {
      const interceptor = this.#interceptors[at];
      return interceptor === undefined ? send() : interceptor(call, () => from(at + 1));
    };
    return from(0);
  }
}
