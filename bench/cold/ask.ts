import { Agent, get, type IncomingMessage, request } from 'node:http';
import { TOKEN } from '../server.ts';

export interface Answer {
  status: number;
  bytes: number;
  /** Milliseconds until the complete response. */
  ms: number;
}

/** An HTTP client with keep-alive connections; it starts no process and parses nothing. */
export class Asker {
  readonly #agent: Agent;
  readonly #base: string;

  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param base prefix of every address
   * @param headers sent with every request
   */
  constructor(
    base: string,
    connections: number,
    headers: Readonly<Record<string, string>> = { 'PRIVATE-TOKEN': TOKEN },
  ) {
    this.#base = base;
    this.#headers = headers;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  }

  ask(path: string): Promise<Answer> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const request = get(`${this.#base}${path}`, { agent: this.#agent, headers: this.#headers }, (response) => {
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, bytes, ms: performance.now() - started }));
        response.on('error', reject);
      });
      request.on('error', reject);
    });
  }

  /** Sends JSON. `ms`: time to the complete response. */
  post(path: string, json: object): Promise<{ status: number; ms: number; text: string }> {
    const body = JSON.stringify(json);
    const headers = {
      ...this.#headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const take = (response: IncomingMessage) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const ms = performance.now() - started;
          resolve({ status: response.statusCode ?? 0, ms, text: Buffer.concat(chunks).toString() });
        });
        response.on('error', reject);
      };
      const sent = request(`${this.#base}${path}`, { method: 'POST', agent: this.#agent, headers }, take);
      sent.on('error', reject);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A percentile of the values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
