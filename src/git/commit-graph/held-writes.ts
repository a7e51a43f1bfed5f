let holders = 0;

/**
 * Lets what fills many repositories go first: the graphs of what it adds are written after it.
 * @returns a function that ends that
 */
export function holdGraphWrites(): () => void {
  holders += 1;
  let isHeld = true;
  return () => {
    if (isHeld) holders -= 1;
    isHeld = false;
  };
}

export const areGraphWritesHeld = (): boolean => holders > 0;
