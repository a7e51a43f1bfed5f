/** The order key of an integration's jobs: it is told one thing after the other, in any process. */
export const orderKeyOf = (id: number): string => `integration:${id}`;
