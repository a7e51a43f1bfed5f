/** Counts the files with code that a program loads; loaded before it (`--import`), asked by a message. */
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import vm from 'node:vm';

let count = 0;
registerHooks({
  load: (url, context, nextLoad) => {
    if (url.startsWith('file:')) count += 1;
    return nextLoad(url, context);
  },
});
// The files of the bundle come by a loader of their own (bin/compiled.js).
const { Script } = vm;
vm.Script = class extends Script {
  constructor(...options: ConstructorParameters<typeof Script>) {
    super(...options);
    count += 1;
  }
};
syncBuiltinESMExports();
process.once('message', () => process.send!(count));
process.channel?.unref();
