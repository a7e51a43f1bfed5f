/** Distance of new issues in a project's own order: `relative_position` is the number times this, until it is moved. */
export const POSITION_STEP = 1_048_576;
