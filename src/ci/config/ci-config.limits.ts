import { YAML_LIMITS, type YamlLimits } from './yaml/sizes.ts';

/** Limits of a configuration. Each of its files is limited as well. */
export interface ConfigLimits extends YamlLimits {
  /** Maximum number of included files, counting repetitions. */
  includes: number;
  /** Maximum total size of all files in bytes. */
  totalBytes: number;
}

/** Default limits. With 150 files of 1 MB, only the total bounds the memory. */
export const CONFIG_LIMITS: ConfigLimits = { ...YAML_LIMITS, includes: 150, totalBytes: 20 * 1024 * 1024 };
