let leavers = 0;

/**
 * Leaves the graphs of what is added from now on to the housekeeping of the repositories, or to the first query that
 * reaches far: for what fills many repositories.
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
