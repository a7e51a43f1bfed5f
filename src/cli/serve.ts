import { loadConfig } from '../config/config.ts';
import type { Environment } from '../config/env.ts';
import { JsonLogger } from '../core/logger.ts';
import { type Running, serve } from '../start.ts';

/** `stithy serve`: runs until SIGTERM or SIGINT. */
export async function serveCommand(env: Environment): Promise<number> {
  const { config, warnings } = loadConfig(env);
  const log = new JsonLogger(config.logLevel, (text) => process.stdout.write(text));
  for (const warning of warnings) log.log('warn', warning);
  let running: Running;
  try {
    running = await serve(config, log);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    process.stderr.write(
      code === 'EADDRINUSE'
        ? `stithy: port ${config.port} is taken. Choose another: STITHY_PORT=8081 (0 picks a free one).\n`
        : `stithy: ${message}\n`,
    );
    return 1;
  }
  process.stderr.write(greeting(running, process.uptime()));
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, resolve);
  });
  log.log('info', 'stopping', { signal });
  await running.stop();
  log.flush();
  return 0;
}

function greeting({ url, deps, firstStart, newToken }: Running, seconds: number): string {
  const lines = [
    '',
    `  Stithy is ready at ${url} (${seconds.toFixed(2)} s)`,
    `  Data:  ${deps.config.dataDir}`,
    `  API:   ${url}/api/v4   Reference: ${url}/-/api`,
  ];
  if (newToken !== null) {
    lines.push(`  Administrator: root, token ${newToken}   (shown this once)`);
  } else if (firstStart) {
    lines.push('  Administrator: root, with the token of STITHY_ROOT_TOKEN');
  }
  const token = newToken ?? '$TOKEN';
  lines.push(`  Try:   curl -H "PRIVATE-TOKEN: ${token}" ${url}/api/v4/user`, '', '');
  return lines.join('\n');
}
