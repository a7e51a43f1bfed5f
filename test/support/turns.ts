/** Counts the turns that others of the event loop have while something goes on. */
export async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const tick = () => {
    turns += 1;
    if (!isOver) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    await work();
  } finally {
    isOver = true;
  }
  return turns;
}
