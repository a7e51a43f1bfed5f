import { createHash, createHmac } from 'node:crypto';

const HOUR_S = 3_600;
/** Validity of a URL in seconds: an import may have to wait. */
const GOOD_FOR = 24 * HOUR_S;

/** An object in S3 with its credentials. */
export interface S3Object {
  host: string;
  region: string;
  key: string;
  accessKeyId: string;
  secretAccessKey: string;
}

const sign = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
/** Encodes everything but letters, digits and `-._~`, as the signature requires. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

/** Host name of a bucket. */
export const bucketHost = (bucket: string, region: string): string => `${bucket}.s3.${region}.amazonaws.com`;

/** Returns a presigned URL for reading an object, valid for a day (AWS Signature Version 4, query parameters). */
export function presignedAddress({ host, region, key, accessKeyId, secretAccessKey }: S3Object, now: Date): string {
  const instant = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const day = instant.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const path = `/${key.replace(/^\//, '').split('/').map(encode).join('/')}`;
  const query = [
    ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
    ['X-Amz-Credential', `${accessKeyId}/${scope}`],
    ['X-Amz-Date', instant],
    ['X-Amz-Expires', String(GOOD_FOR)],
    ['X-Amz-SignedHeaders', 'host'],
  ]
    .map(([name, value]) => `${name}=${encode(value!)}`)
    .join('&');
  const canonicalRequest = ['GET', path, query, `host:${host}\n`, 'host', 'UNSIGNED-PAYLOAD'].join('\n');
  const hashed = createHash('sha256').update(canonicalRequest).digest('hex');
  const dayKey = [region, 's3', 'aws4_request'].reduce<Buffer>(sign, sign(`AWS4${secretAccessKey}`, day));
  const signature = sign(dayKey, ['AWS4-HMAC-SHA256', instant, scope, hashed].join('\n')).toString('hex');
  return `https://${host}${path}?${query}&X-Amz-Signature=${signature}`;
}
