/** An answer of the API, read to its end. */
export interface ApiAnswer<T> {
  status: number;
  headers: Headers;
  /** The body as text. */
  text: string;
  /** The body as JSON; undefined where it is none. */
  body: T;
}

export type Call = <T = Record<string, unknown>>(method: string, path: string, body?: unknown) => Promise<ApiAnswer<T>>;

/**
 * Calls the API of a listening server as a plain client: JSON in and out, or a form or multipart body as fetch sends it.
 * @param url address of the server
 * @param token sent as PRIVATE-TOKEN; null for an anonymous caller
 */
export function apiClient(url: string, token: string | null): Call {
  return async <T>(method: string, path: string, body?: unknown) => {
    const asIs = body instanceof FormData || body instanceof URLSearchParams;
    const response = await fetch(`${url}/api/v4${path}`, {
      method,
      headers: {
        ...(token === null ? {} : { 'PRIVATE-TOKEN': token }),
        ...(body === undefined || asIs ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: asIs ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const json = response.headers.get('content-type')?.includes('json') === true && text !== '';
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (json ? JSON.parse(text) : undefined) as T,
    };
  };
}
