/** Counts the files with code that a program loads; loaded before it (`--import`), asked by a message. */
import { registerHooks } from 'node:module';

let count = 0;
registerHooks({
  load: (url, context, nextLoad) => {
    if (url.startsWith('file:')) count += 1;
    return nextLoad(url, context);
  },
});
process.once('message', () => process.send!(count));
process.channel?.unref();
