import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../access/caller.ts';
import type { Session } from '../../access/user-sessions.ts';
import type { User } from '../../db/tables/users.table.ts';
import type { Deps } from '../../deps.ts';
import type { HttpServices } from '../../http/http.services.ts';
import type { ApiClient } from './api-client.ts';
import type { Html } from './template.ts';

/** What a page knows of its request. */
export interface PageContext {
  readonly deps: Deps;
  readonly services: HttpServices;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Null for visitors who are not signed in. */
  readonly session: Session | null;
  readonly user: User | null;
  readonly caller: Caller;
  /** The API with the rights of the user. */
  readonly api: ApiClient;
  /** Parts of the path by name. */
  readonly params: Readonly<Record<string, string>>;
  /** Single parameters of the query. */
  query(name: string): string | undefined;
  /** A field of the form: `user[login]`; empty if it was not sent. */
  field(name: string): string;
  /** A hidden field, which every form that changes something needs. */
  readonly formToken: Html;
  /** Address of a path of this server, which may itself be below another path. */
  at(path: string): string;
  /** A class for a colour such as `#dc143c`: style attributes are not allowed. */
  colorClass(color: string): string;
}

/** A whole page. */
export interface Page {
  title: string;
  body: Html;
  status?: number;
  /** Where the page is, from the outside to the inside. */
  trail?: readonly { text: string; path: string }[];
  /** Links beside it. */
  tabs?: readonly { text: string; path: string; isCurrent: boolean; count?: number | null }[];
  /** Further style sheets, by the name of the asset. */
  styles?: readonly string[];
}

/** The browser is led to another path of this server. */
export interface Redirect {
  redirect: string;
}

export interface PageRoute {
  readonly method: 'GET' | 'POST';
  /** With `:name` for parts; below a project, relative to it: see `projectPages`. */
  readonly path: string;
  /** Who is not signed in is led to the sign-in. */
  readonly signedIn?: boolean;
  /** A sign-in: counted by address. */
  readonly signsIn?: boolean;
  /** @throws PageNotFound, PageRefusal, ApiRefusal, ApiError: told on a page */
  handle(context: PageContext): Promise<Page | Redirect>;
}

/** A page that is not found, or that the user may not see: the same for both. */
export class PageNotFound extends Error {
  override name = 'PageNotFound';
}

/** A refusal that is told on a page. */
export class PageRefusal extends Error {
  override name = 'PageRefusal';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}
