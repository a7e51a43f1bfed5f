/**
 * Completes package-lock.json after `npm install` from a registry that carries only some platforms' packages:
 * npm leaves out what it could not see there, and then refuses `npm ci` everywhere, because the lock file lacks optional
 * packages. This adds each with the version its parent asks for and the platform its name tells.
 * Run it after changing dependencies: node .ci/complete-lockfile.mjs
 */
import { readFileSync, writeFileSync } from 'node:fs';

const SYSTEMS = {
  aix: 'aix',
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  netbsd: 'netbsd',
  openbsd: 'openbsd',
  openharmony: 'openharmony',
  sunos: 'sunos',
  win32: 'win32',
  windows: 'win32',
};
const PROCESSORS = ['arm64', 'arm', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];

/** The entry of a package that only runs where its name says. */
function platformEntry(name, version, dev) {
  const words = name.split(/[/-]/);
  const os = words.flatMap((word) => SYSTEMS[word] ?? []);
  const cpu = PROCESSORS.filter((processor) => words.includes(processor));
  const libc = words.some((word) => word.startsWith('musl')) ? 'musl' : words.includes('gnu') ? 'glibc' : undefined;
  if (os.length + cpu.length === 0) throw new Error(`${name} names no platform.`);
  return {
    version,
    ...(cpu.length > 0 ? { cpu } : {}),
    ...(dev ? { dev: true } : {}),
    ...(libc === undefined || os[0] !== 'linux' ? {} : { libc: [libc] }),
    optional: true,
    ...(os.length > 0 ? { os } : {}),
  };
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
for (const [path, { optionalDependencies = {}, dev = false }] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    if (`node_modules/${name}` in lock.packages || `${path}/node_modules/${name}` in lock.packages) continue;
    if (!/^\d/.test(version)) continue;
    lock.packages[`node_modules/${name}`] = platformEntry(name, version, dev);
    added.push(name);
  }
}
const [project, ...rest] = Object.entries(lock.packages);
lock.packages = Object.fromEntries([project, ...rest.sort(([a], [b]) => a.localeCompare(b, 'en'))]);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'Nothing was missing.' : `Added:\n  ${added.join('\n  ')}`);
