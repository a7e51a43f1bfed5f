import type { Deps } from '../../deps.ts';
import type { OutboundResponse } from '../../outbound/call.ts';
import type { Flag } from '../catalogue/catalogue.flags.ts';
import type { SettingValue } from '../integrations.settings.ts';
import type { Payload } from './integration-payload.ts';

/** A request to an external service. */
export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** False to accept any TLS certificate. */
  verifyTls?: boolean;
}

/** Context of an event for an integration. */
export interface DispatchContext {
  deps: Deps;
  slug: string;
  projectId: number | null;
  /** Id of the user who caused the event. */
  actorId: number | null;
  trigger: string;
  /** Value of `X-Gitlab-Event`, such as `Push Hook`. */
  header: string;
  payload: Payload;
  /** The unmodified payload. */
  raw: object;
  /** The same for each attempt. */
  idempotencyKey: string;
  /** Value of a setting or its default; undefined if empty. */
  setting(name: string): SettingValue | undefined;
  /** As `setting`, as a text; empty if it is not a text. */
  text(name: string): string;
  /** Value of a flag. */
  flag(name: Flag): boolean;
  /**
   * Calls the service. Refusals are logged. Secrets may be in the URL or in headers only: these are not logged.
   * @throws ServiceUnreachable if a later attempt may succeed; the reason of the signal
   */
  call(request: OutboundRequest): Promise<OutboundResponse>;
  signal: AbortSignal;
}

/** Handles an event for an integration. */
export type Handler = (context: DispatchContext) => Promise<void>;

/** The service was not reached: the event is sent again later. */
export class ServiceUnreachable extends Error {
  override name = 'ServiceUnreachable';
}

/** The settings make an invalid request: no retry. */
export class InvalidRequest extends Error {
  override name = 'InvalidRequest';
}

export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** A POST request with a JSON body. */
export const postJson = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): OutboundRequest => ({
  method: 'POST',
  url,
  headers: { ...JSON_TYPE, ...headers },
  body: JSON.stringify(body),
});

/** A POST request with a form body. */
export const postForm = (
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = {},
): OutboundRequest => ({
  method: 'POST',
  url,
  headers: { ...FORM_TYPE, ...headers },
  body: new URLSearchParams(fields).toString(),
});

/** Basic authorization header. */
export const basic = (user: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Removes trailing slashes of a URL. */
export const base = (url: string): string => url.replace(/\/+$/, '');
