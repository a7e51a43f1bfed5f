import { connect, type Socket } from 'node:net';

export interface Load {
  /** Answers a second. */
  rate: number;
  p50: number;
  p90: number;
  p95: number;
  /** Bytes of an answer's body, the median. */
  bytes: number;
  /** Bytes of every answer's body, from the first to the last. */
  sizes: number[];
}

const percentile = (sorted: number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

/**
 * Asks one address again and again, or another one each time, over kept connections, each with one request under way, and reads
 * whole answers. A plain socket client: what it costs itself is small beside the server.
 * @param options `next` gives paths and queries instead of that of `url`; with `everyMs` a connection asks in steps of that
 * many milliseconds, so that the rate does not depend on the server
 */
export async function load(
  url: string,
  headers: Readonly<Record<string, string>>,
  options: { connections?: number; seconds?: number; everyMs?: number; next?: () => string } = {},
): Promise<Load> {
  const { connections = 16, seconds = 2, everyMs = 0, next } = options;
  const { hostname, port, pathname, search } = new URL(url);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const rest = ` HTTP/1.1\r\nHost: ${hostname}:${port}\r\n${lines.join('')}\r\n`;
  const same = Buffer.from(`GET ${pathname}${search}${rest}`);
  const request = next === undefined ? () => same : () => Buffer.from(`GET ${next()}${rest}`);
  const answers: Answers = { times: [], sizes: [] };
  const start = performance.now();
  const end = start + seconds * 1_000;
  await Promise.all(
    Array.from({ length: connections }, () =>
      ask({ port: Number(port), host: hostname, request, end, everyMs, answers }),
    ),
  );
  const took = performance.now() - start;
  const times = answers.times.sort((a, b) => a - b);
  return {
    rate: (times.length / took) * 1_000,
    p50: percentile(times, 0.5),
    p90: percentile(times, 0.9),
    p95: percentile(times, 0.95),
    bytes: percentile(
      answers.sizes.toSorted((a, b) => a - b),
      0.5,
    ),
    sizes: answers.sizes,
  };
}

interface Answers {
  times: number[];
  sizes: number[];
}

interface Connection {
  port: number;
  host: string;
  request: () => Buffer;
  end: number;
  everyMs: number;
  answers: Answers;
}

function ask({ port, host, request, end, everyMs, answers }: Connection): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect({ port, host, noDelay: true });
    let asked: Buffer;
    let sent = 0;
    let missing = 0;
    let head: Buffer | null = null;
    const send = () => {
      asked = request();
      sent = performance.now();
      socket.write(asked);
    };
    const done = () => {
      answers.times.push(performance.now() - sent);
      if (performance.now() >= end) socket.destroy();
      else if (everyMs === 0) send();
      else setTimeout(send, sent + everyMs - performance.now());
    };
    socket.on('connect', send);
    socket.on('error', reject);
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      if (missing > 0) {
        missing -= chunk.length;
        if (missing === 0) done();
        return;
      }
      const text: Buffer = head === null ? chunk : Buffer.concat([head, chunk]);
      const at = text.indexOf('\r\n\r\n');
      if (at === -1) {
        head = text;
        return;
      }
      head = null;
      const top = text.toString('latin1', 0, at);
      if (!/^HTTP\/1\.1 200/.test(top)) {
        const [line] = asked.toString('latin1').split('\r\n', 1);
        reject(new Error(`${line}: ${top.split('\r\n')[0]}: ${text.toString('utf8', at + 4, at + 300)}`));
        socket.destroy();
        return;
      }
      const length = Number(/\r\ncontent-length: (\d+)/i.exec(top)?.[1] ?? Number.NaN);
      answers.sizes.push(length);
      missing = length - (text.length - at - 4);
      if (Number.isNaN(missing)) {
        reject(new Error('the answer has no length'));
        socket.destroy();
      } else if (missing === 0) done();
    });
  });
}
