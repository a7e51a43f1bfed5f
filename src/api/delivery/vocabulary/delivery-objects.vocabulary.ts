import type { TSchema } from 'typebox';
import { FeatureFlagUserList } from '../feature-flag-user-lists/feature-flag-user-lists.responses.ts';
import { FeatureFlag, FlagScope, FlagStrategy, StrategyUserList } from '../feature-flags/feature-flags.responses.ts';
import { FeatureFlagsClient } from '../feature-flags-client/feature-flags-client.responses.ts';
import { ReleaseLink } from '../release-links/release-links.responses.ts';
import { MilestoneWithStats, Release, ReleaseBasic } from '../releases/releases.responses.ts';
import { LockInfo } from '../terraform-states/terraform-states.lock.ts';
import { UnleashFeature, UnleashFeatures, UnleashStrategy } from '../unleash/unleash.responses.ts';

/** Names of the objects of this area. */
export const objects: Readonly<Record<string, TSchema>> = {
  FeatureFlag,
  FeatureFlagScope: FlagScope,
  FeatureFlagStrategy: FlagStrategy,
  FeatureFlagStrategyUserList: StrategyUserList,
  FeatureFlagUserList,
  FeatureFlagsClient,
  MilestoneWithStats,
  Release,
  ReleaseBasic,
  ReleaseLink,
  TerraformLock: LockInfo,
  UnleashFeature,
  UnleashFeatures,
  UnleashStrategy,
};
