// Runs the bundle out of code that is kept compiled between starts. Node's own cache keeps of a file what is compiled when
// it is loaded; the functions that run later, at a start and for the first request of each kind, would be compiled every time.
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import module, { createRequire, getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { constants, Script } from 'node:vm';
import { crc32 } from 'node:zlib';

const PREFIX = 'stithy-';
/** What no program has been stored under for so long is removed. */
const UNUSED_MS = 30 * 24 * 3_600_000;
/** Before what is kept: its checksum, and the bytes of compiled code in all. */
const HEAD = 8;
/** It is stored again when so much more has been compiled. */
const MORE = 1.01;

/** Bytes of compiled code, that of earlier runs included. */
const bytecode = () => getHeapCodeStatistics().bytecode_and_metadata_size;

/**
 * What is kept of a file; null where somebody else can write it, or it is damaged: it would be run.
 * @returns {{ data: Buffer, bytecode: number } | null}
 */
function read(path) {
  let descriptor;
  try {
    descriptor = openSync(path, 'r');
    const { uid, mode } = fstatSync(descriptor);
    if (process.getuid !== undefined && (uid !== process.getuid() || (mode & 0o022) !== 0)) return null;
    const bytes = readFileSync(descriptor);
    const data = bytes.subarray(HEAD);
    return bytes.readUInt32LE(0) === crc32(data) ? { data, bytecode: bytes.readUInt32LE(4) } : null;
  } catch {
    return null;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Keeps what is compiled of a file, whole or not at all. @param size bytes of compiled code in all */
function write(path, data, size) {
  const head = Buffer.alloc(HEAD);
  head.writeUInt32LE(crc32(data), 0);
  head.writeUInt32LE(size, 4);
  const temporary = `${path}.${randomUUID()}`;
  try {
    writeFileSync(temporary, Buffer.concat([head, data]), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

function removeOld(cache) {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (name.startsWith(PREFIX) && statSync(path).mtimeMs < Date.now() - UNUSED_MS) rmSync(path, { force: true });
  }
}

/** A flag of the engine as it is compiled in, and as the server sets it when the time has come. */
class Flag {
  #usual;
  #ours;
  #isSet = false;

  constructor(usual, ours) {
    this.#usual = usual;
    this.#ours = ours;
  }

  set() {
    this.#isSet = true;
    setFlagsFromString(this.#ours);
  }

  /** Takes it back for a moment. */
  back() {
    if (this.#isSet) setFlagsFromString(this.#usual);
  }

  again() {
    if (this.#isSet) setFlagsFromString(this.#ours);
  }
}

// What was called once, such as at the start, is still to be there when it is kept.
const keepsCode = new Flag('--flush-bytecode', '--no-flush-bytecode');
/** Milliseconds after which a start is over, in which node loads many of its own modules. */
const STARTED_MS = 2_000;
/** Old objects are collected when they have grown by 30 %; by default they double or triple first, as garbage. */
const isBounded = new Flag('--heap-growing-percent=0', '--heap-growing-percent=30');
const FLAGS = [keepsCode, isBounded];

/** Does something under the flags that node was compiled with: what is kept of its modules and ours is not used under others. */
function asLoading(work) {
  for (const flag of FLAGS) flag.back();
  try {
    return work();
  } finally {
    for (const flag of FLAGS) flag.again();
  }
}

/**
 * Runs the bundle, with what is kept in the folder of node's own cache, if there is one.
 * @param {string} main path of its first file
 * @param {boolean} serves whether this process lasts: then what it compiles is kept when it ends well, and its memory is bounded
 */
export function runBundle(main, serves) {
  const folder = dirname(main);
  const cache = getCompileCacheDir();
  const loaded = new Map();
  const scripts = new Map();
  const outside = createRequire(main);
  const require = Object.assign(
    (id) => (id.startsWith('./') ? load(id.slice(2)) : asLoading(() => outside(id))),
    outside,
  );
  /** Bytes of compiled code that the run had which kept the first file. */
  let known = 0;

  function compile(name) {
    const filename = join(folder, name);
    // Plain ASCII: see build/bundle.ts.
    const text = readFileSync(filename, 'latin1');
    const path = cache && join(cache, `${PREFIX}${name}-${crc32(text).toString(16)}`);
    const cached = path ? read(path) : null;
    if (scripts.size === 0 && cached !== null) known = cached.bytecode;
    const options = {
      filename,
      cachedData: cached?.data,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    };
    const script = asLoading(() => new Script(module.wrap(text), options));
    scripts.set(path, script);
    return script.runInThisContext();
  }

  function load(name) {
    const before = loaded.get(name);
    if (before !== undefined) return before.exports;
    const loading = { exports: {} };
    loaded.set(name, loading);
    try {
      compile(name).call(loading.exports, loading.exports, require, loading, join(folder, name), folder);
    } catch (error) {
      loaded.delete(name);
      throw error;
    }
    return loading.exports;
  }

  const keep = (code) => {
    const size = bytecode();
    if (code !== 0 || size < known * MORE) return;
    try {
      // The first file last: it stands for all.
      for (const [path, script] of [...scripts].reverse()) {
        const data = asLoading(() => script.createCachedData());
        write(path, data, size);
      }
      removeOld(cache);
    } catch {
      // The next start compiles again.
    }
  };
  if (cache && serves) process.on('exit', keep);
  load(main.slice(folder.length + 1));
  setTimeout(() => {
    keepsCode.set();
    if (serves) isBounded.set();
  }, STARTED_MS).unref();
}
