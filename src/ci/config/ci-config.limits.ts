import { YAML_LIMITS, type YamlLimits } from './yaml/sizes.ts';

/** How large a configuration may be. Its files are bounded one by one, too. */
export interface ConfigLimits extends YamlLimits {
  /** Files that may be included, those counted again that are included again. */
  includes: number;
  /** Bytes of all files together. */
  totalBytes: number;
}

/** Where nobody says otherwise. With 150 files of 1 MB nothing but the sum would bound the memory. */
export const CONFIG_LIMITS: ConfigLimits = { ...YAML_LIMITS, includes: 150, totalBytes: 20 * 1024 * 1024 };
