import { CONFIG_LIMITS, type ConfigLimits } from '../../ci/config/ci-config.limits.ts';
import type { Deps } from '../../deps.ts';

/** What the server compiles at most, whatever administrators say: with aliases a small text stands for much. */
const MAX_PARSED = 16 * 1024 * 1024;
const DEEPEST = 500;

/** How large configurations may be, as the settings say now. */
export function configLimits({ settings }: Pick<Deps, 'settings'>): ConfigLimits {
  const { now } = settings;
  return {
    includes: now.ci_max_includes,
    totalBytes: Math.min(now.ci_max_total_yaml_size_bytes, CONFIG_LIMITS.totalBytes),
    parsedBytes: Math.min(now.max_yaml_size_bytes, MAX_PARSED),
    depth: Math.min(now.max_yaml_depth, DEEPEST),
  };
}
