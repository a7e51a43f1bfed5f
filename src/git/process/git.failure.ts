import { GitError } from '../common/index.ts';

/** Error of a command with a failing exit code. */
export function gitFailure(name: string | undefined, code: number, stderr: string): GitError {
  const kind = /out of memory/i.test(stderr) ? 'output_too_large' : 'failed';
  return new GitError(kind, `git ${name}: ${stderr.trim()}`, code);
}

/** Removes text that a terminal would have overwritten, such as progress. */
export function withoutOverwritten(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n');
  return lines
    .map((line, index) => {
      const whole = index < lines.length - 1 && line.endsWith('\r') ? line.slice(0, -1) : line;
      return whole.slice(whole.lastIndexOf('\r') + 1);
    })
    .join('\n');
}
