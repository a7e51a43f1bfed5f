import type { TSchema } from 'typebox';
import { FeatureFlagUserList } from '../feature-flag-user-lists/answers.ts';
import { FeatureFlag, FlagScope, FlagStrategy, StrategyUserList } from '../feature-flags/answers.ts';
import { FeatureFlagsClient } from '../feature-flags-client/answers.ts';
import { ReleaseLink } from '../release-links/answers.ts';
import { MilestoneWithStats, Release, ReleaseBasic } from '../releases/answers.ts';
import { LockInfo } from '../terraform-states/lock.ts';
import { UnleashFeature, UnleashFeatures, UnleashStrategy } from '../unleash/answers.ts';

/** What the objects of this area are called. */
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
