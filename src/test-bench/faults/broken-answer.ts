import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What takes the body of an answer. */
interface Sink {
  /** @returns false if more should wait for `drain` */
  write(chunk: Buffer): boolean;
  end(): void;
}

type Callback = (error?: Error | null) => void;

const CONTINUE = /^HTTP\/1\.1 100 /;
/** Bytes that a cut answer holds back at most; one that is longer than twice that is cut there. */
const MAX_HELD = 8 * 1024 * 1024;
/** Bytes of a throttled answer that wait before its source has to. */
const HIGH_WATER = 64 * 1024;
const TICK_MS = 25;

/** Calls back when it is the turn of an answer: answers to earlier requests on its connection have gone then. */
function onTurn(response: ServerResponse, work: (socket: Socket) => void): void {
  if (response.socket !== null) {
    work(response.socket);
    return;
  }
  const assign = response.assignSocket;
  response.assignSocket = (socket) => {
    work(socket);
    assign.call(response, socket);
  };
}

/** Closes the connection of an answer, once what was written has gone. */
export function hangUp(response: ServerResponse): void {
  onTurn(response, (socket) => setImmediate(() => socket.destroySoon()));
}

/** Lets the request be handled; of the answer nothing arrives, and the connection is closed. */
export function loseAnswer(response: ServerResponse): void {
  onTurn(response, (socket) => {
    const write = socket.write;
    socket.write = ((
      chunk: string | Uint8Array,
      encoding?: BufferEncoding | Callback | null,
      done?: Callback | null,
    ): boolean => {
      if (typeof chunk === 'string' && CONTINUE.test(chunk)) return write.call(socket, chunk);
      const callback = typeof encoding === 'function' ? encoding : done;
      if (typeof callback === 'function') process.nextTick(callback);
      return true;
    }) as Socket['write'];
    response.once('finish', () => socket.destroySoon());
  });
}

/** Sends head and half of the body, then closes the connection; of an answer without a body nothing is sent. */
export function cutAnswer(response: ServerResponse): void {
  interpose(response, (below) => {
    const held: Buffer[] = [];
    let [received, passed, isCut] = [0, 0, false];
    const pass = () => {
      for (let left = Math.floor(received / 2) - passed; left > 0; ) {
        const chunk = held.shift()!;
        const part = chunk.subarray(0, left);
        if (part.length < chunk.length) held.unshift(chunk.subarray(left));
        left -= part.length;
        passed += part.length;
        below.write(part);
      }
    };
    const cut = () => {
      if (isCut) return;
      isCut = true;
      held.length = 0;
      hangUp(response);
    };
    return {
      write: (chunk) => {
        if (isCut || chunk.length === 0) return true;
        held.push(chunk);
        received += chunk.length;
        pass();
        if (received - passed > MAX_HELD) cut();
        return true;
      },
      end: cut,
    };
  });
}

/** Sends the body of an answer at a rate. */
export function slowDown(response: ServerResponse, bytesPerSecond: number): void {
  interpose(response, (below) => {
    const queue: Buffer[] = [];
    let [waiting, allowed, isEnded] = [0, 0, false];
    let timer: NodeJS.Timeout | undefined;
    let lastTick = 0;
    const send = () => {
      const now = performance.now();
      allowed += ((now - lastTick) * bytesPerSecond) / 1_000;
      lastTick = now;
      const wasFull = waiting >= HIGH_WATER;
      while (queue.length > 0 && allowed >= 1) {
        const chunk = queue.shift()!;
        const part = chunk.subarray(0, Math.floor(allowed));
        if (part.length < chunk.length) queue.unshift(chunk.subarray(part.length));
        waiting -= part.length;
        allowed -= part.length;
        below.write(part);
      }
      if (queue.length > 0) timer = setTimeout(send, TICK_MS);
      else {
        timer = undefined;
        allowed = 0;
        if (isEnded) below.end();
      }
      if (wasFull && waiting < HIGH_WATER) response.emit('drain');
    };
    response.once('close', () => {
      clearTimeout(timer);
      queue.length = 0;
    });
    return {
      write: (chunk) => {
        queue.push(chunk);
        waiting += chunk.length;
        if (timer === undefined) {
          lastTick = performance.now();
          timer = setTimeout(send, TICK_MS);
        }
        return waiting < HIGH_WATER;
      },
      end: () => {
        isEnded = true;
        if (timer === undefined) below.end();
      },
    };
  });
}

/** Sets headers of the server's answer, instead of its own of the same names. */
export function changeHeaders(response: ServerResponse, headers: Readonly<Record<string, string>>): void {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const isOurs = (name: unknown) => names.has(String(name).toLowerCase());
  const others = (given: unknown): unknown => {
    if (Array.isArray(given)) return given.filter((_, at) => !isOurs(given[at - (at % 2)]));
    if (typeof given !== 'object' || given === null) return given;
    return Object.fromEntries(Object.entries(given).filter(([name]) => !isOurs(name)));
  };
  const writeHead = response.writeHead as (...args: unknown[]) => ServerResponse;
  response.writeHead = ((status: number, ...rest: unknown[]) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return writeHead.call(response, status, ...rest.map(others));
  }) as ServerResponse['writeHead'];
}

/** Has the body of an answer go through something else. */
function interpose(response: ServerResponse, make: (below: Sink) => Sink): void {
  const { write, end } = response;
  const above = make({
    write: (chunk) => write.call(response, chunk, 'utf8'),
    end: () => void end.call(response, undefined, 'utf8'),
  });
  const take = (chunk: unknown, encoding: unknown): boolean => {
    if (chunk === undefined || chunk === null || typeof chunk === 'function') return true;
    const isText = typeof chunk === 'string';
    const bytes = isText
      ? Buffer.from(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8')
      : Buffer.from(chunk as Uint8Array);
    return above.write(bytes);
  };
  const callbackIn = (args: unknown[]) => args.find((arg) => typeof arg === 'function') as Callback | undefined;
  response.write = ((...args: unknown[]): boolean => {
    const goesOn = take(args[0], args[1]);
    const done = callbackIn(args);
    if (done !== undefined) process.nextTick(done);
    return goesOn;
  }) as ServerResponse['write'];
  response.end = ((...args: unknown[]): ServerResponse => {
    take(args[0], args[1]);
    const done = callbackIn(args);
    if (done !== undefined) response.once('finish', done);
    above.end();
    return response;
  }) as ServerResponse['end'];
}
