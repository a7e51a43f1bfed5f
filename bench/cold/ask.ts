import { Agent, get } from 'node:http';
import { TOKEN } from '../server.ts';

export interface Answer {
  status: number;
  bytes: number;
  /** Milliseconds until the whole answer was there. */
  ms: number;
}

/** A client with kept connections; it starts nothing and parses nothing. */
export class Asker {
  readonly #agent: Agent;
  readonly #base: string;

  /** @param base what every address begins with */
  constructor(base: string, connections: number) {
    this.#base = base;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, scheduling: 'fifo' });
  }

  ask(path: string): Promise<Answer> {
    const started = performance.now();
    return new Promise((resolve, reject) => {
      const request = get(
        `${this.#base}${path}`,
        { agent: this.#agent, headers: { 'PRIVATE-TOKEN': TOKEN } },
        (response) => {
          let bytes = 0;
          response.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
          });
          response.on('end', () =>
            resolve({ status: response.statusCode ?? 0, bytes, ms: performance.now() - started }),
          );
          response.on('error', reject);
        },
      );
      request.on('error', reject);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The value that so many of a hundred are at most. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0;
}
