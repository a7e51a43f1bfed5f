import { ConfigError } from '../config/config-error.ts';
import type { Tree, TreeMap } from '../config/loaded.ts';
import { own } from './config-node.ts';
import { jobsOf } from './multiply.ts';
import type { WrittenJob } from './processable.ts';

/** Characters that all jobs may have together, each with all that it takes over. */
const MAX = 32 * 1024 * 1024;

const TAKEN_OVER = ['default', 'variables', 'before_script', 'image', 'services', 'after_script', 'cache'];

/**
 * Many jobs may take over one large text, which is theirs once each when they are made.
 * @throws ConfigError where that comes to too much
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
