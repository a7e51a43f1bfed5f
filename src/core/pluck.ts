/** The values of one property of rows, in their order; repetitions are kept. */
export const pluck = <Row, Key extends keyof Row>(rows: readonly Row[], key: Key): Row[Key][] =>
  rows.map((row) => row[key]);
