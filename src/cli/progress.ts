/** A progress line on a terminal; prints nothing elsewhere. */
export function oneLine(): { show(text: string): void; end(): void } {
  let shown = false;
  return {
    show: (text) => {
      if (!process.stderr.isTTY) return;
      shown = true;
      process.stderr.write(`\r\x1b[K${text}`);
    },
    end: () => {
      if (shown) process.stderr.write('\r\x1b[K');
      shown = false;
    },
  };
}
