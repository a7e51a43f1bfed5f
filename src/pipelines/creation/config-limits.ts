import { CONFIG_LIMITS, type ConfigLimits } from '../../ci/config/ci-config.limits.ts';
import type { Deps } from '../../deps.ts';

/** Hard limit on the size of a configuration, whatever the settings: aliases expand a small text. */
const MAX_PARSED = 16 * 1024 * 1024;
const DEEPEST = 500;

/** Limits on configurations according to the settings. */
export function configLimits({ settings }: Pick<Deps, 'settings'>): ConfigLimits {
  const { now } = settings;
  return {
    includes: now.ci_max_includes,
    totalBytes: Math.min(now.ci_max_total_yaml_size_bytes, CONFIG_LIMITS.totalBytes),
    parsedBytes: Math.min(now.max_yaml_size_bytes, MAX_PARSED),
    depth: Math.min(now.max_yaml_depth, DEEPEST),
  };
}
