import { encodePacket, FLUSH } from './packet-line.ts';

const MESSAGES = 2;
const DATA = 1;

/**
 * Response that refuses a push without git: shows the reason and reports that nothing was received.
 * @param capabilities capabilities of the client
 * @param reason one line
 */
export function refusalOfPush(capabilities: readonly string[], reason: string): Buffer {
  const reports = capabilities.some((word) => word === 'report-status' || word === 'report-status-v2');
  const report = reports ? Buffer.concat([encodePacket(`unpack ${reason}\n`), FLUSH]) : Buffer.alloc(0);
  if (!capabilities.includes('side-band-64k')) return report;
  const band = (number: number, bytes: Buffer) => encodePacket(Buffer.concat([Buffer.from([number]), bytes]));
  const shown = band(MESSAGES, Buffer.from(`${reason}\n`));
  return Buffer.concat([shown, ...(reports ? [band(DATA, report)] : []), FLUSH]);
}
