import { EMPTY_OPTIONS } from '../pipeline-config.ts';
import { BOOLEAN, oneOf, STRING } from './checks.keyword.ts';
import { own } from './config-node.ts';
import { inherits } from './inherit.ts';
import { COMMON_KEYS, COMMON_RULES, common, type JobReadContext, type WrittenJob } from './processable.ts';
import { entry, field, keys, type Reader, type Rule } from './reader.ts';
import { BRIDGE } from './tables.ts';

const WHEN = ['on_success', 'on_failure', 'always', 'manual'] as const;

const RULES: readonly Rule[] = [
  ...COMMON_RULES,
  keys(...COMMON_KEYS, ...BRIDGE.names, 'allow_failure'),
  field('when', STRING, oneOf(WHEN, `should be one of: ${WHEN.join(', ')}`)),
  field('allow_failure', BOOLEAN),
];

/** A job that triggers another pipeline, or mirrors its status. */
export const bridge = (name: string, around: JobReadContext): Reader<WrittenJob> =>
  entry(RULES, (value, at) => {
    const before = at.problems.count;
    const words = BRIDGE.read(value, at);
    const base = common(name, words, value, around, at);
    const upstream = words.needs?.bridges ?? [];
    if (at.problems.count === before) {
      if (words.trigger === null && upstream.length === 0) {
        at.config('should contain either a trigger or a needs:pipeline');
      }
      if (upstream.length > 1) at.config('should contain at most one bridge need');
    }
    return {
      ...base,
      kind: 'bridge',
      startIn: null,
      allowFailure: own(value, 'allow_failure') as boolean | null,
      tags: [],
      needs: words.needs?.jobs ?? null,
      interruptible:
        words.interruptible ?? (inherits('interruptible', words.inherit) ? around.defaults.interruptible : null),
      coverage: null,
      parallel: words.parallel,
      options: { ...EMPTY_OPTIONS, trigger: words.trigger, upstreamProject: upstream[0] ?? null },
    };
  });
