/** Message numbers (RFC 4250, section 4.1; RFC 5656; RFC 8308). */
export const Message = {
  disconnect: 1,
  ignore: 2,
  unimplemented: 3,
  debug: 4,
  serviceRequest: 5,
  serviceAccept: 6,
  extInfo: 7,
  kexInit: 20,
  newKeys: 21,
  kexExchange: 30,
  kexReply: 31,
  userauthRequest: 50,
  userauthFailure: 51,
  userauthSuccess: 52,
  userauthPkOk: 60,
  globalRequest: 80,
  requestSuccess: 81,
  requestFailure: 82,
  channelOpen: 90,
  channelOpenConfirmation: 91,
  channelOpenFailure: 92,
  channelWindowAdjust: 93,
  channelData: 94,
  channelExtendedData: 95,
  channelEof: 96,
  channelClose: 97,
  channelRequest: 98,
  channelSuccess: 99,
  channelFailure: 100,
} as const;

/** Disconnect reasons (RFC 4253, section 11.1). */
export const Reason = {
  protocolError: 2,
  keyExchangeFailed: 3,
  connectionLost: 10,
  byApplication: 11,
  tooManyConnections: 12,
  noMoreAuthMethods: 14,
} as const;

/** A protocol violation, or a request that this server does not support. The client is informed and disconnected. */
export class SshError extends Error {
  override name = 'SshError';
  readonly reason: number;

  constructor(message: string, reason: number = Reason.protocolError) {
    super(message);
    this.reason = reason;
  }
}
