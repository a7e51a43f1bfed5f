let leavers = 0;

/**
 * Leaves the graphs of what is added to small repositories from now on to their housekeeping: for what fills many of
 * them.
 * @returns a function that ends that
 */
export function leaveGraphs(): () => void {
  leavers += 1;
  let isOver = false;
  return () => {
    if (!isOver) leavers -= 1;
    isOver = true;
  };
}

export const areGraphsLeft = (): boolean => leavers > 0;
