import { Type } from 'typebox';

/** Configuration of clients of the feature flags of a project. */
export const FeatureFlagsClient = Type.Object({
  instance_id: Type.String({
    description: 'Instance id that authenticates clients of the project. Keep it secret.',
    examples: ['glffct-...'],
  }),
  url: Type.String({
    description: 'API URL for Unleash clients.',
    examples: ['https://git.example.org/api/v4/feature_flags/unleash/42'],
  }),
});
