import { type BenchServer, TOKEN } from '../server.ts';
import { drawProject, numbers } from './large-instance.ts';

const HEADERS = { 'PRIVATE-TOKEN': TOKEN, 'content-type': 'application/json' };

/** Asks the server. @returns milliseconds, status and JSON of the answer */
export async function ask<T>(
  { url }: BenchServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ ms: number; status: number; body: T }> {
  const begun = performance.now();
  const payload = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = await fetch(url + path, { method, headers: HEADERS, ...payload });
  const text = await response.text();
  const ms = performance.now() - begun;
  return { ms, status: response.status, body: (text === '' ? undefined : JSON.parse(text)) as T };
}

/** As `ask`. @throws Error for a refusal */
export async function must<T>(server: BenchServer, method: string, path: string, body?: unknown) {
  const answer = await ask<T>(server, method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer;
}

/** A read or a write of one of the projects. */
export function anyRequest(server: BenchServer, random: () => number): Promise<{ status: number }> {
  const path = `/api/v4/projects/${drawProject(random)}`;
  const name = `x-${random().toString(16).slice(2)}`;
  const kinds = [
    () => ask(server, 'GET', `${path}/issues?per_page=20`),
    () => ask(server, 'GET', `${path}/repository/commits?per_page=20`),
    () => ask(server, 'GET', `${path}/repository/tree`),
    () => ask(server, 'POST', `${path}/issues`, { title: name }),
    () =>
      ask(server, 'POST', `${path}/repository/files/${name}`, { branch: 'main', content: name, commit_message: name }),
  ];
  return kinds[Math.floor(random() * kinds.length)]!();
}

/** Clients that read and write, each one request after the other, until they are ended. */
export function clients(server: BenchServer, count: number): { end: () => Promise<number> } {
  let going = true;
  let answered = 0;
  const all = Array.from({ length: count }, async (_, number) => {
    const random = numbers(number + 1);
    while (going) {
      const { status } = await anyRequest(server, random);
      if (status < 300) answered += 1;
    }
  });
  return {
    end: async () => {
      going = false;
      await Promise.all(all);
      return answered;
    },
  };
}
