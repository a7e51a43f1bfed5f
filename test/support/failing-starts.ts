import { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

interface Handle {
  close(): void;
}
interface Startable {
  _handle: { spawn(...args: readonly unknown[]): number };
}
interface Prototype {
  spawn(this: Startable, options: unknown): unknown;
}

/**
 * Has the system refuse every start of a child of this process, below all that Node makes of it, until what it gives is called.
 * @param code what the system says
 */
export function failingStarts(code: 'EMFILE' | 'EAGAIN' | 'ENOMEM'): () => void {
  const prototype = ChildProcess.prototype as unknown as Prototype;
  const { spawn } = prototype;
  const handles: Handle[] = [];
  prototype.spawn = function (options) {
    this._handle.spawn = (...args) => {
      // The pipes are among what it is given, as lists of objects. Nobody closes those of a child that was not started.
      const lists = args.filter((one) => Array.isArray(one)) as readonly { handle?: Handle }[][];
      for (const { handle } of lists.flat()) if (handle !== undefined) handles.push(handle);
      return -constants.errno[code];
    };
    return spawn.call(this, options);
  };
  return () => {
    prototype.spawn = spawn;
    for (const handle of handles.splice(0)) handle.close();
  };
}
