/** Order key of the jobs of an integration: they run one after the other, in any process. */
export const orderKeyOf = (id: number): string => `integration:${id}`;
