import type { Deps } from '../../deps.ts';
import type { OutboundResponse } from '../../outbound/call.ts';
import type { Flag } from '../catalogue/catalogue.flags.ts';
import type { SettingValue } from '../integrations.settings.ts';
import type { Payload } from './integration-payload.ts';

/** A request to another program. */
export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  /** False to take any certificate. */
  verifyTls?: boolean;
}

/** Something that an integration is told. */
export interface DispatchContext {
  deps: Deps;
  slug: string;
  projectId: number | null;
  /** Who did it. */
  actorId: number | null;
  trigger: string;
  /** `Push Hook` and the like. */
  header: string;
  payload: Payload;
  /** The payload as it came. */
  raw: object;
  /** The same for each attempt to tell it. */
  idempotencyKey: string;
  /** What was set up, with what holds where nothing was; undefined where it is empty. */
  setting(name: string): SettingValue | undefined;
  /** The same as a text; empty where it is none. */
  text(name: string): string;
  /** Whether it is told of more, as one of its flags says. */
  flag(name: Flag): boolean;
  /**
   * Calls the other program. What it refuses is logged. Give it secrets in the address or in headers alone: neither is logged.
   * @throws ServiceUnreachable when it may be told later; the reason of the signal
   */
  call(request: OutboundRequest): Promise<OutboundResponse>;
  signal: AbortSignal;
}

/** What an integration does when something happens. */
export type Handler = (context: DispatchContext) => Promise<void>;

/** The other program was not reached: it is told later. */
export class ServiceUnreachable extends Error {
  override name = 'ServiceUnreachable';
}

/** What was set up cannot be sent, now or later. */
export class InvalidRequest extends Error {
  override name = 'InvalidRequest';
}

export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** A POST of JSON. */
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

/** A POST of a form. */
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

/** The header of a user with a password. */
export const basic = (user: string, password: string): Record<string, string> => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** An address without slashes at its end. */
export const base = (url: string): string => url.replace(/\/+$/, '');
