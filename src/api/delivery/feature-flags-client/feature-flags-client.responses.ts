import { Type } from 'typebox';

/** What a program needs to ask for the feature flags of a project. */
export const FeatureFlagsClient = Type.Object({
  instance_id: Type.String({
    description: 'By what the project knows the programs that may ask for its flags. Keep it to them.',
    examples: ['glffct-...'],
  }),
  url: Type.String({
    description: 'Where an Unleash client asks.',
    examples: ['https://git.example.org/api/v4/feature_flags/unleash/42'],
  }),
});
