import { ConfigError } from '../config/config-error.ts';
import type { Tree, TreeMap } from '../config/loaded.ts';
import { own } from './config-node.ts';
import { jobsOf } from './multiply.ts';
import type { WrittenJob } from './processable.ts';

/** Maximum total length of all jobs with their inherited keywords. */
const MAX = 32 * 1024 * 1024;

const TAKEN_OVER = ['default', 'variables', 'before_script', 'image', 'services', 'after_script', 'cache'];

/**
 * Checks the total size: many jobs may inherit a large text, which is stored with each of them.
 * @throws ConfigError if it is too large
 */
export function checkWeight(tree: TreeMap, jobs: readonly WrittenJob[]): void {
  const known = new WeakMap<object, number>();
  const weigh = (value: Tree): number => {
    if (typeof value === 'string') return value.length + 3;
    if (typeof value !== 'object' || value === null) return 5;
    const weighed = known.get(value);
    if (weighed !== undefined) return weighed;
    let sum = 2;
    if (Array.isArray(value)) for (const each of value) sum += weigh(each);
    else for (const key of Object.keys(value)) sum += key.length + 3 + weigh(value[key]!);
    known.set(value, sum);
    return sum;
  };
  const each = TAKEN_OVER.reduce((sum, key) => sum + weigh(own(tree, key)), 0);
  let all = 0;
  for (const job of jobs) {
    all += (each + weigh(own(tree, job.name))) * jobsOf(job);
    if (all > MAX) throw new ConfigError('Total size of combined CI/CD configuration is too big');
  }
}
